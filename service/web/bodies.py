"""Bodies of requests, read with a deadline: whoever sends one slowly or never must not hold a thread of the server.

The server's own reading has no deadline, so another thread reads. It stays until the client has sent
the rest or gone, and counts until then.
"""

import threading
from typing import Protocol

from service.web.admission import UnderWay
from service.web.problems import Problem


class Stream(Protocol):
    """What a body is read from."""

    def read(self) -> bytes: ...


class Bodies:
    """Reads bodies, and counts those that are under way."""

    def __init__(self, *, seconds: float, at_once: int, of_client: int) -> None:
        self.seconds = seconds
        self.at_once = at_once
        self.of_client = of_client
        self._under_way = UnderWay()

    def read(self, stream: Stream, client: str) -> bytes:
        """The whole body. Raises `Problem` 408 past the deadline, 429 or 503 where too many are under way."""
        leave = self._under_way.enter(client, self._check)
        got: list[bytes | BaseException] = []
        done = threading.Event()

        def take() -> None:
            try:
                got.append(stream.read())
            except BaseException as error:
                got.append(error)  # raised again where it is waited for
            finally:
                leave()
                done.set()

        try:
            threading.Thread(target=take, name="body", daemon=True).start()
        except RuntimeError as error:  # the machine gives no more threads
            leave()
            raise Problem(503, "too much is under way; try again in a moment", headers={"Retry-After": "1"}) from error
        if not done.wait(self.seconds):
            raise Problem(
                408,
                f"the body did not arrive within {self.seconds:g} s; send it again",
                headers={"Connection": "close"},
            )
        if isinstance(got[0], BaseException):
            raise got[0]
        return got[0]

    def _check(self, of_client: int, of_all: int) -> None:
        if of_client >= self.of_client:
            raise Problem(
                429,
                f"{self.of_client} bodies of yours are under way, which is the limit for one client; finish them",
                headers={"Retry-After": "1"},
            )
        if of_all >= self.at_once:
            raise Problem(503, "too many bodies are under way; try again, or use GET", headers={"Retry-After": "1"})

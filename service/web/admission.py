"""Who may come in: so many requests of one client at once, so that none takes every place."""

import ipaddress
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from flask import Flask, Response, request
from werkzeug.wsgi import ClosingIterator

from service.queries.refusal import QueryRefused

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LEAVE: Final = "emiciclo.leave"
_APART: Final = frozenset({"static", "health.health", "sparql.endpoint", "answers_endpoint.endpoint"})
"""Endpoints that are not counted with the pages: files cost nothing, and those for queries count their own."""
_STREAM: Final = "events"
"""The name of an endpoint that streams: it lasts as long as the work that it tells of, and is counted there."""


class UnderWay:
    """Counts what is under way, of all clients and of each."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def enter(self, client: str, check: Callable[[int, int], None]) -> Callable[[], None]:
        """Count one in; call what is returned, once or more often, when it ends.

        `check` is told how many the client has and how many there are of all; what it raises keeps this one out.
        """
        with self._lock:
            check(self._counts[client], self._counts.total())
            self._counts[client] += 1
        left = False

        def leave() -> None:
            nonlocal left
            with self._lock:
                if not left:
                    left = True
                    self._counts[client] -= 1
                    if not self._counts[client]:
                        del self._counts[client]

        return leave


class Admission:
    """Counts the requests of each client that are under way. `limit` is what a refusal calls this limit."""

    def __init__(self, per_client: int, limit: str = "queries_per_client") -> None:
        self.per_client = per_client
        self.limit = limit
        self._inside = UnderWay()

    def enter(self, client: str) -> Callable[[], None]:
        """Count a request in; call what is returned, once or more often, when its answer is out.

        Raises `QueryRefused` 429 where the client has as many as it may.
        """
        return self._inside.enter(client, self._check)

    def _check(self, of_client: int, _: int) -> None:
        if of_client >= self.per_client:
            raise QueryRefused(
                429,
                f"you have {of_client} requests under way, which is the limit for one client; "
                "wait until one is answered",
                retry_after=1,
                limit=self.limit,
            )


def register(app: Flask, per_client: int) -> None:
    """Admit so many requests of one client to pages and API at once; a further one is refused with 429."""
    admission = Admission(per_client, "web_requests_per_client")

    def enter() -> None:
        if not _apart(request.endpoint):
            request.environ[_LEAVE] = admission.enter(client_of_request())

    def leave(response: Response) -> Response:
        if response.is_sequence:  # it is made; only a stream is still at work
            _leave(request.environ)
        return response

    app.before_request(enter)
    app.after_request(leave)
    app.wsgi_app = _leaving(app.wsgi_app)  # type: ignore[assignment, method-assign]


def _apart(endpoint: str | None) -> bool:
    return endpoint is not None and (endpoint in _APART or endpoint.rpartition(".")[2] == _STREAM)


def _leaving(application: "WSGIApplication") -> "WSGIApplication":
    """Let a request out that streams when its last byte is sent or its client has gone, and one that failed at once."""

    def run(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            blocks = application(environ, start_response)
        except BaseException:
            _leave(environ)
            raise
        return ClosingIterator(blocks, lambda: _leave(environ)) if _LEAVE in environ else blocks

    return run


def _leave(environ: "WSGIEnvironment") -> None:
    leave: Callable[[], None] | None = environ.pop(_LEAVE, None)
    if leave:
        leave()


def client_of_request() -> str:
    """The client that asks: its address, and for IPv6 its network, as one client has many addresses there."""
    return _client_at(request.remote_addr or "unknown")


@lru_cache(4096)
def _client_at(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False)) if parsed.version == 6 else address

"""Who may come in: so many requests of one client at once, so that none takes every place."""

import ipaddress
import threading
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from flask import request

from service.queries.refusal import QueryRefused


class Admission:
    """Counts the requests of each client that are under way."""

    def __init__(self, per_client: int) -> None:
        self.per_client = per_client
        self._inside: Counter[str] = Counter()
        self._lock = threading.Lock()

    def enter(self, client: str) -> Callable[[], None]:
        """Count a request in; call what is returned, once or more often, when its answer is out.

        Raises `QueryRefused` 429 where the client has as many as it may.
        """
        with self._lock:
            if self._inside[client] >= self.per_client:
                raise QueryRefused(
                    429,
                    f"you have {self._inside[client]} requests under way, which is the limit for one client; "
                    "wait until one is answered",
                    retry_after=1,
                    limit="queries_per_client",
                )
            self._inside[client] += 1
        left = False

        def leave() -> None:
            nonlocal left
            with self._lock:
                if not left:
                    left = True
                    self._inside[client] -= 1
                    if not self._inside[client]:
                        del self._inside[client]

        return leave


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

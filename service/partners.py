"""Calls to partners' SPARQL endpoints: to listed addresses only, with limits of time, bytes and rows."""

import ipaddress
import json
import socket
import time
import uuid
from dataclasses import dataclass
from typing import Any, Final

import httpx
from pyoxigraph import QueryResultsFormat, QuerySolutions, parse_query_results

from service.queries.federation import Solutions, skolemised
from service.queries.refusal import QueryRefused

_ACCEPT: Final = "application/sparql-results+json"
_CONNECT_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class PartnerLimits:
    """What one call to a partner may take."""

    seconds: float
    bytes: int
    rows: int


class PartnerClient:
    """Asks partners, without redirects, proxies, cookies or credentials."""

    def __init__(self, limits: PartnerLimits, *, private: bool, scope: str) -> None:
        """`private` allows addresses inside this network; blank nodes become IRIs that begin with `scope`."""
        self.limits = limits
        self.private = private
        self.scope = scope
        self._client = httpx.Client(timeout=limits.seconds, follow_redirects=False, trust_env=False)

    def __call__(self, address: str, query: str) -> Solutions:
        """Ask one SELECT query. Raises `QueryRefused`: 502 if the partner fails, 413 if it gives too much."""
        try:
            content = self._fetch(httpx.URL(address), f"{query} LIMIT {self.limits.rows + 1}")
            document = json.loads(content)
            # Some engines add members of their own, which a strict reader refuses.
            table = json.dumps({"head": document["head"], "results": {"bindings": document["results"]["bindings"]}})
            return self._table(address, parse_query_results(table.encode(), format=QueryResultsFormat.JSON))
        except httpx.TimeoutException:
            why = f"did not answer within {self.limits.seconds:g} s"
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            why = "cannot be reached"
        except (ValueError, KeyError, TypeError, SyntaxError, RecursionError):
            why = "did not answer with SPARQL results in JSON"
        # Outside the handlers: a traceback would keep pyoxigraph's reader, which no other thread may drop.
        raise self._failed(address, why)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def _table(self, address: str, solutions: Any) -> Solutions:
        if not isinstance(solutions, QuerySolutions):
            raise self._failed(address, "did not answer with a table")
        scope = f"{self.scope}{uuid.uuid4()}/"
        names = [variable.value for variable in solutions.variables]
        rows = [tuple(skolemised(row[name], scope) for name in names) for row in solutions]
        del solutions  # as above
        if len(rows) > self.limits.rows:
            raise QueryRefused(
                413,
                f"the partner <{address}> has more than {self.limits.rows:,} solutions, which is the limit: narrow the "
                "SERVICE clause, or bind its variables before it",
                limit="partner_rows",
            )
        return Solutions(tuple(names), rows)

    def _fetch(self, url: httpx.URL, query: str) -> bytes:
        deadline = time.monotonic() + self.limits.seconds
        content = bytearray()
        with self._client.stream(
            "POST",
            url.copy_with(host=self._resolved(url)),
            data={"query": query},
            headers={"Accept": _ACCEPT, "Accept-Encoding": "identity", "Host": url.netloc.decode("ascii")},
            extensions={"sni_hostname": url.host},
        ) as response:
            if response.status_code == httpx.codes.BAD_REQUEST:
                told = " ".join(next(response.iter_raw(), b"").decode("utf-8", "replace").split())
                raise self._failed(str(url), f"refused the pattern: {told[:300]}")
            if response.status_code != httpx.codes.OK:
                raise self._failed(str(url), f"answered with status {response.status_code}")
            for piece in response.iter_raw():
                content += piece
                if len(content) > self.limits.bytes:
                    raise QueryRefused(
                        413,
                        f"the partner <{url}> gives more than {self.limits.bytes:,} bytes, which is the limit: narrow "
                        "the SERVICE clause, or bind its variables before it",
                        limit="partner_bytes",
                    )
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("late in the middle of the answer")
        return bytes(content)

    def _resolved(self, url: httpx.URL) -> str:
        """The address to connect to, checked: the name may not lead into this network, now or a moment later."""
        if url.scheme not in ("http", "https") or url.userinfo:
            raise self._failed(str(url), "is no plain http(s) address")
        port = url.port or (443 if url.scheme == "https" else 80)
        found = [entry[4][0] for entry in socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)]
        if not self.private and not all(ipaddress.ip_address(address).is_global for address in found):
            raise self._failed(str(url), "leads to an address inside this network")
        return str(found[0])

    def _failed(self, address: str, what: str) -> QueryRefused:
        return QueryRefused(502, f"the partner <{address}> {what}", retry_after=60)

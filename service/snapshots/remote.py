"""The public's queries at a store by URL, within the same limits as far as a client can hold them."""

import re
import tempfile
import time
from collections.abc import Callable
from typing import Final

import httpx
from pyoxigraph import QueryResultsFormat, parse_query_results

import sparql
from service.errors import DataError
from service.queries.refusal import QueryRefused
from service.snapshots.counting import counter
from service.snapshots.runner import IN_MEMORY, QueryAnswer, QueryLimits, QueryRequest, too_late, too_long

_MESSAGE_BYTES: Final = 2000
_LINE: Final = re.compile(r"(error at )(\d+):(?=\d+:)")


class RemoteRunner:
    """Sends queries to a SPARQL 1.1 endpoint whose default graph is the union of its named graphs.

    The endpoint should have a time limit of its own: a client can only stop waiting.
    """

    def __init__(self, url: str, limits: QueryLimits, version: Callable[[], str]) -> None:
        """`version` names what the endpoint holds. Raises `DataError` if the endpoint does not answer."""
        self.url = url
        self.limits = limits
        self._version = version
        self._client = httpx.Client(timeout=httpx.Timeout(limits.seconds, connect=5.0), trust_env=False)
        try:
            answer = self.run(
                QueryRequest(sparql.query("index/graphs"), True, QueryResultsFormat.JSON.media_type), "the service"
            )
        except QueryRefused as error:
            raise DataError(f"the graph store {url} does not answer: {error}") from error
        with answer.body:
            rows = parse_query_results(answer.body.read(), format=QueryResultsFormat.JSON)
            self._graphs = tuple(row["graph"].value for row in rows)  # type: ignore[union-attr]

    @property
    def version(self) -> str:
        return self._version()

    def graphs(self) -> tuple[str, ...]:
        return self._graphs

    def run(self, request: QueryRequest, client: str) -> QueryAnswer:
        started, version = time.monotonic(), self.version
        body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (it outlives this call)
        try:
            length = self._fetch(request, body, started + self.limits.seconds)
        except httpx.TimeoutException as error:
            body.close()
            raise too_late(self.limits) from error
        except httpx.HTTPError as error:
            body.close()
            raise QueryRefused(503, "the graph store does not answer; try again later", retry_after=10) from error
        except BaseException:
            body.close()
            raise
        body.seek(0)
        return QueryAnswer(body, length, request.media_type, time.monotonic() - started, version)

    def close(self) -> None:
        self._client.close()

    def _fetch(self, request: QueryRequest, body: "tempfile.SpooledTemporaryFile[bytes]", deadline: float) -> int:
        count = counter(request.media_type) if request.table else None
        length, rows = 0, 0
        # As a form: Virtuoso hangs for ever on application/sparql-query.
        with self._client.stream(
            "POST", self.url, data=_form(request), headers={"Accept": request.media_type}
        ) as response:
            if response.status_code != httpx.codes.OK:
                told = next(response.iter_bytes(_MESSAGE_BYTES), b"").decode("utf-8", "replace")
                told = _as_sent(told, len(_declarations(request)))
                status = 400 if response.status_code == httpx.codes.BAD_REQUEST else 503
                raise QueryRefused(status, told or "the graph store refused the query", limit="syntax")
            for piece in response.iter_bytes(1 << 16):
                length += len(piece)
                rows += count(piece) if count else 0
                if time.monotonic() > deadline:
                    raise too_late(self.limits)
                if length > self.limits.bytes or rows > self.limits.rows:
                    raise too_long(self.limits, "result_bytes" if length > self.limits.bytes else "result_rows")
                body.write(piece)
        return length


def _as_sent(message: str, lines: int) -> str:
    """An engine's message by the lines of the query, before which declarations were put."""
    return _LINE.sub(lambda found: f"{found[1]}{max(1, int(found[2]) - lines)}:", message, count=1)


def _declarations(request: QueryRequest) -> list[str]:
    """What is put before a query, a line each."""
    base = [f"BASE <{request.base}>\n"] if request.base else []
    return base + [f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in request.prefixes.items()]


def _form(request: QueryRequest) -> dict[str, str | list[str]]:
    form: dict[str, str | list[str]] = {"query": "".join(_declarations(request)) + request.text}
    if request.default_graphs is not None:
        form["default-graph-uri"] = list(request.default_graphs)
        form["named-graph-uri"] = list(request.named_graphs)
    return form

"""The graph as the site's own pages ask it: through query workers, so that no page can hang or crash the service."""

from collections.abc import Iterator

from pyoxigraph import QueryResultsFormat, QuerySolutions, RdfFormat, Triple, parse, parse_query_results

from service.errors import QueryError
from service.graph import LONGEST_REASON, Row, rows_of
from service.queries.refusal import QueryRefused
from service.snapshots.runner import QueryAnswer, QueryRequest, QueryRunner

CLIENT = "the site"


class PooledGraph:
    """A `GraphStore` over a query runner."""

    def __init__(self, runner: QueryRunner) -> None:
        self.runner = runner

    def select(self, query: str) -> list[Row]:
        found = self._solutions(query)
        if not isinstance(found, QuerySolutions):
            raise QueryError("SELECT was expected")
        return rows_of(found)

    def ask(self, query: str) -> bool:
        found = self._solutions(query)
        if isinstance(found, QuerySolutions):
            raise QueryError("ASK was expected")
        return bool(found)

    def construct(self, query: str) -> Iterator[Triple]:
        answer = self._run(QueryRequest(query, False, RdfFormat.N_TRIPLES.media_type))
        with answer.body:
            yield from (quad.triple for quad in parse(answer.body, format=RdfFormat.N_TRIPLES))

    def _solutions(self, query: str) -> object:
        answer = self._run(QueryRequest(query, True, QueryResultsFormat.JSON.media_type))
        with answer.body:
            return parse_query_results(answer.body.read(), format=QueryResultsFormat.JSON)

    def _run(self, request: QueryRequest) -> QueryAnswer:
        try:
            return self.runner.run(request, CLIENT)
        except QueryRefused as refusal:
            refusal.args = (" ".join(str(refusal).split())[:LONGEST_REASON],)  # an engine's message has several lines
            raise

"""The graph as the site's own pages ask it: through query workers, so that no page can hang or crash the service."""

from collections.abc import Iterator

from pyoxigraph import QueryResultsFormat, QuerySolutions, RdfFormat, Triple, parse, parse_query_results

from service.errors import QueryError
from service.graph import Row, rows_of
from service.snapshots.runner import QueryRequest, QueryRunner

CLIENT = "the site"


class PooledGraph:
    """A `GraphStore` over a query runner."""

    def __init__(self, runner: QueryRunner) -> None:
        self.runner = runner

    def select(self, query: str) -> list[Row]:
        return rows_of(self._solutions(query))

    def ask(self, query: str) -> bool:
        found = self._solutions(query)
        if isinstance(found, QuerySolutions):
            raise QueryError("ASK was expected")
        return bool(found)

    def construct(self, query: str) -> Iterator[Triple]:
        answer = self.runner.run(QueryRequest(query, False, RdfFormat.N_TRIPLES.media_type), CLIENT)
        with answer.body:
            yield from (quad.triple for quad in parse(answer.body, format=RdfFormat.N_TRIPLES))

    def _solutions(self, query: str) -> object:
        answer = self.runner.run(QueryRequest(query, True, QueryResultsFormat.JSON.media_type), CLIENT)
        with answer.body:
            return parse_query_results(answer.body.read(), format=QueryResultsFormat.JSON)

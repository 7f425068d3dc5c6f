"""The graph store behind one interface: embedded Oxigraph, or any SPARQL 1.1 endpoint.

Both answer over the union of their named graphs, in which every triple stands once.
"""

import io
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, cast

from pyoxigraph import (
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    Triple,
    parse,
    parse_query_results,
)
from SPARQLWrapper import JSON, N3, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import SPARQLWrapperException

from service.errors import DataError, QueryError

Term = NamedNode | Literal
Row = dict[str, Term]
"""A solution: the bound variables only, without the question mark."""


class GraphStore(Protocol):
    """Answers SPARQL 1.1 queries over the union of the named graphs."""

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query. Raises `QueryError`."""
        ...

    def ask(self, query: str) -> bool:
        """Run an ASK query. Raises `QueryError`."""
        ...

    def construct(self, query: str) -> Iterator[Triple]:
        """Run a CONSTRUCT or DESCRIBE query. Raises `QueryError`."""
        ...


class EmbeddedGraph:
    """Oxigraph in this process, over a store opened read-only or over one in memory."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(cls, path: Path) -> "EmbeddedGraph":
        """Open a published store read-only. Raises `DataError`."""
        try:
            return cls(Store.read_only(str(path)))
        except OSError as error:
            raise DataError(f"the graph store {path} cannot be opened: {error}") from error

    def select(self, query: str) -> list[Row]:
        solutions = cast(QuerySolutions, self._run(query))
        names = [variable.value for variable in solutions.variables]
        return [
            {name: term for name in names if (term := solution[name]) is not None} for solution in solutions
        ]

    def ask(self, query: str) -> bool:
        return bool(cast(QueryBoolean, self._run(query)))

    def construct(self, query: str) -> Iterator[Triple]:
        return iter(cast(QueryTriples, self._run(query)))

    def _run(self, query: str) -> QuerySolutions | QueryBoolean | QueryTriples:
        try:
            return self.store.query(query, use_default_graph_as_union=True)
        except (SyntaxError, OSError, ValueError) as error:
            raise QueryError(f"the graph store refused a query: {error}") from error


class RemoteGraph:
    """A SPARQL 1.1 endpoint by URL, whose default graph is the union of its named graphs.

    Queries go as form POST, which every server understands (Virtuoso hangs for ever on
    `application/sparql-query`).
    """

    def __init__(self, url: str, *, timeout: int = 30) -> None:
        self.url = url
        self.timeout = timeout

    def select(self, query: str) -> list[Row]:
        solutions = cast(
            QuerySolutions,
            parse_query_results(self._fetch(query, JSON), format=QueryResultsFormat.JSON),
        )
        names = [variable.value for variable in solutions.variables]
        return [
            {name: term for name in names if (term := solution[name]) is not None} for solution in solutions
        ]

    def ask(self, query: str) -> bool:
        return bool(parse_query_results(self._fetch(query, JSON), format=QueryResultsFormat.JSON))

    def construct(self, query: str) -> Iterator[Triple]:
        content = self._fetch(query, N3)
        return (quad.triple for quad in parse(io.BytesIO(content), format=RdfFormat.TURTLE))

    def _fetch(self, query: str, results: str) -> bytes:
        wrapper = SPARQLWrapper(self.url)
        wrapper.setMethod(POST)
        wrapper.setTimeout(self.timeout)
        wrapper.setReturnFormat(results)
        wrapper.setQuery(query)
        try:
            return cast(bytes, wrapper.query().response.read())
        except (SPARQLWrapperException, urllib.error.URLError, OSError) as error:
            raise QueryError(f"the endpoint {self.url} did not answer a query: {error}") from error


def text_of(row: Row, name: str) -> str | None:
    """The string of a term of a row, or None where the variable is unbound."""
    term = row.get(name)
    return term.value if term is not None else None

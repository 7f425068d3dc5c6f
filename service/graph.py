"""The graph store behind one interface: embedded Oxigraph, or any SPARQL 1.1 endpoint.

Both answer over the union of their named graphs, in which every triple stands once.
"""

import http.client
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Final, Protocol

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
from SPARQLWrapper import ASK, CONSTRUCT, JSON, N3, POST, SELECT, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import SPARQLWrapperException

from ontology import XSD
from service.errors import DataError, QueryError

Term = NamedNode | Literal
Row = dict[str, Term]
"""A solution: the bound variables only, without the question mark."""

LONGEST_REASON: Final = 500
"""Characters of an engine's own message that an error repeats."""


class GraphStore(Protocol):
    """Answers SPARQL 1.1 queries over the union of the named graphs."""

    def __hash__(self) -> int: ...
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
    """Oxigraph in this process, over a store opened read-only or over one in memory.

    `union` says whether queries go to the union of all graphs, in which Oxigraph counts a triple
    of two graphs twice, or to the store's default graph (see `Manifest.default_graph`).
    """

    def __init__(self, store: Store, *, union: bool = True) -> None:
        self.store, self.union = store, union

    @classmethod
    def open(cls, path: Path, *, union: bool = True) -> "EmbeddedGraph":
        """Open a published store read-only; `union` is its manifest's. Raises `DataError`."""
        try:
            return cls(Store.read_only(str(path)), union=union)
        except (OSError, RuntimeError) as error:  # the latter is what RocksDB finds corrupt
            raise DataError(f"the graph store {path} cannot be opened: {error}") from error

    def select(self, query: str) -> list[Row]:
        with _refusals("the graph store refused a query"):
            return rows_of(self._run(query))

    def ask(self, query: str) -> bool:
        with _refusals("the graph store refused a query"):
            return _truth(self._run(query))

    def construct(self, query: str) -> Iterator[Triple]:
        with _refusals("the graph store refused a query"):
            triples = self._run(query)
            if not isinstance(triples, QueryTriples):
                raise ValueError("CONSTRUCT or DESCRIBE was expected")
            yield from triples

    def _run(self, query: str) -> QuerySolutions | QueryBoolean | QueryTriples:
        return self.store.query(query, use_default_graph_as_union=self.union)


class RemoteGraph:
    """A SPARQL 1.1 endpoint by URL, whose default graph is the union of its named graphs.

    Queries go as form POST, which every server understands (Virtuoso hangs for ever on
    `application/sparql-query`).
    """

    def __init__(self, url: str, *, timeout: int = 30) -> None:
        self.url = url
        self.timeout = timeout

    def select(self, query: str) -> list[Row]:
        content = self._fetch(query, SELECT, JSON)
        with _refusals(f"{self.url} did not answer a query with SPARQL results"):
            return rows_of(parse_query_results(content, format=QueryResultsFormat.JSON))

    def ask(self, query: str) -> bool:
        content = self._fetch(query, ASK, JSON)
        with _refusals(f"{self.url} did not answer a query with SPARQL results"):
            return _truth(parse_query_results(content, format=QueryResultsFormat.JSON))

    def construct(self, query: str) -> Iterator[Triple]:
        content = self._fetch(query, CONSTRUCT, N3)
        with _refusals(f"{self.url} did not answer a query with Turtle"):
            yield from (quad.triple for quad in parse(io.BytesIO(content), format=RdfFormat.TURTLE))

    def _fetch(self, query: str, form: str, results: str) -> bytes:
        wrapper = SPARQLWrapper(self.url)
        wrapper.setMethod(POST)
        wrapper.setTimeout(self.timeout)
        wrapper.setReturnFormat(results)
        wrapper.setQuery(query)
        # SPARQLWrapper guesses the form from the text: "load" in a comment made a query an update.
        wrapper.queryType = form
        with _refusals(f"the endpoint {self.url} did not answer a query"):
            content: bytes = wrapper.query().response.read()
            return content


@contextmanager
def _refusals(what: str) -> Iterator[None]:
    """Turn what a store, an endpoint or a parser of its answers raises into a `QueryError`."""
    try:
        yield
    except (
        SPARQLWrapperException,
        http.client.HTTPException,
        SyntaxError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        reason = " ".join(str(error).split())
        raise QueryError(f"{what}: {reason[:LONGEST_REASON]}") from error


def rows_of(solutions: object) -> list[Row]:
    """The solutions of a SELECT query. Raises `ValueError` for anything else."""
    if not isinstance(solutions, QuerySolutions):
        raise ValueError("SELECT was expected")
    names = [variable.value for variable in solutions.variables]
    return [{name: term for name, term in zip(names, row, strict=True) if term is not None} for row in solutions]


def _truth(answer: QuerySolutions | QueryBoolean | QueryTriples) -> bool:
    if not isinstance(answer, QueryBoolean):
        raise ValueError("ASK was expected")
    return bool(answer)


def in_order(rows: Iterable[Row], *names: str) -> list[Row]:
    """Rows by the strings of these variables; unbound ones come first, as in SPARQL."""
    return sorted(rows, key=lambda row: tuple(text_of(row, name) or "" for name in names))


def day_literal(day: date) -> Literal:
    """A day as an `xsd:date` term."""
    return Literal(day.isoformat(), datatype=NamedNode(f"{XSD}date"))


def text_of(row: Row, name: str) -> str | None:
    """The string of a term of a row, or None where the variable is unbound."""
    term = row.get(name)
    return term.value if term is not None else None


def day_of(row: Row, name: str) -> date | None:
    """The day that a term of a row states, or None where the variable is unbound."""
    value = text_of(row, name)
    return date.fromisoformat(value) if value else None

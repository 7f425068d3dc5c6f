"""What runs a query for the public: the request, its answer, and the limits; workers or a remote store behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Final, Protocol

from service.queries.refusal import QueryRefused

IN_MEMORY: Final = 1 << 20
"""Bytes of an answer that are held in memory; what is longer goes to a temporary file."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may use."""

    seconds: float
    rows: int
    """Solutions of a table, triples of a graph."""
    bytes: int
    """Of the answer as it is written."""
    memory_mb: int
    """Of the process that evaluates it."""


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """One query, read and allowed."""

    text: str
    table: bool
    """Whether the answer is a table or a boolean; else it is a graph."""
    media_type: str
    base: str | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)
    shown_prefixes: Mapping[str, str] = field(default_factory=dict)
    """Prefixes that a graph is written with."""
    default_graphs: tuple[str, ...] | None = None
    """The dataset that the request or the query names; None is everything, with the union as default graph."""
    named_graphs: tuple[str, ...] = ()
    triples: str | None = None
    """What it is run over in place of the published data, as N-Triples; only a query worker can."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """A whole answer: nothing is given away before the last byte of it is here."""

    body: IO[bytes]
    """At its beginning."""
    length: int
    media_type: str
    seconds: float
    version: str
    """Of the data that it is of."""


class QueryRunner(Protocol):
    """Runs queries within limits."""

    limits: QueryLimits

    @property
    def version(self) -> str:
        """What the answers are of: changes when the data do."""
        ...

    def graphs(self) -> tuple[str, ...]:
        """The names of the graphs held."""
        ...

    def run(self, request: QueryRequest, client: str) -> QueryAnswer:
        """Run a query for a client. Raises `QueryRefused`."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


def too_late(limits: QueryLimits) -> QueryRefused:
    """The refusal of a query that took too long."""
    return QueryRefused(
        503,
        f"the query took longer than {limits.seconds:g} s, which is the limit; "
        "ask for less: LIMIT, a narrower pattern, VALUES",
        retry_after=60,
        limit="seconds",
    )


def too_long(limits: QueryLimits, limit: str) -> QueryRefused:
    """The refusal of an answer that passes `result_rows` or `result_bytes`."""
    value = f"{limits.rows:,} rows" if limit == "result_rows" else f"{limits.bytes:,} bytes"
    return QueryRefused(
        413,
        f"the answer is longer than {value}, which is the limit; nothing was cut off and nothing is given: "
        "ask for less (LIMIT and OFFSET with ORDER BY), or take a dump",
        limit=limit,
    )

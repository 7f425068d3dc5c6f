"""Stores that time what they are asked: the queries of each file, the searches of each collection."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from pyoxigraph import Triple

import sparql
from service.embedding import Vectors
from service.graph import GraphStore, Row
from service.vectors import Hit, VectorStore, Where
from tests.benchmarks.paper.figures import spread

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Lap:
    """One query or search as it ran; `rows` is 1 for an ASK or a count."""

    name: str
    milliseconds: float
    rows: int


@cache
def headers() -> Mapping[str, str]:
    """The name of each query by its first line, a comment that no other query begins with."""
    folders = sorted(entry.name for entry in files(sparql).iterdir() if entry.is_dir())
    names = (name for folder in folders for name in sparql.names(folder))
    return {sparql.query(name).split("\n", 1)[0]: name for name in names}


def name_of(text: str) -> str:
    """The file that a query came from, such as `"retrieval/texts"`, whatever values were bound; or its first line."""
    first = text.strip().split("\n", 1)[0]
    return headers().get(first, first[:60])


class Watch:
    """Times pieces of work, and keeps the laps until they are taken."""

    def __init__(self) -> None:
        self._laps: list[Lap] = []

    def time(self, name: str, run: Callable[[], _T], rows: Callable[[_T], int]) -> _T:
        begin = time.perf_counter()
        result = run()
        self._laps.append(Lap(name, (time.perf_counter() - begin) * 1000, rows(result)))
        return result

    def take(self) -> tuple[Lap, ...]:
        """What ran since this was called last."""
        taken = tuple(self._laps)
        self._laps.clear()
        return taken


class TimedGraph:
    """Passes everything on to another graph store, under a watch."""

    def __init__(self, graph: GraphStore, watch: Watch) -> None:
        self._graph, self._watch = graph, watch

    def select(self, query: str) -> list[Row]:
        return self._watch.time(name_of(query), lambda: self._graph.select(query), len)

    def ask(self, query: str) -> bool:
        return self._watch.time(name_of(query), lambda: self._graph.ask(query), lambda _: 1)

    def construct(self, query: str) -> Iterator[Triple]:
        def run() -> list[Triple]:
            return list(self._graph.construct(query))

        triples = self._watch.time(name_of(query), run, len)
        return iter(triples)


class TimedVectors:
    """Passes everything on to another vector store, under a watch; lookups by IRI are told apart."""

    def __init__(self, vectors: VectorStore, watch: Watch) -> None:
        self._vectors, self._watch = vectors, watch

    def nearest(
        self, collection: str, vector: Vectors, *, limit: int, where: Where = Where(), at_least: float | None = None
    ) -> list[Hit]:
        name = f"nearest {collection}{'' if where.iris is None else ' among some'}"
        found = self._vectors.nearest
        return self._watch.time(
            name, lambda: found(collection, vector, limit=limit, where=where, at_least=at_least), len
        )

    def lexical(self, collection: str, text: str, *, limit: int, where: Where = Where()) -> list[Hit]:
        found = self._vectors.lexical
        return self._watch.time(f"lexical {collection}", lambda: found(collection, text, limit=limit, where=where), len)

    def count(self, collection: str) -> int:
        return self._watch.time(f"count {collection}", lambda: self._vectors.count(collection), lambda _: 1)

    def vectors(self, collection: str, iris: Sequence[str]) -> dict[str, Vectors]:
        return self._watch.time(f"vectors {collection}", lambda: self._vectors.vectors(collection, iris), len)


def by_name(laps: Iterable[Lap], questions: int) -> dict[str, dict[str, Any]]:
    """Of each query or search: median and 95th percentile (ms), runs and ms a question, rows; most costly first."""
    found: defaultdict[str, list[Lap]] = defaultdict(list)
    for lap in laps:
        found[lap.name].append(lap)
    table = {
        name: {
            **spread(lap.milliseconds for lap in those),
            "per_question": round(len(those) / questions, 2),
            "ms_per_question": round(sum(lap.milliseconds for lap in those) / questions, 2),
            "rows": spread((lap.rows for lap in those), 0)["median"],
        }
        for name, those in found.items()
    }
    return dict(sorted(table.items(), key=lambda item: -item[1]["ms_per_question"]))

"""The vector index behind one interface: Qdrant embedded in this process, or a Qdrant server.

Scores are cosines for dense searches and BM25 for lexical ones, and never mixed. All that can
be ranked or filtered by Qdrant is: the compass alone, which finds axes, fetches vectors into Python.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import qdrant_edge as edge

from service.embedding import Vectors
from service.errors import DataError

CHUNKS: Final = "chunks"
ACTS: Final = "acts"
PROFILES: Final = "profiles"
COMMITTEES: Final = "committees"
CONCEPTS: Final = "concepts"

KEYWORD_FIELDS: Final = {
    CHUNKS: ("speech", "speaker", "bloc"),
    PROFILES: ("speaker", "kind"),
}
INTEGER_FIELDS: Final = {CHUNKS: ("day",), ACTS: ("day",)}

Payload = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Point:
    """What is indexed of one resource; `text` feeds BM25, and is not stored."""

    iri: str
    vector: Vectors
    text: str | None
    payload: Payload


@dataclass(frozen=True, slots=True)
class Hit:
    """A resource that a search found, with its score and payload."""

    iri: str
    score: float
    payload: Payload


@dataclass(frozen=True, slots=True)
class Where:
    """A filter inside the search: each field holds one of its values, and days lie in the range."""

    any_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    day_from: int | None = None
    day_until: int | None = None
    iris: tuple[str, ...] | None = None

    @property
    def excludes_all(self) -> bool:
        """Whether some field has no allowed value, so that nothing can match."""
        return self.iris == () or any(not values for values in self.any_of.values())

    @property
    def days_alone(self) -> bool:
        """Whether days are limited, and nothing else."""
        limited = self.day_from is not None or self.day_until is not None
        return limited and not self.any_of and self.iris is None

    def holds(self, day: int) -> bool:
        """Whether a day lies in the range."""
        return (self.day_from is None or self.day_from <= day) and (self.day_until is None or day <= self.day_until)

    def narrowed(self, **any_of: Sequence[str]) -> "Where":
        """The same filter with further fields bound; a field bound twice keeps what both allow."""
        merged = dict(self.any_of)
        for name, values in any_of.items():
            earlier = merged.get(name)
            merged[name] = tuple(v for v in values if earlier is None or v in earlier)
        return Where(merged, self.day_from, self.day_until, self.iris)

    def only(self, iris: Iterable[str]) -> "Where":
        """The same filter over these resources alone: how what was found by its words is given its cosine."""
        return Where(self.any_of, self.day_from, self.day_until, tuple(iris))


class VectorStore(Protocol):
    """Searches the collections of one corpus. Results are ordered by score, then by IRI."""

    def nearest(
        self,
        collection: str,
        vector: Vectors,
        *,
        limit: int,
        where: Where = Where(),
        at_least: float | None = None,
    ) -> list[Hit]:
        """The resources with the highest cosine to `vector`, of at least `at_least`."""
        ...

    def lexical(self, collection: str, text: str, *, limit: int, where: Where = Where()) -> list[Hit]:
        """The resources with the highest BM25 score for the words of `text`; none scores 0."""
        ...

    def count(self, collection: str) -> int:
        """How many resources a collection holds."""
        ...

    def vectors(self, collection: str, iris: Sequence[str]) -> dict[str, Vectors]:
        """The dense vectors of resources by IRI; one that the collection does not hold is left out.

        The compass alone needs them: whatever Qdrant can rank or filter, it does.
        """
        ...


class VectorWriter(Protocol):
    """Fills the collections of a new corpus."""

    def create(self, collection: str, dimensions: int) -> None: ...
    def add(self, collection: str, points: Sequence[Point]) -> None: ...
    def finish(self) -> None:
        """Make all that was added durable and quick to search."""
        ...


def point_id(iri: str) -> str:
    """Qdrant's id of a resource: a UUID made of its IRI."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, iri))


def bm25(language: str = "italian") -> edge.Bm25:
    """The lexical model; a server gets the same sparse vectors."""
    return edge.Bm25(edge.Bm25Config(language=language, ascii_folding=True, avg_len=120))


def ordered(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in the total order: by score, then by IRI."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.iri))


def first_of(fetch: Callable[[int], list[Hit]], limit: int) -> list[Hit]:
    """The first `limit` hits in the total order.

    Qdrant cuts among equal scores as it likes, so all hits that share the last score are
    fetched before the cut.
    """
    wanted = limit + 1
    while True:
        hits = fetch(wanted)
        if len(hits) < wanted or hits[-1].score < hits[limit - 1].score:
            return hits[:limit]
        wanted *= 2


@contextmanager
def problems(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn what an engine raises into a `DataError`."""
    try:
        yield
    except kinds as error:
        reason = " ".join(str(error).split())[:500]
        # Qdrant Edge writes into its folder whenever it opens it.
        advice = "its folder must be writable" if "ermission denied" in reason else "load the data again"
        raise DataError(f"{what}: {reason}; {advice}") from error


def hit_of(score: float, payload: Mapping[str, Any]) -> Hit:
    """A hit of what an engine returns."""
    rest = dict(payload)
    return Hit(str(rest.pop("iri")), float(score), rest)

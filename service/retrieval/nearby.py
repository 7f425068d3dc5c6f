"""The passages near a question, found in one pass over the index; every channel chooses from them.

A filter makes the engine look at passages in the order of the filter instead of that of the memory, which costs
more than reading on: so one search without further filters takes the place of one for each channel.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from service.corpus import Corpus
from service.question import Question
from service.settings import RetrievalSettings
from service.vectors import CHUNKS, Hit

HORIZON: Final = 10_000
"""Passages that are looked at by their nearness, at most."""
LEXICAL: Final = 400
"""Passages that are looked at by their words, at most."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """Passages within a question's filters, each kind in its order."""

    dense: tuple[Hit, ...]
    """Those of at least the cosine `least`, up to the horizon."""
    lexical: tuple[Hit, ...]
    least: float

    @property
    def complete(self) -> bool:
        """Whether none of at least `least` lies beyond the horizon."""
        return len(self.dense) < HORIZON

    def down_to(self, cosine: float | None) -> tuple[Hit, ...]:
        """Those of at least a cosine."""
        if cosine is None or cosine <= self.least:
            return self.dense
        return self.dense[: bisect_right(self.dense, -cosine, key=lambda hit: -hit.score)]


def search(
    question: Question, corpus: Corpus, settings: RetrievalSettings, *, relevance: float | None = None
) -> Nearby:
    """Find what is near enough for any channel, or down to a lower relevance, and what holds the question's words."""
    relevances = (settings.minimum_relevance, relevance)
    least = corpus.embedder.calibration.cosine(min(value for value in relevances if value is not None))
    where = question.where
    dense = corpus.vectors.nearest(CHUNKS, question.vector, limit=HORIZON, where=where, at_least=least)
    lexical = corpus.vectors.lexical(CHUNKS, question.lexical, limit=max(LEXICAL, settings.top_k), where=where)
    return Nearby(tuple(dense), tuple(lexical), least)


def nearest(
    question: Question,
    corpus: Corpus,
    near: Nearby,
    *,
    limit: int,
    at_least: float | None = None,
    **any_of: Collection[str],
) -> list[Hit]:
    """The nearest passages of at least a cosine whose fields hold one of some values, as a search would find them.

    Beyond what is nearby they are searched for.
    """
    fitting: Iterable[Hit] = near.down_to(at_least)
    for name, values in any_of.items():
        fitting = _holding(fitting, name, frozenset(values))
    found = list(islice(fitting, limit))
    if len(found) == limit or (near.complete and at_least is not None and at_least >= near.least):
        return found
    where = question.where.narrowed(**{name: sorted(values) for name, values in any_of.items()})
    return corpus.vectors.nearest(CHUNKS, question.vector, limit=limit, where=where, at_least=at_least)


def _holding(hits: Iterable[Hit], name: str, values: Collection[str]) -> Iterator[Hit]:
    return (hit for hit in hits if hit.payload.get(name) in values)

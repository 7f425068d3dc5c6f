"""Speeches of a stated number of chunks, made of the words of a topic."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from loaders.text import CHUNK_OVERLAP, CHUNK_SIZE, SHORTEST_TAIL
from tests.benchmarks.generator.words import CONNECTORS, FIGURES, OPENINGS, vocabulary

FACETS: Final = 8
"""Sides of a topic: each prefers other words of it."""
_TOPICAL, _SIDE_TOPIC = 0.50, 0.08
_MARKS: Final = np.array([*".........", "?", "!"])
_LONGEST_SENTENCE: Final = 30
"""Content words; some 300 characters, so that every chunk but the last takes a whole sentence more."""


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """What somebody says; `chunks` is how many the loader will cut it into."""

    texts: tuple[str, ...]
    chunks: int


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    items: NDArray[np.object_]
    general: NDArray[np.float64]
    facets: tuple[tuple[NDArray[np.int64], ...], ...]
    """For each topic and facet, the places of its words in `items`, the most used first."""
    topical: NDArray[np.float64]
    connectors: NDArray[np.object_]
    connector_odds: NDArray[np.float64]
    openings: NDArray[np.object_]
    opening_odds: NDArray[np.float64]


def speech(rng: np.random.Generator, topic: int, facet: int, side_topic: int, chunks: int, resumed: bool) -> Paragraphs:
    """A speech on a topic that the loader cuts into exactly `chunks` chunks; one that is resumed begins with "…"."""
    drafts = _sentences(rng, topic, facet, side_topic, chunks * 9 + 10)
    if resumed:
        drafts[0] = "…" + drafts[0][0].lower() + drafts[0][1:]
    elif rng.random() < 0.6:
        drafts[0] = f"Grazie, Presidente. {drafts[0]}" if rng.random() < 0.7 else f"Signor Presidente, {drafts[0]}"
    least = float(rng.uniform(150, 1_100)) if chunks > 1 else float(np.exp(rng.normal(5.9, 0.8)))
    while True:
        asides = rng.random(len(drafts)) < 0.02
        asides[0] = False
        last = _cut(drafts, asides, chunks, min(least, CHUNK_SIZE - 150.0))
        if last is not None:
            break
        drafts += _sentences(rng, topic, facet, side_topic, 16)
    marks = rng.choice(_MARKS, last)
    texts: list[str] = []
    paragraph: list[str] = []
    for draft, aside, mark in zip(drafts, asides, marks, strict=False):
        paragraph.append(f"{draft} (Applausi)." if aside else f"{draft}{mark}")
        if rng.random() < 0.14:
            texts.append(" ".join(paragraph))
            paragraph = []
    if paragraph:
        texts.append(" ".join(paragraph))
    return Paragraphs(tuple(texts), chunks)


def phrase(rng: np.random.Generator, topic: int, words: int) -> str:
    """So many words of a topic with what joins them, such as for the title of an act."""
    tables = _tables()
    places = tables.facets[topic][int(rng.integers(FACETS))]
    chosen = tables.items[places[np.searchsorted(tables.topical, rng.random(words))]]
    joins = tables.connectors[np.searchsorted(tables.connector_odds, rng.random(words))]
    return "".join(f"{join}{word}" for join, word in zip(joins, chosen, strict=True)).strip(" ,:;")


def _sentences(rng: np.random.Generator, topic: int, facet: int, side_topic: int, number: int) -> list[str]:
    """Sentences without their stops."""
    tables = _tables()
    lengths = np.clip(np.exp(rng.normal(2.35, 0.45, number)), 3, _LONGEST_SENTENCE).astype(np.int64)
    ends = np.cumsum(lengths)
    size = int(ends[-1])
    kind, place = rng.random(size), rng.random(size)
    words = np.searchsorted(tables.general, place)
    topical = np.searchsorted(tables.topical, place)
    np.copyto(words, tables.facets[side_topic][facet][topical], where=kind < _TOPICAL + _SIDE_TOPIC)
    np.copyto(words, tables.facets[topic][facet][topical], where=kind < _TOPICAL)
    tokens = np.empty(2 * size, object)
    tokens[0::2] = tables.connectors[np.searchsorted(tables.connector_odds, rng.random(size))]
    tokens[1::2] = tables.items[words]
    begins = ends - lengths
    tokens[2 * begins] = tables.openings[np.searchsorted(tables.opening_odds, rng.random(number))]
    listed = tokens.tolist()
    found = ["".join(listed[2 * begin : 2 * end]) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    for which in np.flatnonzero(rng.random(number) < 0.06).tolist():
        figure = FIGURES[int(rng.integers(len(FIGURES)))].format(int(rng.integers(2, 90)))
        found[which] += f", {figure}"
    return found


def _cut(drafts: list[str], asides: NDArray[np.bool_], chunks: int, least: float) -> int | None:
    """How many drafts make so many chunks, the last of `least` characters or more if that can be.

    None if there are too few drafts. It cuts as `loaders.text.chunks` does, from the lengths alone.
    """
    starts: list[int] = []
    ends: list[int] = []
    place = first = closed = former = 0
    for number, draft in enumerate(drafts):
        for offset, length in _units(draft):
            begin = place + offset
            # A stage direction and the stop after it stand outside of the sentence.
            end = begin + length + (0 if asides[number] and offset + length == len(draft) else 1)
            starts.append(begin)
            ends.append(end)
            if end - starts[first] > CHUNK_SIZE:
                if closed == chunks - 1:  # a long sentence went from too little to too much
                    return number
                last = len(starts) - 2
                former = ends[last]
                closed += 1
                back = last + 1
                while back - 1 > first and ends[last] - starts[back - 1] <= CHUNK_OVERLAP:
                    back -= 1
                first = back
        place += len(draft) + (len(" (Applausi).") if asides[number] else 1) + 1
        if closed == chunks - 1 and ends[-1] - starts[first] >= least and ends[-1] - former >= SHORTEST_TAIL:
            return number + 1
    return None


def _units(draft: str) -> list[tuple[int, int]]:
    """Offset and length, without the stop, of the one or two sentences of a draft."""
    thanks = "Grazie, Presidente."
    if draft.startswith(thanks):
        return [(0, len(thanks) - 1), (len(thanks) + 1, len(draft) - len(thanks) - 1)]
    return [(0, len(draft))]


@cache
def _tables() -> _Tables:
    """Words and odds as arrays; made once in a process."""
    known = vocabulary()
    items = [*known.general, *(item for topic in known.topics for item in topic.items)]
    rng = np.random.default_rng(7)
    facets = []
    begin = len(known.general)
    size = min(len(topic.items) for topic in known.topics)
    for topic in known.topics:
        places = np.arange(begin, begin + size)
        begin += len(topic.items)
        # The name, the phrases and a first real word are common to all facets, the others come in another order.
        head, real, others = places[:5], places[5:30], places[30:]
        facets.append(
            tuple(np.concatenate([head, rng.permutation(real), rng.permutation(others)]) for _ in range(FACETS))
        )
    return _Tables(
        items=np.array(items, object),
        general=_zipf(len(known.general), 6.0, 1.0),
        facets=tuple(facets),
        topical=_zipf(size, 12.0, 0.95),
        connectors=np.array([text for text, _ in CONNECTORS], object),
        connector_odds=_odds([weight for _, weight in CONNECTORS]),
        openings=np.array([text for text, _ in OPENINGS], object),
        opening_odds=_odds([weight for _, weight in OPENINGS]),
    )


def _zipf(number: int, offset: float, exponent: float) -> NDArray[np.float64]:
    return _odds(((np.arange(number) + offset) ** -exponent).tolist())


def _odds(weights: list[float]) -> NDArray[np.float64]:
    """Cumulated odds, the last above every random number."""
    cumulated: NDArray[np.float64] = np.cumsum(weights) / np.sum(weights)
    cumulated[-1] = 1.0
    return cumulated

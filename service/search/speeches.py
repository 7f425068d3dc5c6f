"""Speeches found by their words, by meaning or both: passages from the index, grouped by speech."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

import sparql
from service.corpus import Corpus
from service.embedding import Vectors
from service.search.heads import Head, read_heads
from service.search.request import Matched, Mode
from service.search.scope import Scope, listed
from service.search.words import Query, marks, stands
from service.vectors import CHUNKS, Hit, Where

CANDIDATES: Final = 500
"""Passages that are fetched by each way."""
REQUIRED: Final = 2000
"""The same where phrases or words must stand in the text, which BM25 cannot see."""
SHORTEST: Final = 60
"""Code points of a passage that may be near in meaning; a few words are near to anything."""
LISTED: Final = 1000
"""Speeches that a search without a text lists."""
SITTINGS_AT_ONCE: Final = 10
WALKED: Final = 10_000
"""Speeches that such a search looks at."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that was found, with the scores of the ways by which it was."""

    chunk: str
    speech: str
    start: int
    end: int
    day: int
    lexical: float | None
    similarity: float | None
    relevance: float | None
    score: float
    holds: int
    """How many of the words stand in it."""


@dataclass(frozen=True, slots=True)
class Group:
    """The passages of one speech, the best first."""

    speech: str
    matched: Matched
    passages: tuple[Passage, ...]

    @property
    def best(self) -> Passage:
        return self.passages[0]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Everything that was found, in order; there may be more where `at_least`."""

    groups: tuple[Group, ...]
    at_least: bool

    @property
    def passages(self) -> int:
        return sum(len(group.passages) for group in self.groups)


def find(
    query: Query,
    vector: Vectors | None,
    mode: Mode,
    scope: Scope,
    corpus: Corpus,
    *,
    minimum: float,
    lexical_weight: float,
) -> Candidates:
    """Search for passages and group them by speech, best first.

    Every filter is inside both searches. A passage that was found by words alone is kept only if its
    speech holds one of them, and everything required; one that was found by meaning alone, if its
    calibrated relevance is `minimum` at least. Speeches with all the words come before the others.
    """
    where = scope.where
    limit = REQUIRED if query.required else CANDIDATES
    words = corpus.vectors.lexical(CHUNKS, query.lexical, limit=limit, where=where) if mode != "semantic" else []
    near = _near(vector, where, corpus, minimum) if mode != "text" and vector is not None else []
    cosines = {hit.iri: hit.score for hit in near}
    if mode == "hybrid" and vector is not None:
        missing = [hit.iri for hit in words if hit.iri not in cosines][:CANDIDATES]
        rest = corpus.vectors.nearest(CHUNKS, vector, limit=len(missing), where=where.only(missing))
        cosines |= {hit.iri: hit.score for hit in rest}
    lexical = {hit.iri: hit.score for hit in words}
    hits = {hit.iri: hit for hit in (*near, *words)}
    texts = read_texts({str(hit.payload["speech"]) for hit in hits.values()}, corpus)
    by_speech: defaultdict[str, list[Hit]] = defaultdict(list)
    for hit in hits.values():
        by_speech[str(hit.payload["speech"])].append(hit)
    relevance = corpus.embedder.calibration.relevance
    best_words = max(lexical.values(), default=0.0) or 1.0
    best_near = max(map(relevance, cosines.values()), default=0.0) or 1.0
    groups = []
    for speech, members in by_speech.items():
        text = texts.get(speech)
        if text is None or (mode != "semantic" and not all(stands(w, text) for w in query.required)):
            continue
        held = [w for w in query.wanted if stands(w, text)] if mode != "semantic" else []
        complete = bool(query.wanted) and len(held) == len(query.wanted)
        passages = []
        for hit in members:
            start, end = int(hit.payload["start"]), int(hit.payload["end"])
            holds = sum(bool(marks([w], text, start, end)) for w in held)
            cosine = cosines.get(hit.iri)
            relevant = relevance(cosine) if cosine is not None else None
            is_near = relevant is not None and relevant >= minimum and end - start >= SHORTEST
            if not (holds if mode == "text" else is_near or (complete and holds)):
                continue
            share = 1.0 if mode == "text" else lexical_weight if mode == "hybrid" else 0.0
            score = share * lexical.get(hit.iri, 0.0) / best_words + (1 - share) * (relevant or 0.0) / best_near
            day = int(hit.payload["day"])
            passages.append(
                Passage(hit.iri, speech, start, end, day, lexical.get(hit.iri), cosine, relevant, score, holds)
            )
        if passages:
            matched: Matched = "words" if complete else "some" if mode == "text" else "meaning"
            passages.sort(key=lambda p: (-p.holds if complete else 0, -p.score, p.chunk))
            groups.append(Group(speech, matched, tuple(passages)))
    order: dict[Matched, int] = {"words": 0, "some": 1, "meaning": 1, "listed": 2}
    groups.sort(key=lambda group: (order[group.matched], -max(p.score for p in group.passages), group.speech))
    return Candidates(tuple(groups), len(words) >= limit or len(near) >= CANDIDATES)


def _near(vector: Vectors, where: Where, corpus: Corpus, minimum: float) -> list[Hit]:
    floor = corpus.embedder.calibration.cosine(minimum)
    return corpus.vectors.nearest(CHUNKS, vector, limit=CANDIDATES, where=where, at_least=floor)


def read_texts(speeches: Iterable[str], corpus: Corpus) -> dict[str, str]:
    """The texts of speeches, in one query."""
    wanted = [NamedNode(iri) for iri in sorted(set(speeches))]
    if not wanted:
        return {}
    rows = corpus.graph.select(sparql.bind(sparql.query("retrieval/texts"), "?speech", wanted))
    return {row["speech"].value: row["text"].value for row in rows}


def latest(scope: Scope, corpus: Corpus) -> tuple[list[Head], bool]:
    """The latest speeches that the filters allow, and whether there may be more."""
    graph = corpus.graph
    if scope.speeches is not None:
        return _allowed(read_heads(scope.speeches[:WALKED], graph), scope), len(scope.speeches) > WALKED
    if scope.filters.speakers:
        nodes = [NamedNode(iri) for iri in scope.filters.speakers]
        speeches = listed("of-speakers", "?speaker", nodes, "speech", graph)
        return _allowed(read_heads(speeches[:WALKED], graph), scope), len(speeches) > WALKED
    first, last = scope.filters.date_from, scope.until
    sittings = [
        row["sitting"].value
        for row in graph.select(sparql.query("search/sittings"))
        if (first is None or row["date"].value[:10] >= first.isoformat()) and row["date"].value[:10] <= last.isoformat()
    ]
    found: list[Head] = []
    seen = 0
    for at in range(0, len(sittings), SITTINGS_AT_ONCE):
        if len(found) >= LISTED or seen >= WALKED:
            return found, True
        some = [NamedNode(iri) for iri in sittings[at : at + SITTINGS_AT_ONCE]]
        speeches = listed("of-sittings", "?sitting", some, "speech", graph)
        seen += len(speeches)
        found += _allowed(read_heads(speeches, graph), scope)
    return found, False


def _allowed(heads: Mapping[str, Head], scope: Scope) -> list[Head]:
    """The heads that the filters allow, the latest first. The chair's turns only if they are asked for."""
    filters = scope.filters
    kept = [
        head
        for head in heads.values()
        if head.date <= scope.until
        and (filters.date_from is None or head.date >= filters.date_from)
        and (not filters.speakers or head.speaker in filters.speakers)
        and (not filters.groups or head.bloc in filters.groups)
        and (head.capacity == scope.capacity if scope.capacity else head.capacity != "chair")
    ]
    return sorted(kept, key=lambda head: head.latest_first)

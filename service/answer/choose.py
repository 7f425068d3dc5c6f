"""Which sentences a section quotes: near the question, of speakers with standing, none twice."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.answer.candidates import Candidate, blemishes
from service.corpus import Corpus
from service.embedding import Vectors
from service.question import Question
from service.thesaurus import content_words, stems

READ: Final = 8
"""Candidates a bloc that are compared with the question by their own vectors, at a time."""
ROUNDS: Final = 3
"""How often further candidates are read while a bloc has fewer than two quotations."""
MOST: Final = 3
"""Quotations of a section."""
NEAR: Final = 0.45
"""Relevance from which a sentence that does not name the topic is still about it."""
PASSAGE_NEAR: Final = 0.60
"""Relevance of a passage from which a sentence in it is about the topic if it has a word of it."""
ABOUT_ACT: Final = 0.10
"""What it adds that the sentence was said in a debate on an act near the question."""
LEAST: Final = 0.33
"""Least quality of a quotation; below it "none suitable" is the result."""


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """A candidate with its own relevance to the question and its quality, both in [0, 1]."""

    candidate: Candidate
    relevance: float
    quality: float
    vector: Vectors


def choose(
    question: Question,
    corpus: Corpus,
    candidates: Sequence[Candidate],
    authority: Mapping[str, float],
    acts: Mapping[str, float],
) -> dict[str, tuple[Candidate, ...]]:
    """Choose each bloc's quotations, in order of date, the latest last.

    `authority` is by speaker; `acts` gives the relevance of the acts near the question.

    No two of the whole answer say the same, and a speaker is quoted twice only where the
    bloc's others have nothing to quote.
    """
    by_bloc: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_bloc[candidate.evidence.bloc].append(candidate)
    words = frozenset(content_words(question.lexical))
    queues: dict[str, list[Candidate]] = {}
    for bloc in sorted(by_bloc):
        first = sorted(by_bloc[bloc], key=lambda c: (-_promise(c, words, corpus, acts), c.evidence.chunk, c.span))
        queues[bloc] = _spread(first)
    # What every bloc is read first is embedded in one call: a model works on many texts at once, and is far away.
    vectors = _vectors(corpus, [candidate for queue in queues.values() for candidate in queue[:READ]])
    chosen: dict[str, tuple[Candidate, ...]] = {}
    taken: list[Vectors] = []
    for bloc, queue in queues.items():
        rated: list[Rated] = []
        picked: list[Rated] = []
        for at in range(0, min(len(queue), READ * ROUNDS), READ):
            if at:
                vectors |= _vectors(corpus, queue[at : at + READ])
            rated += _rate(question, corpus, queue[at : at + READ], vectors, words, acts)
            picked = _pick(rated, authority, taken, corpus.embedder.calibration.same)
            if len(picked) > 1:
                break
        taken += [item.vector for item in picked]
        quoted = [item.candidate for item in picked]
        chosen[bloc] = tuple(sorted(quoted, key=lambda c: (c.evidence.speech.date, c.evidence.speech.iri, c.span)))
    return chosen


def _promise(candidate: Candidate, words: frozenset[str], corpus: Corpus, acts: Mapping[str, float]) -> float:
    """What can be told of a candidate without a vector of its own."""
    relevance = corpus.embedder.calibration.relevance(candidate.evidence.similarity)
    return (
        0.45 * relevance
        + 0.25 * candidate.salience
        + 0.30 * _overlap(candidate, words)
        + _about_act(candidate, acts)
        - 0.05 * min(3, blemishes(candidate.text))
    )


def _names_topic(candidate: Candidate, question: Question) -> bool:
    """Whether a sentence holds half of the topic's content words, or a label of one of its concepts."""
    said = stems(candidate.text)
    topic = content_words(question.topic)
    if topic and 2 * len(set(topic).intersection(said)) >= len(set(topic)):
        return True
    text = f" {' '.join(said)} "
    return any(f" {' '.join(stems(label))} " in text for c in question.concepts for label in c.labels)


def _about_act(candidate: Candidate, acts: Mapping[str, float]) -> float:
    return ABOUT_ACT * acts.get(candidate.evidence.speech.act or "", 0.0)


def _overlap(candidate: Candidate, words: frozenset[str]) -> float:
    """Words of the question (and of its concepts) in the sentence; three are enough."""
    return min(1.0, len(words.intersection(w for w in stems(candidate.text) if len(w) > 3)) / 3)


def _spread(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, at most three of one speaker before the others had their turn."""
    counts: defaultdict[str | None, int] = defaultdict(int)
    kept: list[Candidate] = []
    spare: list[Candidate] = []
    for candidate in candidates:
        speaker = candidate.evidence.speech.speaker
        counts[speaker] += 1
        (kept if counts[speaker] <= 3 else spare).append(candidate)
    return [*kept, *spare]


def _vectors(corpus: Corpus, candidates: Sequence[Candidate]) -> dict[Candidate, Vectors]:
    """Each candidate's own vector."""
    vectors = corpus.embedder.passages([candidate.text for candidate in candidates])
    return dict(zip(candidates, vectors, strict=True))


def _rate(
    question: Question,
    corpus: Corpus,
    candidates: Sequence[Candidate],
    vectors: Mapping[Candidate, Vectors],
    words: frozenset[str],
    acts: Mapping[str, float],
) -> list[Rated]:
    rated = []
    for candidate in candidates:
        vector = vectors[candidate]
        relevance = corpus.embedder.calibration.relevance(float(np.dot(vector, question.vector)))
        passage = corpus.embedder.calibration.relevance(candidate.evidence.similarity)
        shares = _overlap(candidate, words) > 0 and passage >= PASSAGE_NEAR
        if relevance < NEAR and not shares and not _names_topic(candidate, question):
            continue
        quality = (
            0.50 * relevance
            + 0.20 * candidate.salience
            + 0.15 * _overlap(candidate, words)
            + _about_act(candidate, acts)
            + 0.15 * passage
            - 0.04 * min(3, blemishes(candidate.text))
        )
        rated.append(Rated(candidate, relevance, quality, vector))
    return rated


def _pick(rated: Sequence[Rated], authority: Mapping[str, float], taken: Sequence[Vectors], same: float) -> list[Rated]:
    """Take the best of each speaker in the order of quality and standing, then second ones.

    Nothing that says the same (from the cosine `same` on) as `taken`, the quotations of other
    blocs, or as another of this one.
    """
    ranked = sorted(
        (item for item in rated if item.quality >= LEAST),
        key=lambda item: (
            -(0.7 * item.quality + 0.3 * authority.get(item.candidate.evidence.speech.speaker or "", 0.0)),
            item.candidate.evidence.chunk,
            item.candidate.span,
        ),
    )
    picked: list[Rated] = []
    speakers: set[str | None] = set()
    speeches: set[str] = set()
    for only_new_speakers in (True, False):
        for item in ranked:
            speech = item.candidate.evidence.speech
            if len(picked) == MOST or item in picked:
                continue
            if only_new_speakers and speech.speaker in speakers:
                continue
            if not only_new_speakers and (speech.iri in speeches or len(picked) >= 2):
                continue
            said = (*taken, *(other.vector for other in picked))
            if any(float(np.dot(item.vector, other)) >= same for other in said):
                continue
            picked.append(item)
            speakers.add(speech.speaker)
            speeches.add(speech.iri)
    return picked

"""Whether a topic was spoken of at all, where the vectors alone leave it in doubt.

A sentence model finds something near for any question. Between its clearly unrelated and its
clearly related levels, the words of the question decide: they, or another label of the
thesaurus concept that they name, must stand in the nearest passages.
"""

from collections.abc import Sequence
from typing import Final

from service.corpus import Corpus
from service.evidence import Candidate
from service.question import Question
from service.retrieval.records import speeches
from service.thesaurus import Concept, content_words, stems

NEAREST: Final = 15
"""Passages that are read."""
SHARE: Final = 0.5
"""More than this share of the question's words must be supported."""


def spoken_of(question: Question, corpus: Corpus, best_relevance: float, pool: Sequence[Candidate]) -> bool:
    """Decide whether there is evidence at all. `pool` is ordered by similarity, nearest first."""
    calibration = corpus.embedder.calibration
    if best_relevance >= calibration.on_topic:
        return True
    if best_relevance < calibration.doubtful:
        return False
    nearest = sorted(pool, key=lambda found: (-found.similarity, found.chunk))[:NEAREST]
    records = speeches((found.speech for found in nearest), corpus)
    passages = [stems(records[f.speech].text[f.start : f.end]) for f in nearest]
    return supported_share(question.topic, question.concepts, passages) > SHARE


def supported_share(topic: str, concepts: Sequence[Concept], passages: Sequence[Sequence[str]]) -> float:
    """The highest share of a topic's content words that one passage supports, in [0, 1].

    A word is supported where it stands in the passage, or where it belongs to a label of a
    concept and the passage holds another label of that concept.
    """
    words = content_words(topic)
    if not words:
        return 0.0
    labels = [(concept, [stems(label) for label in concept.labels]) for concept in concepts]
    best = 0.0
    for passage in passages:
        present = set(passage)
        text = f" {' '.join(passage)} "
        named: set[str] = set()
        for _, keys in labels:
            if any(f" {' '.join(key)} " in text for key in keys):
                in_topic = [key for key in keys if f" {' '.join(key)} " in f" {' '.join(stems(topic))} "]
                named.update(word for key in in_topic for word in key)
        best = max(best, sum(word in present or word in named for word in words) / len(words))
    return best

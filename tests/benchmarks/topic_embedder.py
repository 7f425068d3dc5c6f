"""A fast embedder that knows the topics of generated parliaments, so that indexes are measured apart from models.

A word is a random direction made from its letters, and a known word leans towards the directions of its
topics: texts on one topic are near each other without a word in common, and texts without a
topic are near nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.embedding import Calibration, Vectors, unit
from tests.benchmarks.generator.words import FUNCTION_WORDS, vocabulary, words_of

_TOPIC_WEIGHT: Final = 0.75
"""Length of a word's topical part beside the length 1 of its own."""
_GENERAL_WEIGHT: Final = 0.35
"""Length of a general word, which tells little of what a text is about."""
_UNKNOWN: Final = 8_192
"""Directions that unknown words share."""


class TopicEmbedder:
    """Implements `service.embedding.Embedder` over the generator's vocabulary.

    In memory is one table of a row for each known word form and of 8,192 rows for all others, some
    60 MB; it is made once and never grows.
    """

    model: Final = "topics-1"
    dimensions: Final = 384
    # Measured on a generated tenth of the paper's record. Best passage: 0.41 to 0.87 (5 and 95 of 100) for
    # questions on its topics, 0.16 (median) and 0.46 (highest) for others; the hundredth best of others
    # is below 0.16. Names against phrases of a topic: 0.43 (median), of another: below 0.15 (99 of 100).
    calibration: Final = Calibration(
        floor=0.12, ceiling=0.70, on_topic=0.75, label_floor=0.15, label_ceiling=0.60, same=0.97
    )

    def __init__(self) -> None:
        self._rows, self._table = _table(self.dimensions)
        self._first_unknown = len(self._table) - _UNKNOWN

    def passages(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for number, text in enumerate(texts):
            rows = [self._row(word) for word in words_of(text)]
            vectors[number] = self._table[rows].sum(axis=0)
        return unit(vectors)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def _row(self, word: str) -> int:
        row = self._rows.get(word)
        if row is None:
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            row = self._first_unknown + int.from_bytes(digest, "big") % _UNKNOWN
        return row


def _table(dimensions: int) -> tuple[dict[str, int], NDArray[np.float32]]:
    """The row of each known word, and the rows; row 0, of function words, is zero."""
    known = vocabulary()
    topics_of: defaultdict[str, set[int]] = defaultdict(set)
    for number, topic in enumerate(known.topics):
        for item in (topic.name, topic.with_article, *topic.items):
            for word in words_of(item):
                topics_of[word].add(number)
    general = set(known.general) - topics_of.keys()
    rng = np.random.default_rng(384)
    directions = unit(rng.standard_normal((len(known.topics), dimensions)).astype(np.float32))
    words = [word for word in (*topics_of, *known.general) if word not in FUNCTION_WORDS]
    words = list(dict.fromkeys(words))
    table = np.zeros((1 + len(words) + _UNKNOWN, dimensions), np.float32)
    table[1:] = unit(rng.standard_normal((len(words) + _UNKNOWN, dimensions)).astype(np.float32))
    rows = dict.fromkeys(FUNCTION_WORDS, 0)
    for row, word in enumerate(words, start=1):
        rows[word] = row
        if word in general:
            table[row] *= _GENERAL_WEIGHT
        else:
            table[row] += _TOPIC_WEIGHT * directions[sorted(topics_of[word])].mean(axis=0)
    return rows, table

"""How much was said of a topic: speeches near it, by bloc, whether or not they are quoted."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Final

from service.corpus import Corpus
from service.question import Question
from service.vectors import CHUNKS

MOST: Final = 5000
"""Chunks that are counted; a topic with more is told as "at least"."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A speech near the topic."""

    speech: str
    speaker: str | None
    bloc: str
    day: date


def count(question: Question, corpus: Corpus, minimum_relevance: float) -> dict[str, tuple[Mention, ...]]:
    """The speeches of each bloc with a chunk of at least the minimum relevance, in order of their IRIs."""
    hits = corpus.vectors.nearest(
        CHUNKS,
        question.vector,
        limit=MOST,
        where=question.filters.where(question.reference_date),
        at_least=corpus.embedder.calibration.cosine(minimum_relevance),
    )
    mentions: defaultdict[str, dict[str, Mention]] = defaultdict(dict)
    for hit in hits:
        speaker = hit.payload.get("speaker")
        mention = Mention(
            speech=str(hit.payload["speech"]),
            speaker=str(speaker) if speaker is not None else None,
            bloc=str(hit.payload["bloc"]),
            day=date.fromisoformat(str(hit.payload["day"])),
        )
        mentions[mention.bloc].setdefault(mention.speech, mention)
    return {bloc: tuple(sorted(found.values(), key=lambda m: m.speech)) for bloc, found in mentions.items()}

"""Quotations are checked against the record when the answer is made, not taken on trust."""

import hashlib
from collections.abc import Iterable

from service.answer.candidates import Candidate
from service.corpus import Corpus
from service.evidence import SpeechRecord
from service.retrieval.records import speeches


def verify(candidates: Iterable[Candidate], corpus: Corpus) -> dict[Candidate, bool]:
    """Read the speeches of the candidates anew and compare text, hash, span, speaker, day and group."""
    wanted = tuple(candidates)
    record = speeches((candidate.evidence.speech.iri for candidate in wanted), corpus)
    return {candidate: stands(candidate, record.get(candidate.evidence.speech.iri)) for candidate in wanted}


def stands(candidate: Candidate, recorded: SpeechRecord | None) -> bool:
    """Whether a candidate's words and attribution are those of the recorded speech."""
    if recorded is None:
        return False
    shown = candidate.evidence.speech
    return (
        hashlib.sha256(recorded.text.encode()).hexdigest() == recorded.sha256 == shown.sha256
        and candidate.span.end <= len(recorded.text)
        and candidate.span.of(recorded.text) == candidate.text
        and (recorded.speaker, recorded.date, recorded.group, recorded.component, recorded.capacity)
        == (shown.speaker, shown.date, shown.group, shown.component, shown.capacity)
    )

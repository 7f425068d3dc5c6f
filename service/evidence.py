"""What retrieval hands on: candidates, the reasons they were found for, and scored evidence."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

GOVERNMENT: Final = "government"
UNSEATED: Final = "other"
"""The blocs that are not groups: the government, and those who speak for nobody (guests)."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a passage is here. `iri` and `label` name the act, the committee or the concept."""

    channel: Literal["dense", "lexical", "signatory", "committee", "coverage"]
    iri: str | None = None
    label: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a channel found. `similarity` is the cosine to the question, never anything else."""

    chunk: str
    speech: str
    start: int
    end: int
    speaker: str | None
    bloc: str
    day: int
    salience: float
    similarity: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """The five terms of the score (DESIGN §4, eq. 1), each in [0, 1]."""

    relevance: float
    diversity: float
    coverage: float
    authority: float
    salience: float


@dataclass(frozen=True, slots=True)
class SpeechRecord:
    """A speech as the record has it, with the speaker's standing on that day."""

    iri: str
    text: str
    sha256: str
    date: date
    speaker: str | None
    name: str | None
    capacity: str
    group: str | None
    component: str | None
    side: str | None
    role_printed: str | None
    office: str | None
    phase_title: str | None
    debate: str | None
    debate_title: str | None
    """The debate's title; that of the act it is about where the printed one says nothing."""
    act: str | None
    """The first act that the debate is about."""
    sitting: str
    source: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A scored passage with its speech. The passage's text is `speech.text[start:end]`."""

    chunk: str
    start: int
    end: int
    speech: SpeechRecord
    bloc: str
    similarity: float
    terms: Terms
    score: float
    reasons: tuple[Reason, ...]

    @property
    def text(self) -> str:
        return self.speech.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Figures:
    """What retrieval found, for the reader: how much came by which way."""

    acts: int
    signatories: int
    committees: int
    by_dense: int
    by_graph: int
    merged: int
    best_similarity: float | None
    on_topic: bool

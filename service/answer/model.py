"""The answer as data. A quotation is a span of a speech; its words are cut, never typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from loaders.text import Span
from service.answer.language import Language
from service.authority.score import Authority, Features
from service.compass.model import Compass
from service.evidence import Evidence, Figures, SpeechRecord
from service.question import Question

Kind = Literal["government", "majority", "opposition", "mixed", "other"]


@dataclass(frozen=True, slots=True)
class Quotation:
    """A verbatim passage in its section, and what was found when it was compared with the record."""

    evidence: Evidence
    span: Span
    verified: bool
    group_now: str | None

    @property
    def speech(self) -> SpeechRecord:
        return self.evidence.speech

    @property
    def exact(self) -> str:
        """The words, cut from the stored text of the speech."""
        return self.span.of(self.speech.text)

    @property
    def context(self) -> tuple[str, str]:
        """A few words before and after, for the reader and for selectors that survive edits."""
        text = self.speech.text
        return text[max(0, self.span.start - 32) : self.span.start], text[self.span.end : self.span.end + 32]


@dataclass(frozen=True, slots=True)
class Activity:
    """How much a bloc said of the topic: speeches near it, their speakers, first and last day."""

    interventions: int
    speakers: int
    first: date | None
    last: date | None

    @property
    def on_two_days(self) -> bool:
        """Whether first and last day are known to be all the days: of two speeches, or next to each other."""
        if self.first is None or self.last is None or self.first == self.last:
            return False
        return self.interventions == 2 or (self.last - self.first).days == 1


@dataclass(frozen=True, slots=True)
class Expert:
    """The speaker of highest standing among those that a section quotes."""

    speaker: str
    name: str
    authority: Authority
    features: Features
    rank: int
    """Rank among all speakers who were weighed for the question; 1 is the highest."""
    group: str | None = None
    """The group on the reference date, and its name then; None for those who sit in none."""
    group_name: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """What one bloc said. `text` refers to quotations by position: `{q1}` is the first."""

    kind: Kind
    bloc: str
    group: str | None
    component: str | None
    title: str
    text: str
    quotations: tuple[Quotation, ...]
    activity: Activity
    expert: Expert | None

    @property
    def supported(self) -> bool:
        """Whether the section rests on evidence; otherwise its text says that there is none."""
        return bool(self.quotations)


@dataclass(frozen=True, slots=True)
class Writer:
    """What wrote the text: a language model and the version of its instructions, or neither."""

    model: str | None
    prompt_version: str | None
    fallbacks: int = 0
    """Sections that the model failed on and that were written without it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, and what it rests on."""

    iri: str
    language: Language
    """That of the text; quotations stay in their own."""
    question: Question
    title: str
    introduction: str
    sections: tuple[Section, ...]
    activity: Activity
    figures: Figures
    authorities: Mapping[str, Authority]
    corpus_title: str
    corpus_version: str
    unresolved: int
    """Speeches of the corpus that are in no answer, since their speaker is not in the register."""
    dataset: str
    invented: bool
    embedding_model: str
    writer: Writer
    started: datetime
    ended: datetime
    milliseconds: Mapping[str, float]
    compass: Compass | None = None
    """Where the groups stand; None if the settings leave it out."""

    @property
    def quotations(self) -> tuple[Quotation, ...]:
        return tuple(quotation for section in self.sections for quotation in section.quotations)

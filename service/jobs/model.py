"""A question as it was put, the job that it becomes, and what is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Literal

from service.answer.language import Language
from service.filters import NamedFilters

State = Literal["queued", "running", "done", "failed", "cancelled"]
FINAL: Final = frozenset({"done", "failed", "cancelled"})
"""States that nothing follows."""


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with its limits, and the IRI that its answer gets."""

    question: str
    filters: NamedFilters = field(default_factory=NamedFilters)
    as_of: date | None = None
    language: Language = "it"
    iri: str | None = None

    def members(self) -> dict[str, Any]:
        """The question as plain values for JSON, by the names of its parameters; what is not stated is left out."""
        named = self.filters
        values = {
            "question": self.question,
            "language": self.language,
            "asOf": self.as_of.isoformat() if self.as_of else None,
            "from": named.date_from.isoformat() if named.date_from else None,
            "until": named.date_until.isoformat() if named.date_until else None,
            "group": list(named.groups),
            "speaker": list(named.speakers),
        }
        return {name: value for name, value in values.items() if value}

    @classmethod
    def of(cls, members: Mapping[str, Any], iri: str) -> "AskRequest":
        """The question again from its plain values."""

        def day(name: str) -> date | None:
            return date.fromisoformat(members[name]) if name in members else None

        filters = NamedFilters(
            tuple(members.get("group", ())), tuple(members.get("speaker", ())), day("from"), day("until")
        )
        return cls(members["question"], filters, day("asOf"), members["language"], iri)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: a status of HTTP and what a person is told."""

    status: int
    detail: str


@dataclass(frozen=True, slots=True)
class Job:
    """A question that waits, is worked on or has ended. `dataset` and `version` are those that it was put to."""

    id: str
    key: str
    request: AskRequest
    dataset: str
    version: str
    state: State
    client: str
    attempts: int
    asked: datetime
    started: datetime | None = None
    ended: datetime | None = None
    failure: Failure | None = None
    last_event: int = 0

    @property
    def iri(self) -> str:
        """The IRI of the answer."""
        return self.request.iri or ""

    @property
    def question(self) -> str:
        return self.request.question

    @property
    def ended_for_good(self) -> bool:
        return self.state in FINAL


@dataclass(frozen=True, slots=True)
class Event:
    """Something that is told of a job. Numbers rise by one from 1; a later event may take the place of a former."""

    number: int
    name: str
    data: Mapping[str, Any]
    time: datetime

    @property
    def last(self) -> bool:
        """Whether nothing follows it."""
        return self.name in FINAL

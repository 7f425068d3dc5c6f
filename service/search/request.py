"""What a search asks and what it finds: plain values, which another process can be sent."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from service.filters import NamedFilters
from service.search.words import Span

Kind = Literal["all", "speeches", "acts"]
Mode = Literal["text", "semantic", "hybrid"]
Sort = Literal["relevance", "date"]
Dimension = Literal["group", "speaker", "capacity", "month", "sitting", "act"]
Matched = Literal["words", "some", "meaning", "listed"]
"""Why something was found: it holds all the words, or some of them, or is near in meaning, or fits the filters."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search. Without a text, what fits the filters is listed, the latest first."""

    text: str = ""
    kind: Kind = "all"
    mode: Mode = "hybrid"
    sort: Sort = "relevance"
    filters: NamedFilters = field(default_factory=NamedFilters)
    as_of: date | None = None
    month: date | None = None
    """Its first day."""
    sitting: str | None = None
    act: str | None = None
    capacity: str | None = None
    answering: str | None = None
    """A question: only speeches that name its topic, as its answer counts them, are meant."""
    answering_groups: tuple[str, ...] = ()
    """The groups to which that question is limited, named like those of the filters."""
    page: int = 1
    size: int = 10

    @property
    def narrowed(self) -> bool:
        """Whether there is any filter."""
        named = self.filters
        return bool(
            named.groups
            or named.speakers
            or named.date_from
            or named.date_until
            or self.month
            or self.sitting
            or self.act
            or self.capacity
            or self.answering
        )


@dataclass(frozen=True, slots=True)
class SpeechHit:
    """A speech that was found, with its best passage. Places are code points of the speech's text."""

    speech: str
    chunk: str | None
    start: int
    end: int
    text: str
    """The part of the passage that is shown, `start` to `end` of the speech."""
    length: int
    """Of the speech."""
    marks: tuple[Span, ...]
    """Where the words stand in that part."""
    further: int
    """Passages of the speech that were found beside this one."""
    matched: Matched
    lexical: float | None
    """BM25."""
    similarity: float | None
    relevance: float | None
    score: float | None
    speaker: str | None
    name: str | None
    capacity: str
    group: str | None
    group_name: str | None
    component: str | None
    component_name: str | None
    date: date
    debate: str | None
    debate_title: str | None
    sitting: str
    source: str


@dataclass(frozen=True, slots=True)
class ActHit:
    """An act that was found, with its first signatory and that person's group on the day of the act."""

    act: str
    title: str
    marks: tuple[Span, ...]
    """Where the words stand in the title."""
    number: str | None
    date: date
    subjects: tuple[str, ...]
    speaker: str | None
    name: str | None
    group: str | None
    group_name: str | None
    signatories: int
    discussed: bool
    matched: Matched
    lexical: float | None
    similarity: float | None
    relevance: float | None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose name the words of the search are."""

    iri: str
    name: str


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value that results have, and how many. `value` is what the filter of this name takes."""

    value: str
    label: str
    """Of a sitting, its number."""
    count: int
    day: date | None = None
    """Of a sitting or a month, its (first) day."""


@dataclass(frozen=True, slots=True)
class Facet:
    """The commonest values of one dimension among the results; `further` says how many there are beside."""

    dimension: Dimension
    values: tuple[FacetValue, ...]
    further: int


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of the search: its value as it was given, and what that is called."""

    dimension: Dimension | Literal["answering"]
    value: str
    label: str
    """Of a sitting, its number; of a question, its topic."""
    day: date | None = None
    """Of a sitting or a month, its (first) day."""


@dataclass(frozen=True, slots=True)
class Found:
    """How many results of one kind there are; at least so many where `at_least`."""

    total: int = 0
    at_least: bool = False
    passages: int = 0
    """Passages that the results were found by."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search."""

    speeches: tuple[SpeechHit, ...]
    found: Found
    acts: tuple[ActHit, ...]
    acts_found: Found
    people: tuple[Person, ...]
    facets: tuple[Facet, ...]
    words: tuple[str, ...]
    """What was looked for, word by word."""
    filters: tuple[Filter, ...]
    groups: tuple[tuple[str, str], ...]
    """IRI and name of the groups on the last day that counts, for the reader to choose from."""
    until: date
    """The last day that counts."""

"""The people, the sittings and the debates of a corpus: small lists that are read once a version and searched here."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache

import sparql
from loaders.names import written
from service.chamber import Chamber
from service.graph import GraphStore, Row, text_of
from service.record.ids import ShortIds
from service.resources.names import as_day


@dataclass(frozen=True, slots=True)
class Someone:
    """A person of the register."""

    iri: str
    name: str
    """As one says it: first name, then surname."""
    surname: str
    """Of the whole name where the data do not tell the surname."""
    first: str | None
    gender: str | None
    """`female`, `male`, or None where the data do not say."""
    folded: str
    """What the person is found by: all names in small letters without accents."""

    @property
    def listed(self) -> str:
        """The name under which an alphabetical list has the person: the surname before the rest."""
        if self.first is None:
            return self.name
        return f"{_capitalised(self.surname, self.name)} {_capitalised(self.first, self.name)}"


@dataclass(frozen=True, slots=True)
class Held:
    """A sitting that is held."""

    iri: str
    number: str | None
    day: date


@dataclass(frozen=True, slots=True)
class Debated:
    """A debate of a sitting, with the titles of the acts that it is on."""

    iri: str
    sitting: str
    order: int
    title: str | None
    acts: tuple[str, ...]

    @property
    def folded(self) -> str:
        """What the debate is found by."""
        return folded(" ".join((self.title or "", *self.acts)))


class Register:
    """The lists of one version of a corpus."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph

    @cached_property
    def chamber(self) -> Chamber:
        """Groups and components with their names over time."""
        return Chamber(self._graph)

    @cached_property
    def people(self) -> dict[str, Someone]:
        """By IRI, in the order of the alphabet."""
        found: dict[str, Someone] = {}
        for row in self._graph.select(sparql.query("record/people")):
            found.setdefault(row["person"].value, _someone(row))
        return {person.iri: person for person in sorted(found.values(), key=_alphabet)}

    @cached_property
    def person_ids(self) -> ShortIds:
        return ShortIds(self.people)

    @cached_property
    def sittings(self) -> dict[str, Held]:
        """By IRI, latest first."""
        rows = self._graph.select(sparql.query("record/sittings"))
        found = (Held(row["sitting"].value, text_of(row, "number"), day) for row in rows if (day := _day(row)))
        ordered = sorted(found, key=lambda held: (held.day, _whole(held.number), held.iri), reverse=True)
        return {held.iri: held for held in ordered}

    @cached_property
    def sitting_ids(self) -> ShortIds:
        return ShortIds(self.sittings)

    @cached_property
    def debates(self) -> dict[str, tuple[Debated, ...]]:
        """The debates of each sitting, in their order."""
        acts: dict[str, list[str]] = {}
        rows: dict[str, Row] = {}
        for row in self._graph.select(sparql.query("record/debates")):
            rows.setdefault(row["debate"].value, row)
            if "act" in row and row["act"].value not in acts.setdefault(row["debate"].value, []):
                acts[row["debate"].value].append(row["act"].value)
        found: dict[str, list[Debated]] = {}
        for iri, row in rows.items():
            debate = Debated(
                iri,
                row["sitting"].value,
                _whole(text_of(row, "order")),
                text_of(row, "title"),
                tuple(acts.get(iri, ())),
            )
            found.setdefault(debate.sitting, []).append(debate)
        return {
            sitting: tuple(sorted(debates, key=lambda debate: (debate.order, debate.iri)))
            for sitting, debates in found.items()
        }

    def debate_ids(self, sitting: str) -> ShortIds:
        """The short names of the debates of a sitting, unlike each other within it."""
        return ShortIds(debate.iri for debate in self.debates.get(sitting, ()))

    def beside(self, sitting: str) -> tuple[Held | None, Held | None]:
        """The sittings before and after one."""
        ordered = list(self.sittings)
        place = ordered.index(sitting)
        before = self.sittings[ordered[place + 1]] if place + 1 < len(ordered) else None
        return before, self.sittings[ordered[place - 1]] if place else None


@lru_cache(maxsize=4)
def register(graph: GraphStore, version: str) -> Register:
    """The lists of a version of a corpus, which stay as they are as long as it is published."""
    return Register(graph)


def folded(text: str) -> str:
    """A text in small letters, without accents and apostrophes: what people type, and what registries print."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(
        " " if character in "'’`-–." else character for character in plain if not unicodedata.combining(character)
    )
    return " ".join(kept.split())


def matching(query: str) -> Callable[[str], bool]:
    """Whether a folded text has each word of a query at the beginning of a word of its own."""
    words = folded(query).split()

    def matches(text: str) -> bool:
        own = f" {text}"
        return all(f" {word}" in own for word in words)

    return matches


def _someone(row: Row) -> Someone:
    name = row["name"].value
    surname, first = text_of(row, "surname"), text_of(row, "first")
    known = " ".join(part for part in (name, surname, first, text_of(row, "nickname")) if part)
    gender = (text_of(row, "gender") or "").casefold()
    return Someone(
        row["person"].value,
        name,
        surname or name.rsplit(" ", 1)[-1],
        first if surname else None,
        gender if gender in ("female", "male") else None,
        folded(known),
    )


def _capitalised(part: str, name: str) -> str:
    """A part of a name written as the whole name writes it; registries print parts in capitals."""
    place = name.casefold().find(part.casefold())
    return name[place : place + len(part)] if place >= 0 and len(name) == len(name.casefold()) else written(part)


def _alphabet(person: Someone) -> tuple[str, str, str]:
    return folded(person.surname), folded(person.name), person.iri


def _day(row: Row) -> date | None:
    return as_day(text_of(row, "day"))


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0

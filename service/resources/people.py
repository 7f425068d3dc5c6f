"""What a page shows of a person: memberships in time, acts signed, speeches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from pyoxigraph import NamedNode

import sparql
from loaders.names import organisation_name
from ontology import CAPACITY, EMI, ROLE
from service.graph import GraphStore, Row, text_of
from service.resources.generic import Page, paged
from service.resources.names import Names, as_day

PER_LIST: Final = 20
_COMPONENT: Final = f"{EMI}Component"
_KINDS: Final = {f"{EMI}Group": "groups", _COMPONENT: "groups", f"{EMI}Committee": "committees"}
_PLAIN: Final = (f"{ROLE}member", f"{ROLE}deputy")


@dataclass(frozen=True, slots=True)
class Stint:
    """A membership for some time; both days included, None where it lasts."""

    iri: str
    kind: str
    """`groups`, `committees` or `offices`."""
    body: str | None
    body_name: str | None
    """As it was called on the first day."""
    renamed: str | None
    """As it was called at the end, where that differs."""
    role: str | None
    begin: date
    until: date | None
    component: bool = False
    """Whether the body is a component of the gruppo misto, which is no group of its own."""
    mandate: bool = False
    """Whether it is the seat in the chamber, which is no office."""
    printed: bool = False
    """Whether the office is called as the source prints it, whatever the reader's language."""


@dataclass(frozen=True, slots=True)
class Signed:
    """An act that somebody signed, first or after others."""

    iri: str
    title: str
    language: str | None
    day: date | None
    first: bool


@dataclass(frozen=True, slots=True)
class SpeechHead:
    """A speech in a list: how it begins, and in what standing it was held where not as a member."""

    iri: str
    beginning: str
    capacity: str | None


@dataclass(frozen=True, slots=True)
class Debate:
    """Speeches that follow each other in one debate; `act` is the title of an act that it is on."""

    iri: str | None
    day: date | None
    title: str | None
    act: str | None
    speeches: tuple[SpeechHead, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """A person's page."""

    stints: tuple[Stint, ...]
    acts: Page[Signed]
    speeches: Page[Debate]
    """Pages of speeches; `total` counts these, not debates."""
    signed_on: tuple[tuple[date | None, bool], ...] = ()
    """The day of each act, and whether the person signed it first."""
    spoken_on: tuple[tuple[date | None, int], ...] = ()
    """The day of each speech, and its words."""

    def of(self, kind: str) -> tuple[Stint, ...]:
        """The memberships of a kind, latest first."""
        return tuple(stint for stint in self.stints if stint.kind == kind)

    @property
    def offices_now(self) -> tuple[str, ...]:
        """The offices that last, beside those in groups and committees, as they are called."""
        lasting = (s.role for s in self.stints if s.kind == "offices" and s.role and not (s.until or s.mandate))
        return tuple(dict.fromkeys(lasting))

    @property
    def groups_now(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The groups and components that memberships last in: IRI, name, offices held in it."""
        lasting = [stint for stint in reversed(self.of("groups")) if stint.body and not stint.until]
        names = {stint.body: stint.renamed or stint.body_name or "" for stint in lasting if stint.body}
        return tuple(
            (body, name, tuple(stint.role for stint in lasting if stint.body == body and stint.role))
            for body, name in names.items()
        )


def read_person(
    iri: NamedNode, graph: GraphStore, names: Names, last_day: date | None, acts: int = 1, speeches: int = 1
) -> Person:
    """Read what a page shows of a person, with the given pages of acts and speeches."""
    signatures = graph.select(sparql.bind(sparql.query("resources/person-acts"), "?person", [iri]))
    held = graph.select(sparql.bind(sparql.query("resources/person-speeches"), "?person", [iri]))
    spoken = {row["speech"].value: row for row in held}.values()
    return Person(
        _stints(iri, graph, names, last_day),
        _signed(signatures, names, acts),
        _held(held, graph, names, speeches),
        tuple((as_day(text_of(row, "date")), row["place"].value == "first") for row in signatures),
        tuple((as_day(text_of(row, "date")), int(text_of(row, "words") or 0)) for row in spoken),
    )


def _stints(iri: NamedNode, graph: GraphStore, names: Names, last_day: date | None) -> tuple[Stint, ...]:
    rows = graph.select(sparql.bind(sparql.query("resources/person-memberships"), "?person", [iri]))
    names.of(row[name].value for row in rows for name in ("organisation", "role") if name in row)
    found = {row["membership"].value: _stint(row, names, last_day) for row in rows}
    return tuple(sorted(found.values(), key=lambda s: (s.begin, s.iri), reverse=True))


def _stint(row: Row, names: Names, last_day: date | None) -> Stint:
    body, role = text_of(row, "organisation"), text_of(row, "role")
    begin, until = date.fromisoformat(row["from"].value), as_day(text_of(row, "until"))
    kind = _KINDS.get(text_of(row, "class") or "", "offices")
    name = names.on(body, begin) if body else None
    end = until or last_day
    later = names.on(body, max(end, begin)) if body and end else name
    printed = text_of(row, "office")
    office = organisation_name(printed) if printed else None
    plain = kind != "offices" and role in _PLAIN
    if plain and text_of(row, "class") == _COMPONENT:  # some are called as a group is
        office = names.one(_COMPONENT).text
    return Stint(
        row["membership"].value,
        kind,
        body,
        name,
        later if later != name else None,
        office or (names.one(role).text if role and not plain else None),
        begin,
        until,
        text_of(row, "class") == _COMPONENT,
        role == f"{ROLE}deputy",
        office is not None,
    )


def _signed(rows: Sequence[Row], names: Names, number: int) -> Page[Signed]:
    latest = sorted(rows, key=lambda row: (text_of(row, "date") or "", row["act"].value), reverse=True)
    page = paged(latest, number, PER_LIST)
    called = names.of(row["act"].value for row in page.items)
    items = tuple(
        Signed(
            row["act"].value,
            called[row["act"].value].text,
            called[row["act"].value].language,
            as_day(text_of(row, "date")),
            row["place"].value == "first",
        )
        for row in page.items
    )
    return Page(items, page.number, page.pages, page.total)


def _held(rows: Sequence[Row], graph: GraphStore, names: Names, number: int) -> Page[Debate]:
    page = paged(sorted(rows, key=_latest), number, PER_LIST)
    return Page(_heads(page.items, graph, names), page.number, page.pages, page.total)


def _heads(rows: Sequence[Row], graph: GraphStore, names: Names) -> tuple[Debate, ...]:
    if not rows:
        return ()
    query = sparql.bind(sparql.query("resources/speech-heads"), "?speech", [NamedNode(r["speech"].value) for r in rows])
    heads = {row["speech"].value: row for row in reversed(graph.select(query))}
    names.of(row["capacity"].value for row in heads.values() if "capacity" in row)

    def head(row: Row) -> Row:
        return heads.get(row["speech"].value, {})

    def speech(row: Row) -> SpeechHead:
        capacity = text_of(head(row), "capacity")
        told = capacity and capacity != f"{CAPACITY}member"
        return SpeechHead(
            row["speech"].value,
            text_of(head(row), "beginning") or "",
            names.one(capacity).text if capacity and told else None,
        )

    debates = groupby(rows, key=lambda row: (text_of(row, "date"), text_of(head(row), "debate")))
    found = []
    for (day, debate), group in debates:
        members = list(group)
        title, act = text_of(head(members[0]), "title"), text_of(head(members[0]), "act")
        found.append(Debate(debate, as_day(day), title, act, tuple(speech(row) for row in members)))
    return tuple(found)


def _latest(row: Row) -> tuple[int, int, str]:
    day = as_day(text_of(row, "date"))
    order = text_of(row, "order") or ""
    return (-(day.toordinal() if day else 0), int(order) if order.isdigit() else 0, row["speech"].value)

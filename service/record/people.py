"""Finding people: by name, by group on a day, by office; and what they held on that day."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final, Literal

from pyoxigraph import NamedNode

import sparql
from loaders.names import organisation_name
from ontology import EMI, ROLE
from service.evidence import GOVERNMENT
from service.graph import GraphStore, Row, day_literal, text_of
from service.record.register import Register, Someone, matching
from service.record.titles import of_gender
from service.resources.entrance import Door
from service.resources.generic import Page, paged
from service.resources.names import Names, as_day

Standing = Literal["", "deputies", "government", "presidents"]

PER_PAGE: Final = 60
_RANKS: Final = (
    "prime-minister",
    "deputy-prime-minister",
    "minister",
    "deputy-minister",
    "undersecretary",
    "government-member",
)
_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "deputies": ("deputy",),
    "government": _RANKS,
    "presidents": ("chair", "group-chair"),
}


@dataclass(frozen=True, slots=True)
class Office:
    """An office that somebody held on the day, titled after the person's gender."""

    iri: str
    title: str
    body: str | None
    body_name: str | None
    """Of a group or a committee; the title of a minister says the ministry."""
    begin: date
    until: date | None
    rank: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody in a list: the group or component on the day, and offices."""

    person: Someone
    body: str | None
    body_name: str | None
    sigla: str | None
    offices: tuple[Office, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who is looked for; `groups` are IRIs, or the government's own."""

    query: str
    groups: tuple[str, ...]
    standing: Standing
    day: date


def find_people(wanted: Wanted, known: Register, graph: GraphStore, names: Names, number: int) -> Page[Entry]:
    """A page of the people who fit, in alphabetical order; the government by rank."""
    fits = matching(wanted.query)
    chosen = [person for person in known.people.values() if fits(person.folded)]
    bodies = _bodies(known, graph, wanted.day)
    standing: Standing = wanted.standing
    if GOVERNMENT in wanted.groups and not standing:
        standing = "government"
    groups = tuple(group for group in wanted.groups if group != GOVERNMENT)
    if groups:
        chosen = [person for person in chosen if not set(groups).isdisjoint(bodies.get(person.iri, ()))]
    offices: Mapping[str, list[Row]] = {}
    if standing:
        offices = _offices(known, graph, wanted.day, standing)
        chosen = [person for person in chosen if person.iri in offices]
    if standing == "government":
        ranks = {iri: min(_rank(row) for row in rows) for iri, rows in offices.items()}
        chosen.sort(key=lambda person: ranks[person.iri])  # the order of the alphabet stays within a rank
    page = paged(chosen, number, PER_PAGE)
    told = {} if standing == "deputies" else {p.iri: offices[p.iri] for p in page.items if p.iri in offices}
    called = names.of(
        row[name].value for rows in told.values() for row in rows for name in ("role", "organisation") if name in row
    )
    entries = (
        _entry(
            person,
            bodies.get(person.iri, ()),
            [_office(row, person, called, names) for row in told.get(person.iri, ())],
            names,
            wanted.day,
        )
        for person in page.items
    )
    return Page(tuple(entries), page.number, page.pages, page.total)


def groups_on(known: Register, graph: GraphStore, names: Names, day: date) -> tuple[Door, ...]:
    """The groups of a day with the number of their members, largest first; components count for the mixed group."""
    organisations = names.chamber.organisations
    counts: Counter[str] = Counter()
    for bodies in _bodies(known, graph, day).values():
        found = (organisations[body] for body in bodies if body in organisations)
        counts.update({(body.parent or body.iri) if body.is_component else body.iri for body in found})
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Door(group, names.on(group, day), count) for group, count in ordered)


@lru_cache(maxsize=32)
def _bodies(known: Register, graph: GraphStore, day: date) -> Mapping[str, tuple[str, ...]]:
    """The group and the component of each person on a day, the component first; read once, for `known` is of one
    version."""
    found: defaultdict[str, list[tuple[bool, str]]] = defaultdict(list)
    for row in graph.select(sparql.bind(sparql.query("record/groups-on"), "?day", [day_literal(day)])):
        found[row["person"].value].append((row["class"].value != f"{EMI}Component", row["body"].value))
    return {person: tuple(body for _, body in sorted(bodies)) for person, bodies in found.items()}


@lru_cache(maxsize=32)
def _offices(known: Register, graph: GraphStore, day: date, standing: Standing) -> Mapping[str, list[Row]]:
    """Who was what on a day, each person's offices by rank; read once, for `known` is of one version."""
    query = sparql.bind(sparql.query("record/officers"), "?day", [day_literal(day)])
    rows = graph.select(sparql.bind(query, "?role", [NamedNode(f"{ROLE}{role}") for role in _ROLES[standing]]))
    found: defaultdict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        found[row["person"].value].setdefault(row["membership"].value, row)
    return {
        person: sorted(held.values(), key=lambda row: (_rank(row), row["from"].value, row["membership"].value))
        for person, held in found.items()
    }


def _rank(row: Row) -> int:
    role = row["role"].value.removeprefix(ROLE)
    return _RANKS.index(role) if role in _RANKS else len(_RANKS)


def _office(row: Row, person: Someone, called: Mapping[str, object], names: Names) -> Office:
    printed, body = text_of(row, "office"), text_of(row, "organisation")
    title = organisation_name(printed) if printed else names.one(row["role"].value).text
    begin = date.fromisoformat(row["from"].value)
    # Of the whole government nothing more is to be said than the title does.
    named = body if body and _rank(row) == len(_RANKS) else None
    return Office(
        row["membership"].value,
        of_gender(title, person.gender),
        named,
        names.on(named, begin) if named else None,
        begin,
        as_day(text_of(row, "until")),
        _rank(row),
    )


def _entry(person: Someone, bodies: Sequence[str], offices: Sequence[Office], names: Names, day: date) -> Entry:
    body = bodies[0] if bodies else None
    return Entry(
        person,
        body,
        names.on(body, day) if body else None,
        names.sigla(body, day) if body else None,
        tuple(offices),
    )

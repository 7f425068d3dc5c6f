"""What a page shows of a group, a component or a committee: names, sides, members on a day."""

from dataclasses import dataclass, replace
from datetime import date

from pyoxigraph import NamedNode

import sparql
from loaders.names import organisation_name
from ontology import ROLE
from service.chamber import DatedName
from service.graph import GraphStore, Row, day_literal, text_of
from service.resources.names import Names, as_day


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who belonged to a body on the day; `roles` are the offices held in it."""

    iri: str
    name: str
    since: date
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stance:
    """A side, under a government, for some time; both days included."""

    side: str
    side_name: str
    government: str | None
    government_name: str | None
    begin: date
    until: date | None


@dataclass(frozen=True, slots=True)
class Body:
    """A body's page."""

    names: tuple[DatedName, ...]
    sides: tuple[Stance, ...]
    components: tuple[tuple[str, str], ...]
    """Those that had members on the day: IRI, and name then."""
    day: date
    members: tuple[Member, ...]


def read_body(iri: NamedNode, graph: GraphStore, names: Names, day: date) -> Body:
    """Read what a page shows of a body on a day."""
    organisation = names.chamber.organisations.get(iri.value)
    query = sparql.bind(sparql.query("resources/body-sides"), "?body", [iri])
    rows = graph.select(sparql.bind(query, "?day", [day_literal(day)]))
    names.of(row[name].value for row in rows for name in ("side", "government") if name in row)
    return Body(
        tuple(_called(name) for name in sorted(organisation.names, key=lambda n: n.begin)) if organisation else (),
        tuple(_stance(row, names) for row in rows if "membership" in row),
        tuple((row["component"].value, names.on(row["component"].value, day)) for row in rows if "component" in row),
        day,
        _members(iri, graph, names, day),
    )


def _called(name: DatedName) -> DatedName:
    """A dated name as it is written in a text, and without a sigla that says the same."""
    written = organisation_name(name.name)
    sigla = name.sigla if name.sigla and name.sigla.casefold() != written.casefold() else None
    return replace(name, name=written, sigla=sigla)


def _stance(row: Row, names: Names) -> Stance:
    government = text_of(row, "government")
    return Stance(
        row["side"].value,
        names.one(row["side"].value).text,
        government,
        names.one(government).text if government else None,
        date.fromisoformat(row["from"].value),
        as_day(text_of(row, "until")),
    )


def _members(iri: NamedNode, graph: GraphStore, names: Names, day: date) -> tuple[Member, ...]:
    query = sparql.bind(sparql.query("resources/body-members"), "?body", [iri])
    rows = graph.select(sparql.bind(query, "?day", [day_literal(day)]))
    names.of(row["role"].value for row in rows if "role" in row)
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["person"].value, []).append(row)

    def place(person: str) -> tuple[int, str, str, str]:
        first = found[person][0]
        return (
            min(map(_precedence, found[person])),
            (text_of(first, "surname") or "").casefold(),
            first["name"].value.casefold(),
            person,
        )

    return tuple(
        Member(
            person,
            found[person][0]["name"].value,
            min(date.fromisoformat(row["from"].value) for row in found[person]),
            tuple(sorted({role for row in found[person] if (role := _office(row, names))})),
        )
        for person in sorted(found, key=place)
    )


def _precedence(row: Row) -> int:
    """The chair comes before deputies, these before all others."""
    role = (text_of(row, "role") or "").removeprefix(ROLE)
    return 2 if "chair" not in role else 1 if "vice" in role or "deputy" in role else 0


def _office(row: Row, names: Names) -> str | None:
    role = text_of(row, "role")
    if role is None or role == f"{ROLE}member":
        return None
    office = text_of(row, "office")
    return organisation_name(office) if office else names.one(role).text

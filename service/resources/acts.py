"""What a page shows of an act: who signed it, in which group on that day, and where it was debated."""

from dataclasses import dataclass
from datetime import date

from pyoxigraph import NamedNode

import sparql
from service.graph import GraphStore, day_literal, text_of
from service.resources.names import Names, as_day


@dataclass(frozen=True, slots=True)
class Signatory:
    """A person who signed, with the group of the day of the act."""

    iri: str
    name: str
    group: str | None
    group_name: str | None
    sigla: str | None


@dataclass(frozen=True, slots=True)
class Debated:
    """A debate on the act."""

    iri: str
    title: str | None
    day: date | None
    speeches: int


@dataclass(frozen=True, slots=True)
class Act:
    """An act's page."""

    first: tuple[Signatory, ...]
    others: tuple[Signatory, ...]
    debates: tuple[Debated, ...]


def read_act(iri: NamedNode, graph: GraphStore, names: Names, day: date | None) -> Act:
    """Read what a page shows of an act that was tabled on a day."""
    rows = graph.select(sparql.bind(sparql.query("resources/act-signatories"), "?act", [iri]))
    people = sorted({row["person"].value for row in rows})
    groups = _groups(people, graph, day) if people and day else {}

    def signatory(person: str, name: str | None) -> Signatory:
        group = groups.get(person)
        return Signatory(
            person,
            name or names.one(person).text,
            group,
            names.on(group, day) if group else None,
            names.sigla(group, day) if group else None,
        )

    def signed(place: str) -> tuple[Signatory, ...]:
        found = {
            row["person"].value: ((text_of(row, "surname") or "").casefold(), text_of(row, "name"))
            for row in rows
            if row["place"].value == place
        }
        ordered = sorted(found, key=lambda person: (found[person][0], found[person][1] or "", person))
        return tuple(signatory(person, found[person][1]) for person in ordered)

    debates = graph.select(sparql.bind(sparql.query("resources/act-debates"), "?act", [iri]))
    return Act(
        signed("first"),
        signed("after"),
        tuple(
            Debated(
                row["debate"].value, text_of(row, "title"), as_day(text_of(row, "date")), int(row["speeches"].value)
            )
            for row in debates
            if "debate" in row
        ),
    )


def _groups(people: list[str], graph: GraphStore, day: date) -> dict[str, str]:
    query = sparql.bind(sparql.query("retrieval/present-groups"), "?speaker", [NamedNode(person) for person in people])
    rows = graph.select(sparql.bind(query, "?day", [day_literal(day)]))
    # A component comes beside its group and says more; ordered by class, it is the group that is kept.
    return {
        row["speaker"].value: row["organisation"].value
        for row in sorted(rows, key=lambda row: (row["class"].value, row["organisation"].value))
    }

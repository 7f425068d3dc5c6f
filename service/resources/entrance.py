"""Where a reader comes in: the groups of the last day of the record, and its latest sittings."""

from dataclasses import dataclass
from datetime import date

import sparql
from service.graph import GraphStore, day_literal
from service.resources.names import Names


@dataclass(frozen=True, slots=True)
class Door:
    """A resource to begin with: its name, and how many members or speeches it has."""

    iri: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Entrance:
    """What the front page leads to; empty where no parliament is loaded."""

    groups: tuple[Door, ...]
    """Largest first, by their names on the day."""
    sittings: tuple[Door, ...]
    """Latest first."""


def read_entrance(graph: GraphStore, names: Names, day: date) -> Entrance:
    """Read what the front page leads to, as it was on a day."""
    sittings = graph.select(sparql.query("resources/sittings"))
    called = names.of(row["sitting"].value for row in sittings)
    return Entrance(
        read_groups(graph, names, day),
        tuple(
            Door(row["sitting"].value, called[row["sitting"].value].text, int(row["speeches"].value))
            for row in sittings
        ),
    )


def read_groups(graph: GraphStore, names: Names, day: date) -> tuple[Door, ...]:
    """The groups of a day with the number of their members, largest first."""
    rows = graph.select(sparql.bind(sparql.query("resources/groups"), "?day", [day_literal(day)]))
    return tuple(Door(row["group"].value, names.on(row["group"].value, day), int(row["members"].value)) for row in rows)

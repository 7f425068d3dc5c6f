"""Where a reader comes in: the groups of a day."""

from dataclasses import dataclass
from datetime import date

import sparql
from service.graph import GraphStore, day_literal
from service.resources.names import Names


@dataclass(frozen=True, slots=True)
class Door:
    """A resource to begin with: its name, and how many members it has."""

    iri: str
    name: str
    count: int


def read_groups(graph: GraphStore, names: Names, day: date) -> tuple[Door, ...]:
    """The groups of a day with the number of their members, largest first."""
    rows = graph.select(sparql.bind(sparql.query("resources/groups"), "?day", [day_literal(day)]))
    return tuple(Door(row["group"].value, names.on(row["group"].value, day), int(row["members"].value)) for row in rows)

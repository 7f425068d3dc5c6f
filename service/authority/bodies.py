"""Where people sit and hold offices: what is the same for every question of a corpus, and read once."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Final
from weakref import WeakKeyDictionary

import sparql
from ontology import EMI
from service.graph import GraphStore, day_of, text_of


@dataclass(frozen=True, slots=True)
class DatedSide:
    """A side on which a body stood; both days included, None where it has no end."""

    side: str
    begin: date
    until: date | None


@dataclass(frozen=True, slots=True)
class Body:
    """A body that has members, with its label, Italian where there is one."""

    is_group: bool
    is_component: bool
    is_committee: bool
    label: str | None
    italian_label: str | None
    sides: tuple[DatedSide, ...]


UNKNOWN: Final = Body(is_group=False, is_component=False, is_committee=False, label=None, italian_label=None, sides=())
"""A body that an endpoint, which others may write to, did not have before."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """The bodies by IRI, and the weights of the roles in them that are offices."""

    by_iri: dict[str, Body]
    weights: dict[str, float]

    @classmethod
    def read(cls, graph: GraphStore) -> "Bodies":
        """Read them in three queries."""
        sides: defaultdict[str, list[DatedSide]] = defaultdict(list)
        for row in graph.select(sparql.query("authority/stances")):
            begin = day_of(row, "from")
            assert begin is not None
            sides[row["body"].value].append(DatedSide(row["side"].value, begin, day_of(row, "until")))
        classes: defaultdict[str, set[str]] = defaultdict(set)
        labels: defaultdict[str, list[str]] = defaultdict(list)
        italian: dict[str, str] = {}
        for row in graph.select(sparql.query("authority/bodies")):
            iri = row["body"].value
            classes[iri].add(text_of(row, "class") or "")
            if "label" in row:
                labels[iri].append(row["label"].value)
                if getattr(row["label"], "language", None) == "it":
                    italian.setdefault(iri, row["label"].value)
        by_iri = {
            iri: Body(
                is_group=f"{EMI}Group" in found,
                is_component=f"{EMI}Component" in found,
                is_committee=f"{EMI}Committee" in found,
                label=italian.get(iri) or next(iter(labels[iri]), None),
                italian_label=italian.get(iri),
                sides=tuple(sides[iri]),
            )
            for iri, found in classes.items()
        }
        rows = graph.select(sparql.query("authority/roles"))
        return cls(by_iri, {row["role"].value: float(row["weight"].value) for row in rows})


_bodies: Final = WeakKeyDictionary[GraphStore, Bodies]()
"""Kept as long as a corpus is open, and not longer: a graph that is kept holds its files."""


def bodies_of(graph: GraphStore) -> Bodies:
    """The bodies of a corpus by its graph; a few hundred for a parliament, whatever the size of its record."""
    found = _bodies.get(graph)
    if found is None:
        found = _bodies[graph] = Bodies.read(graph)
    return found

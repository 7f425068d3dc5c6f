"""What speeches are filtered and counted by, read from the graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from pyoxigraph import NamedNode

import sparql
from service.evidence import GOVERNMENT, UNSEATED
from service.graph import GraphStore, text_of


@dataclass(frozen=True, slots=True)
class Head:
    """A speech without its text."""

    speech: str
    date: date
    order: int
    capacity: str
    sitting: str
    number: str | None
    """Of the sitting."""
    speaker: str | None
    name: str | None
    group: str | None
    component: str | None

    @property
    def bloc(self) -> str:
        """For whom the speaker spoke, as the index has it."""
        return GOVERNMENT if self.capacity == "government" else self.component or self.group or UNSEATED

    @property
    def latest_first(self) -> tuple[int, str, int, str]:
        """The key by which later speeches come first, and those of one sitting in their order."""
        return -self.date.toordinal(), self.sitting, self.order, self.speech


def read_heads(speeches: Iterable[str], graph: GraphStore) -> dict[str, Head]:
    """The heads of speeches, in one query."""
    wanted = [NamedNode(iri) for iri in sorted(set(speeches))]
    if not wanted:
        return {}
    found: dict[str, Head] = {}
    for row in graph.select(sparql.bind(sparql.query("search/heads"), "?speech", wanted)):
        order = text_of(row, "order") or ""
        found.setdefault(
            row["speech"].value,
            Head(
                row["speech"].value,
                date.fromisoformat(row["date"].value[:10]),
                int(order) if order.isdecimal() else 0,
                row["capacity"].value.rsplit("/", 1)[-1],
                row["sitting"].value,
                text_of(row, "number"),
                text_of(row, "speaker"),
                text_of(row, "name"),
                text_of(row, "group"),
                text_of(row, "component"),
            ),
        )
    return found

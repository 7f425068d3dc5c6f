"""What a page shows of a speech: its words in place, who spoke, the turns around it, what was quoted from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from pyoxigraph import Literal, NamedNode

import sparql
from ontology import CAPACITY
from service.graph import GraphStore, Row, text_of
from service.resources.kept import KeptQuotation
from service.resources.names import Names, as_day
from service.resources.transcript import Mark, Paragraph, paragraphs

AROUND: Final = 2
"""Turns shown before a speech, and after it."""
ASKED: Final = "asked"
"""The key of the mark of a span that was asked for."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A turn beside the speech, in the same debate."""

    iri: str
    order: int
    name: str
    beginning: str


@dataclass(frozen=True, slots=True)
class Speech:
    """A speech's page."""

    iri: str
    language: str | None
    day: date | None
    speaker: str | None
    name: str
    capacity: str | None
    capacity_name: str | None
    office: str | None
    """The office or role in which it was held, as printed."""
    bloc: str | None
    bloc_name: str | None
    """Group, or component of the gruppo misto, as it was called on the day."""
    side_name: str | None
    source: str | None
    size: int
    """Code points."""
    paragraphs: tuple[Paragraph, ...]
    passages: tuple[str | None, ...]
    """The IRI of the indexed passage that begins each paragraph, where one does."""
    quotations: tuple[KeptQuotation, ...]
    before: tuple[Neighbour, ...]
    after: tuple[Neighbour, ...]
    asked: tuple[int, int] | None
    """The span to point at; None too where it does not lie in the text."""


def read_speech(
    iri: NamedNode,
    graph: GraphStore,
    names: Names,
    within: Sequence[str],
    quotations: Sequence[KeptQuotation],
    asked: tuple[int, int] | None = None,
) -> Speech | None:
    """Read a speech; None if it has no text. `within` are the parts of the record that it lies in.

    Quotations and the span asked for are offsets in Unicode code points, end excluded.
    """
    rows = graph.select(sparql.bind(sparql.query("resources/speech"), "?speech", [iri]))
    if not rows:
        return None
    row, text = rows[0], rows[0]["text"]
    chunks = graph.select(sparql.bind(sparql.query("resources/speech-chunks"), "?speech", [iri]))
    passages = {int(chunk["start"].value): chunk["chunk"].value for chunk in reversed(chunks)}
    size = len(text.value)
    inside = tuple(q for q in quotations if 0 <= q.start < q.end <= size)
    asked = asked if asked and 0 <= asked[0] < asked[1] <= size else None
    marks = [Mark(q.start, q.end, str(n)) for n, q in enumerate(inside, start=1)]
    cut = paragraphs(text.value, passages, [*marks, *([Mark(*asked, ASKED)] if asked else [])])
    before, after = _neighbours(iri, row, within, graph, names)
    day, capacity = as_day(text_of(row, "date")), text_of(row, "capacity")
    bloc, side = text_of(row, "component") or text_of(row, "group"), text_of(row, "side")
    return Speech(
        iri.value,
        text.language if isinstance(text, Literal) else None,
        day,
        text_of(row, "speaker"),
        text_of(row, "name") or text_of(row, "printed") or names.one(iri.value).text,
        capacity,
        names.one(capacity).text if capacity and capacity != f"{CAPACITY}member" else None,
        text_of(row, "roleAsPrinted") or text_of(row, "office"),
        bloc,
        names.on(bloc, day) if bloc else None,
        names.one(side).text if side else None,
        text_of(row, "source"),
        size,
        cut,
        tuple(passages.get(paragraph.start) for paragraph in cut),
        inside,
        before,
        after,
        asked,
    )


def _neighbours(
    iri: NamedNode, speech: Row, within: Sequence[str], graph: GraphStore, names: Names
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    sitting, order = speech.get("sitting"), speech.get("order")
    if sitting is None or not isinstance(order, Literal) or not order.value.isdigit():
        return (), ()
    here = int(order.value)
    orders = [
        Literal(str(n), datatype=order.datatype) for n in range(max(0, here - AROUND), here + AROUND + 1) if n != here
    ]
    query = sparql.bind(sparql.query("resources/neighbours"), "?sitting", [NamedNode(sitting.value)])
    found: dict[str, Neighbour] = {}
    for row in graph.select(sparql.bind(query, "?order", orders)):
        if row["part"].value in within and row["part"].value != sitting.value:
            found[row["speech"].value] = Neighbour(
                row["speech"].value,
                int(row["order"].value),
                text_of(row, "name") or text_of(row, "printed") or names.one(row["speech"].value).text,
                text_of(row, "beginning") or "",
            )
    ordered = sorted(found.values(), key=lambda neighbour: (neighbour.order, neighbour.iri))
    return (
        tuple(neighbour for neighbour in ordered if neighbour.order < here),
        tuple(neighbour for neighbour in ordered if neighbour.order > here),
    )


def passage(iri: NamedNode, graph: GraphStore) -> tuple[NamedNode, int, int] | None:
    """The speech of an indexed passage, its start and its end; None if the IRI is not that of one."""
    for row in graph.select(sparql.bind(sparql.query("resources/chunk"), "?chunk", [iri])):
        return NamedNode(row["speech"].value), int(row["start"].value), int(row["end"].value)
    return None

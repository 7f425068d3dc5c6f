"""The answers as a list: which there are, and what each is about in a line or two."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path

from pyoxigraph import NamedNode

import sparql
from service.answers.store import open_store, snapshot
from service.graph import EmbeddedGraph, Row, text_of


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list says of an answer."""

    iri: str
    title: str
    question: str
    language: str | None
    asked: datetime | None
    """When the work on it began, in UTC."""
    reference_date: date | None
    corpus: str | None
    """The title of what was searched."""
    invented: bool
    quotations: int
    covered: int
    """Groups that are quoted …"""
    total: int
    """… of so many."""


def kept_answers(folder: Path) -> tuple[tuple[str, str | None], ...]:
    """(IRI, moment of asking) of every answer that is kept, the last first. Raises `DataError`."""
    if open_store(folder) is None:
        return ()
    published = snapshot(folder)
    return _kept(folder, published.version) if published else ()


@lru_cache(maxsize=2)
def _kept(folder: Path, version: str) -> tuple[tuple[str, str | None], ...]:
    """The answers of a version, which are read once."""
    graph = _graph(folder)
    rows = graph.select(sparql.query("listing/answers")) if graph else []
    return tuple((row["answer"].value, text_of(row, "asked")) for row in rows)


def summaries(folder: Path, chosen: Sequence[tuple[str, str | None]]) -> tuple[Summary, ...]:
    """What to say of some answers, in their order; those that are gone meanwhile are left out."""
    graph = _graph(folder)
    if graph is None or not chosen:
        return ()
    query = sparql.bind(sparql.query("listing/summaries"), "?answer", [NamedNode(iri) for iri, _ in chosen])
    rows: dict[str, Row] = {}
    for row in graph.select(query):
        rows.setdefault(row["answer"].value, row)
    return tuple(_summary(iri, asked, rows[iri]) for iri, asked in chosen if iri in rows)


def _graph(folder: Path) -> EmbeddedGraph | None:
    store = open_store(folder)
    return EmbeddedGraph(store, union=False) if store else None


def _summary(iri: str, asked: str | None, row: Row) -> Summary:
    question = text_of(row, "question") or ""
    return Summary(
        iri=iri,
        title=text_of(row, "title") or question or iri,
        question=question,
        language=text_of(row, "language"),
        asked=_moment(asked),
        reference_date=_day(text_of(row, "asked")),
        corpus=text_of(row, "corpus"),
        invented=text_of(row, "invented") == "true",
        quotations=_count(row, "quotations"),
        covered=_count(row, "covered"),
        total=_count(row, "total"),
    )


def _count(row: Row, name: str) -> int:
    text = text_of(row, name) or ""
    return int(text) if text.isdecimal() else 0


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None

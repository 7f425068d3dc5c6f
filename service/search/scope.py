"""What a search is limited to, as the vector index and the graph understand it."""

import calendar
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

import sparql
from service.errors import QuestionError
from service.graph import GraphStore, Term
from service.pipeline import Engine
from service.question import Filters
from service.search.answering import counted
from service.search.request import SearchRequest
from service.vectors import Where

CAPACITY: Final = "https://w3id.org/emiciclo/capacity/"
UNSEARCHED: Final = ("chair", "unresolved")
"""Capacities whose speeches are not in the index: nobody could be cited."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The filters of a search, resolved; `speeches` and `acts` are None where nothing limits them by IRI."""

    filters: Filters
    until: date
    """The last day that counts."""
    capacity: str | None
    speeches: tuple[str, ...] | None
    acts: tuple[str, ...] | None

    @property
    def where(self) -> Where:
        """The filter of passages, for the index."""
        where = self.filters.where(self.until)
        if self.capacity:
            where = where.narrowed(capacity=(CAPACITY + self.capacity,))
        return where if self.speeches is None else where.narrowed(speech=self.speeches)

    @property
    def where_acts(self) -> Where:
        """The filter of acts, for the index."""
        days = self.filters.where(self.until)
        return Where(day_from=days.day_from, day_until=days.day_until, iris=self.acts)


def resolve(request: SearchRequest, engine: Engine) -> Scope:
    """Find out what the filters stand for. Raises `QuestionError`."""
    manifest = engine.corpus.manifest
    reference = request.as_of or manifest.last_day
    if reference is None:
        raise QuestionError("the loaded data hold no sitting; load transcripts first")
    named = request.filters.resolve(engine.chamber, reference)
    for iri in named.speakers:
        node(iri)
    first, last = named.date_from, named.date_until
    if request.month:
        month = request.month
        end = month.replace(day=calendar.monthrange(month.year, month.month)[1])
        first, last = max(filter(None, (first, month))), min(filter(None, (last, end)))
    filters = Filters(named.groups, named.speakers, first, last)
    return Scope(
        filters,
        min(last or reference, reference),
        request.capacity,
        _speeches(request, engine),
        _acts(request, named, engine.corpus.graph),
    )


def node(iri: str) -> NamedNode:
    """An IRI as a term. Raises `QuestionError` for what is none."""
    try:
        return NamedNode(iri)
    except ValueError as error:
        raise QuestionError(f"{iri[:100]!r} is not an IRI") from error


def _speeches(request: SearchRequest, engine: Engine) -> tuple[str, ...] | None:
    """The speeches that question, sitting and act allow, which the index does not know."""
    graph = engine.corpus.graph
    sets: list[Sequence[str]] = []
    if request.answering:
        days = replace(request.filters, groups=request.answering_groups, speakers=())
        sets.append(counted(request.answering, days, request.as_of, engine))
    if request.sitting:
        sets.append(listed("of-sittings", "?sitting", [node(request.sitting)], "speech", graph))
    if request.act:
        sets.append(listed("of-acts", "?act", [node(request.act)], "speech", graph))
    return _common(sets)


def _acts(request: SearchRequest, filters: Filters, graph: GraphStore) -> tuple[str, ...] | None:
    """The acts that filters by first signatory, by debate and by the act itself allow."""
    if request.kind == "speeches":
        return ()
    sets: list[Sequence[str]] = []
    if request.act:
        sets.append([request.act])
    if request.sitting:
        sets.append(listed("acts-in-sittings", "?sitting", [node(request.sitting)], "act", graph))
    if filters.speakers:
        sets.append(listed("acts-of-people", "?speaker", map(node, filters.speakers), "act", graph))
    if filters.groups:
        groups = [NamedNode(iri) for iri in filters.groups if ":" in iri]  # the government signs without a name
        sets.append(listed("acts-of-groups", "?group", groups, "act", graph))
    if request.answering:
        sets.append(())  # an act says nothing in the chamber
    if request.capacity:
        sets.append(())  # nobody signs as a member of the government or as a rapporteur
    return _common(sets)


def _common(sets: Sequence[Iterable[str]]) -> tuple[str, ...] | None:
    return tuple(sorted(set.intersection(*map(set, sets)))) if sets else None


def listed(query: str, variable: str, terms: Iterable[Term], name: str, graph: GraphStore) -> list[str]:
    """One column of a query of this folder, bound to terms; nothing for no terms."""
    rows = list(terms)
    if not rows:
        return []
    return [row[name].value for row in graph.select(sparql.bind(sparql.query(f"search/{query}"), variable, rows))]

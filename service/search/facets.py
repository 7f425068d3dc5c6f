"""How the results of a search are spread over groups, speakers, capacities, months, sittings and acts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

import sparql
from loaders.names import organisation_name
from service.chamber import Chamber
from service.evidence import GOVERNMENT
from service.graph import GraphStore, text_of
from service.search.heads import Head
from service.search.request import Dimension, Facet, FacetValue

SHOWN: Final = 8
"""Values of a dimension."""


def count(heads: Sequence[Head], graph: GraphStore, chamber: Chamber, on: date) -> tuple[Facet, ...]:
    """Count speeches by each dimension, the commonest values first; months and sittings the latest first.

    Labels are the record's own; groups are called as on the day `on`.
    """
    acts = _acts([head.speech for head in heads], graph)
    called = titles(_commonest(acts.values()), graph)
    labels: dict[Dimension, dict[str, str]] = {
        "group": {iri: organisation_name(o.name_on(on)) for iri, o in chamber.organisations.items()},
        "speaker": {head.speaker: head.name or head.speaker for head in heads if head.speaker},
        "capacity": {},
        "month": {},
        "sitting": {head.sitting: head.number or "" for head in heads},
        "act": called,
    }
    values: dict[Dimension, Counter[str]] = {
        "group": Counter(
            value for h in heads if (value := GOVERNMENT if h.capacity == "government" else h.group) is not None
        ),
        "speaker": Counter(h.speaker for h in heads if h.speaker),
        "capacity": Counter(h.capacity for h in heads),
        "month": Counter(f"{h.date:%Y-%m}" for h in heads),
        "sitting": Counter(h.sitting for h in heads),
        "act": Counter(act for found in acts.values() for act in found),
    }
    days = {head.sitting: head.date for head in heads} | {f"{h.date:%Y-%m}": h.date.replace(day=1) for h in heads}
    return tuple(facet(dimension, counted, labels[dimension], days) for dimension, counted in values.items() if counted)


def facet(dimension: Dimension, counted: Counter[str], labels: dict[str, str], days: dict[str, date]) -> Facet:
    """The commonest values of a dimension; months and sittings, which have days, the latest first."""
    order = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    if dimension in ("month", "sitting"):
        order.sort(key=lambda item: (days[item[0]], item[0]), reverse=True)
    values = tuple(FacetValue(value, labels.get(value, value), number, days.get(value)) for value, number in order)
    return Facet(dimension, values, len(counted) - len(values))


def _acts(speeches: Sequence[str], graph: GraphStore) -> dict[str, set[str]]:
    if not speeches:
        return {}
    found: defaultdict[str, set[str]] = defaultdict(set)
    query = sparql.bind(sparql.query("search/acts-of-speeches"), "?speech", [NamedNode(s) for s in sorted(speeches)])
    for row in graph.select(query):
        found[row["speech"].value].add(row["act"].value)
    return found


def _commonest(sets: Iterable[set[str]]) -> list[str]:
    counted = Counter(act for found in sets for act in found)
    return [act for act, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]]


def titles(acts: Sequence[str], graph: GraphStore) -> dict[str, str]:
    """What acts are called: number and title."""
    if not acts:
        return {}
    found: dict[str, str] = {}
    query = sparql.bind(sparql.query("retrieval/acts"), "?act", [NamedNode(act) for act in sorted(acts)])
    for row in graph.select(query):
        number, title = text_of(row, "number"), row["title"].value
        found.setdefault(row["act"].value, f"A.C. {number}, {title}" if number else title)
    return found

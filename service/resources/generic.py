"""Any resource as a table of its properties, and what points at it, page by page."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

import sparql
from ontology import XSD
from service.graph import GraphStore
from service.resources.description import mentions
from service.resources.names import TYPE, Name, Names
from service.resources.vocabulary import terms

PER_PAGE: Final = 50
MOST_VALUES: Final = 200
"""Values of one property that a page shows; the RDF forms have them all."""
MOST_MENTIONS: Final = 50_000
"""Mentions by one property that can be paged through; more are only counted."""
LONGEST_ADDRESS: Final = 60
"""Characters of an IRI that a page shows whole where nothing names it."""
_SITE: Final = re.compile(r"https?://([^/?#]+)")
_DEEPEST: Final = 4

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some of many things, and which of how many pages this is."""

    items: tuple[Item, ...]
    number: int
    pages: int
    total: int

    @property
    def before(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None


def paged(items: Sequence[Item], number: int, size: int = PER_PAGE) -> Page[Item]:
    """A page of a sequence; a number beyond the last page is the last page."""
    pages = max(1, -(-len(items) // size))
    number = min(max(1, number), pages)
    return Page(tuple(items[(number - 1) * size : number * size]), number, pages, len(items))


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a property: a resource, a literal, or a blank node with facts of its own."""

    text: str
    language: str | None = None
    iri: str | None = None
    described: bool = True
    datatype: str | None = None
    facts: "tuple[Fact, ...]" = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A property with its values; `left_out` counts those above `MOST_VALUES`."""

    predicate: str
    label: str
    values: tuple[Value, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Inverse:
    """A property by which others point here; `page` is None where it is not opened."""

    predicate: str
    label: str
    total: int
    page: Page[tuple[str, Name]] | None

    @property
    def listed(self) -> bool:
        """Whether it can be opened."""
        return self.total <= MOST_MENTIONS


def facts_of(iri: NamedNode, triples: Sequence[Triple], names: Names) -> tuple[Fact, ...]:
    """The description of a resource as facts, types first."""
    types = {t.object.value for t in triples if t.predicate.value == TYPE and isinstance(t.object, NamedNode)}
    labels = terms(types | {triple.predicate.value for triple in triples}, names)
    linked = names.of(triple.object.value for triple in triples if isinstance(triple.object, NamedNode))
    by_subject: defaultdict[object, list[Triple]] = defaultdict(list)
    for triple in triples:
        by_subject[triple.subject].append(triple)

    def facts(subject: NamedNode | BlankNode, above: frozenset[object]) -> tuple[Fact, ...]:
        values: defaultdict[str, list[Value]] = defaultdict(list)
        for triple in by_subject[subject]:
            values[triple.predicate.value].append(value(triple.object, above | {subject}))
        found = (
            Fact(
                predicate,
                labels[predicate],
                tuple(sorted(shown, key=lambda v: (v.text, v.iri or "", v.language or ""))[:MOST_VALUES]),
                max(0, len(shown) - MOST_VALUES),
            )
            for predicate, shown in values.items()
        )
        return tuple(sorted(found, key=lambda fact: (fact.predicate != TYPE, fact.label.casefold(), fact.predicate)))

    def value(term: object, above: frozenset[object]) -> Value:
        if isinstance(term, NamedNode):
            name = linked[term.value]
            text = name.text if name.described else labels.get(term.value) or _address(term.value)
            return Value(text, name.language, term.value, name.described)
        if isinstance(term, Literal):
            plain = term.language or term.datatype.value == f"{XSD}string"
            return Value(term.value, term.language or None, datatype=None if plain else term.datatype.value)
        if isinstance(term, BlankNode) and term not in above and len(above) < _DEEPEST:
            return Value("", facts=facts(term, above))
        return Value("…")

    return facts(iri, frozenset())


def _address(iri: str) -> str:
    """What a link that leads away says: the IRI, or the site and the last part of one that is long."""
    if len(iri) <= LONGEST_ADDRESS:
        return iri
    site, last = _SITE.match(iri), re.split(r"[/#?=&:;]", iri.rstrip("/"))[-1]
    return f"{site[1]} … {last}" if site and len(site[1]) + len(last) < LONGEST_ADDRESS else f"{iri[:LONGEST_ADDRESS]}…"


def inverses(
    iri: NamedNode, graph: GraphStore, names: Names, opened: str | None = None, number: int = 1
) -> tuple[Inverse, ...]:
    """What points at a resource, by property: the opened one on the page asked for, short lists at once."""
    counts = mentions(iri, graph)
    shown: list[str] = []
    if opened in counts and counts[opened] <= MOST_MENTIONS:
        shown = [opened]
    else:
        room = PER_PAGE
        for predicate, count in sorted(counts.items(), key=lambda item: (item[1], item[0])):
            if count <= room:
                shown.append(predicate)
                room -= count
    pages = {predicate: paged(found, number) for predicate, found in _mentions(iri, shown, graph).items()}
    called = names.of(subject for page in pages.values() for subject in page.items)
    labels = terms(set(counts), names)
    return tuple(
        sorted(
            (
                Inverse(predicate, labels[predicate], total, _named(pages.get(predicate), called, total))
                for predicate, total in counts.items()
            ),
            key=lambda inverse: (inverse.label.casefold(), inverse.predicate),
        )
    )


def _mentions(iri: NamedNode, properties: Sequence[str], graph: GraphStore) -> dict[str, list[str]]:
    """The IRIs that point at a resource by the properties, in the order of their names."""
    if not properties:
        return {}
    query = sparql.bind(sparql.query("resources/inverse"), "?resource", [iri])
    query = sparql.bind(query, "?property", [NamedNode(predicate) for predicate in properties])
    found: defaultdict[str, list[str]] = defaultdict(list)
    for triple in graph.construct(query):
        if isinstance(triple.subject, NamedNode):
            found[triple.predicate.value].append(triple.subject.value)
    return {predicate: sorted(subjects) for predicate, subjects in found.items()}


def _named(page: Page[str] | None, called: Mapping[str, Name], total: int) -> Page[tuple[str, Name]] | None:
    if page is None:
        return None
    return Page(tuple((iri, called[iri]) for iri in page.items), page.number, page.pages, total)

"""What a load adds to what its sources state: rules in SPARQL, and the little that SPARQL cannot do.

A rule over `?sitting` says something about the parts of a sitting and is applied where transcripts are read
(`service.loading.transcripts`); every other rule is about the register and is applied here, once.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from pyoxigraph import BlankNode, NamedNode, Quad, Store, Triple

import mappings
import ontology
import sparql
from loaders import institution, ocd
from loaders.record import Names
from service.chamber import committees
from service.graph import EmbeddedGraph
from service.loading.transcripts import is_about_sittings
from service.thesaurus import Thesaurus

MANY: Final = 50_000
"""Quads from which a bulk load is worth its files: every bulk load waits for the disk."""
_CONCEPT: Final = NamedNode(f"{ontology.EMI}concept")
_NAME: Final = NamedNode(f"{ontology.FOAF}name")


def enrich_register(store: Store, names: Names) -> None:
    """Apply the mapping's rules, then the common ones about the register, each over what is there so far."""
    source = NamedNode(names.mapping.dataset.source_graph)
    for _, rule in mappings.rules(names.mapping):
        _apply(store, rule, names)
    add(store, list(ocd.readable_literals(store, source=source, graph=names.graph)))
    graph = EmbeddedGraph(store)
    labels = {committee.label: NamedNode(committee.iri) for committee in committees(graph)}
    add(store, list(institution.quads(names, labels)))
    for rule in map(sparql.query, sparql.names("enrich")):
        if not is_about_sittings(rule):
            _apply(store, rule, names)
    thesaurus = Thesaurus.read(graph)
    subjects = {
        Quad(NamedNode(row["act"].value), _CONCEPT, NamedNode(concept.iri), names.graph)
        for row in graph.select(sparql.query("enrich/subjects/acts"))
        for concept in thesaurus.match(row["title"].value)
    }
    add(store, list(subjects))


def add_people(store: Store, names: Names, found: Iterable[Triple]) -> None:
    """Add what sittings say of people whom the register does not know, in the order of time: the first name stays."""
    named: set[Triple | NamedNode | BlankNode] = set()
    chosen: list[Triple] = []
    for triple in found:
        if triple.predicate == _NAME and triple.subject in named:
            continue
        if triple.predicate == _NAME:
            named.add(triple.subject)
        chosen.append(triple)
    add(store, list(_new(store, chosen, names.graph)))


def add(store: Store, quads: list[Quad]) -> None:
    """Add quads, in bulk only where they are many."""
    if len(quads) > MANY:
        store.bulk_extend(quads)
    else:
        store.extend(quads)


def _apply(store: Store, rule: str, names: Names) -> None:
    values = {"?base": NamedNode(names.base), "?chamber": names.chamber}
    for variable, value in values.items():
        if f"VALUES {variable} " in rule:
            rule = sparql.bind(rule, variable, [value])
    add(store, list(_new(store, EmbeddedGraph(store).construct(rule), names.graph)))


def _new(store: Store, triples: Iterable[Triple], graph: NamedNode) -> Iterator[Quad]:
    """The triples that the store does not hold: what a source already states is not stated again."""
    stated: dict[NamedNode, bool] = {}
    for triple in dict.fromkeys(triples):
        subject, predicate, value = triple.subject, triple.predicate, triple.object
        if predicate not in stated:
            stated[predicate] = any(store.quads_for_pattern(None, predicate, None, None))
        if not (stated[predicate] and any(store.quads_for_pattern(subject, predicate, value, None))):
            yield Quad(subject, predicate, value, graph)

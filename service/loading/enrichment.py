"""What a load adds to what its sources state: rules in SPARQL, and the little that SPARQL cannot do.

A rule over `?sitting` says something about the parts of sittings and is applied to the sittings that a load
reads; every other rule is about the register and is applied once.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pyoxigraph import NamedNode, Quad, Store, Triple

import mappings
import ontology
import sparql
from loaders import institution, ocd
from loaders.record import Names
from service.chamber import committees
from service.graph import EmbeddedGraph
from service.thesaurus import Thesaurus

AT_ONCE: Final = 600
"""Sittings whose parts are enriched at once: what a rule constructs has to fit into memory."""
MANY: Final = 50_000
"""Quads from which a bulk load is worth its files: every bulk load waits for the disk."""
_CONCEPT: Final = NamedNode(f"{ontology.EMI}concept")


def enrich_register(store: Store, names: Names) -> None:
    """Apply the mapping's rules, then the common ones about the register, each over what is there so far."""
    source = NamedNode(names.mapping.dataset.source_graph)
    for _, rule in mappings.rules(names.mapping):
        _apply(store, rule, names)
    add(store, list(ocd.readable_literals(store, source=source, graph=names.graph)))
    graph = EmbeddedGraph(store)
    labels = {committee.label: NamedNode(committee.iri) for committee in committees(graph)}
    add(store, list(institution.quads(names, labels)))
    for rule in _rules(about_sittings=False):
        _apply(store, rule, names)
    thesaurus = Thesaurus.read(graph)
    subjects = {
        Quad(NamedNode(row["act"].value), _CONCEPT, NamedNode(concept.iri), names.graph)
        for row in graph.select(sparql.query("index/acts"))
        for concept in thesaurus.match(row["title"].value)
    }
    add(store, list(subjects))


def enrich_sittings(store: Store, names: Names, sittings: Sequence[NamedNode]) -> None:
    """Apply the rules about the parts of sittings to these, which follow one another in time."""
    for begin in range(0, len(sittings), AT_ONCE):
        for rule in _rules(about_sittings=True):
            _apply(store, rule, names, sittings[begin : begin + AT_ONCE])


def add(store: Store, quads: list[Quad]) -> None:
    """Add quads, in bulk only where they are many."""
    if len(quads) > MANY:
        store.bulk_extend(quads)
    else:
        store.extend(quads)


def _rules(*, about_sittings: bool) -> Iterator[str]:
    rules = map(sparql.query, sparql.names("enrich"))
    return (rule for rule in rules if ("VALUES ?sitting " in rule) == about_sittings)


def _apply(store: Store, rule: str, names: Names, sittings: Sequence[NamedNode] = ()) -> None:
    values = {"?base": (NamedNode(names.base),), "?chamber": (names.chamber,), "?sitting": sittings}
    for variable, rows in values.items():
        if f"VALUES {variable} " in rule:
            rule = sparql.bind(rule, variable, rows)
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

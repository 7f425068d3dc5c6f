"""What the graph holds about one IRI."""

import re
from collections.abc import Iterable
from itertools import islice
from math import isfinite
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

import sparql
from ontology import RDF, XSD
from service.errors import EmicicloError
from service.graph import GraphStore

LONGEST_IRI: Final = 2000
"""Characters of an IRI that anybody may ask for."""
MOST_TRIPLES: Final = 10_000
"""Triples of a description; what has more is a matter for SPARQL or for the dumps."""
_TYPE: Final = f"{RDF}type"
_DOUBLE: Final = f"{XSD}double"
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class TooLargeError(EmicicloError):
    """A description has more triples than one response carries."""


def parse_iri(text: str) -> NamedNode:
    """Check that a text is an absolute IRI. Raises `ValueError` that tells what is wrong with it."""
    if len(text) > LONGEST_IRI:
        raise ValueError(f"it has {len(text)} characters and the limit is {LONGEST_IRI}")
    return NamedNode(text)


def is_held(iri: NamedNode, graph: GraphStore) -> bool:
    """Whether an IRI is the subject or the object of anything."""
    return graph.ask(sparql.bind(sparql.query("resources/held"), "?resource", [iri]))


def describe(iri: NamedNode, graph: GraphStore) -> tuple[Triple, ...]:
    """The triples with the IRI as their subject, and below them those of blank nodes, in a fixed order.

    Of an IRI that is an object alone, the triples that it is the object of; of a property of which
    nothing is said, that it is one; of an IRI that is not held, none. Raises `TooLargeError` above `MOST_TRIPLES`.
    """
    size = graph.select(sparql.bind(sparql.query("resources/size"), "?resource", [iri]))
    outgoing = int(size[0]["statements"].value) if size else 0
    if max(outgoing, 0 if outgoing else sum(mentions(iri, graph).values())) > MOST_TRIPLES:
        raise _too_large(iri)
    name = "resources/describe" if outgoing else "resources/mentions"
    found = bounded(iri, graph.construct(sparql.bind(sparql.query(name), "?resource", [iri])))
    return found or as_property(iri, graph)


def as_property(iri: NamedNode, graph: GraphStore) -> tuple[Triple, ...]:
    """That an IRI is a property, as its use says; nothing where it is not used as one."""
    return tuple(graph.construct(sparql.bind(sparql.query("resources/property"), "?resource", [iri])))


def mentions(iri: NamedNode, graph: GraphStore) -> dict[str, int]:
    """How many times an IRI is the object of each property."""
    rows = graph.select(sparql.bind(sparql.query("resources/inverse-counts"), "?resource", [iri]))
    return {row["property"].value: int(row["number"].value) for row in rows}


def bounded(iri: NamedNode, triples: Iterable[Triple]) -> tuple[Triple, ...]:
    """Triples once each, those of `iri` and types first. Raises `TooLargeError` above `MOST_TRIPLES`."""
    found = {canonical(triple) for triple in islice(triples, MOST_TRIPLES + 1)}
    if len(found) > MOST_TRIPLES:
        raise _too_large(iri)

    def place(triple: Triple) -> tuple[bool, bool, str, bool, str, str]:
        subject, predicate = triple.subject, triple.predicate.value
        return (
            subject != iri,
            isinstance(subject, BlankNode),
            str(subject),
            predicate != _TYPE,
            predicate,
            str(triple.object),
        )

    return tuple(sorted(found, key=place))


def canonical(triple: Triple) -> Triple:
    """The triple with an `xsd:double` in its canonical form, where that is the same number.

    Processors of JSON-LD write doubles so, whatever form they read, and stores have forms of
    their own: only in this one are all forms of a description the same statements.
    """
    term = triple.object
    if not isinstance(term, Literal) or term.datatype.value != _DOUBLE or not _NUMBER.fullmatch(term.value):
        return triple
    number = float(term.value)
    if not isfinite(number):
        return triple
    mantissa, exponent = f"{number:.15E}".split("E")
    whole, decimals = mantissa.split(".")
    text = f"{whole}.{decimals.rstrip('0') or '0'}E{int(exponent)}"
    if float(text) != number:  # it needs 17 digits
        return triple
    return Triple(triple.subject, triple.predicate, Literal(text, datatype=term.datatype))


def _too_large(iri: NamedNode) -> TooLargeError:
    return TooLargeError(f"more than {MOST_TRIPLES} triples describe {iri.value}")

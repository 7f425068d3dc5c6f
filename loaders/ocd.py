"""The Chamber's OCD data as published, in one graph, with stable IRIs for its membership nodes.

OCD publishes a membership as an untyped blank node, and every triple once per named graph.
Here each triple is kept once, in the source's own graph, and the membership nodes get an IRI
made of who, where and since when. Every other blank node stays one: people filter on them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store

import ontology
import sparql
from loaders import rdf
from loaders.names import clean_title, display_name

_ORGANISATION = {
    f"{ontology.OCD}aderisce": f"{ontology.OCD}rif_gruppoParlamentare",
    f"{ontology.OCD}membro": f"{ontology.OCD}rif_organo",
    f"{ontology.OCD}siComponeDi": f"{ontology.OCD}rif_deputato",
}
_START = f"{ontology.OCD}startDate"


@dataclass(frozen=True, slots=True)
class Counts:
    """What a load of OCD files held: quads read, of which triples that repeat in another graph."""

    quads: int
    repeated: int
    membership_nodes: int


def load(
    paths: Iterable[Path],
    store: Store,
    *,
    graph: NamedNode,
    base: str,
    progress: Callable[[int], None] = lambda _: None,
) -> Counts:
    """Load OCD files into `graph` of `store`. Raises `loaders.errors.SourceError`.

    `progress` is called with the number of quads read so far, now and then.
    """
    read = 0
    unnamed: list[Quad] = []

    def quads() -> Iterator[Quad]:
        nonlocal read
        for path in paths:
            for quad in rdf.read(path):
                read += 1
                if read % 10_000 == 0:
                    progress(read)
                subject, value = quad.subject, quad.object
                if isinstance(subject, BlankNode) or isinstance(value, BlankNode):
                    # Until all is known of the nodes: what names a membership may stand anywhere.
                    unnamed.append(quad)
                else:
                    yield Quad(subject, quad.predicate, value, graph)

    before = len(store)
    store.bulk_extend(quads())
    names = _membership_names(unnamed, base)
    store.bulk_extend(
        Quad(names.get(quad.subject, quad.subject), quad.predicate, names.get(quad.object, quad.object), graph)
        for quad in unnamed
    )
    progress(read)
    return Counts(quads=read, repeated=read - (len(store) - before), membership_nodes=len(names))


def _membership_names(quads: Iterable[Quad], base: str) -> dict[Any, NamedNode]:
    """An IRI for each membership node: `{base}membership/d1_19-gr2-20221018`, `-2` if taken.

    Nodes that say the same of the same holder, such as those of two partial dumps, are one.
    """
    held_by: dict[BlankNode, tuple[str, str]] = {}
    values: defaultdict[BlankNode, dict[str, str]] = defaultdict(dict)
    for quad in quads:
        if isinstance(quad.subject, BlankNode) and isinstance(quad.object, NamedNode | Literal):
            values[quad.subject][quad.predicate.value] = quad.object.value
        if (
            isinstance(quad.object, BlankNode)
            and isinstance(quad.subject, NamedNode)
            and quad.predicate.value in _ORGANISATION
        ):
            held_by[quad.object] = (quad.subject.value, quad.predicate.value)
    alike: defaultdict[tuple[str, ...], list[BlankNode]] = defaultdict(list)
    for node, holding in held_by.items():
        facts = (f"{key}={value}" for key, value in sorted(values[node].items()))
        alike[(*holding, *facts)].append(node)
    taken: Counter[str] = Counter()
    names: dict[Any, NamedNode] = {}
    for (holder, predicate, *_), nodes in sorted(alike.items()):
        stated = values[nodes[0]]
        who, where = _local(holder), _local(stated.get(_ORGANISATION[predicate], ""))
        if predicate.endswith("siComponeDi"):
            who, where = where, who
        start = re.sub(r"\D", "", stated.get(_START, ""))
        name = f"{base}membership/{who}-{where}-{start}"
        taken[name] += 1
        iri = NamedNode(name if taken[name] == 1 else f"{name}-{taken[name]}")
        names.update(dict.fromkeys(nodes, iri))
    return names


def _local(iri: str) -> str:
    return iri.rsplit("/", 1)[-1]


def readable_literals(store: Store, *, source: NamedNode, graph: NamedNode) -> Iterator[Quad]:
    """Yield display names of people and clean titles of acts, for the extension graph.

    Case, accents and HTML entities are the only things that a CONSTRUCT rule cannot mend.
    """
    for row in _select(store, "enrich/literals/people", source):
        surname = row["inUse"] or row["surname"]
        name = display_name(row["firstName"].value, surname.value)
        yield Quad(row["person"], NamedNode(f"{ontology.FOAF}name"), Literal(name), graph)
    for row in _select(store, "enrich/literals/acts", source):
        title = clean_title(row["title"].value)
        if title:
            yield Quad(row["act"], NamedNode(f"{ontology.DCTERMS}title"), Literal(title, language="it"), graph)


def _select(store: Store, name: str, source: NamedNode) -> Any:
    return store.query(sparql.query(name), default_graph=source, named_graphs=[])

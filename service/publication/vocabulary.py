"""The ontology, the schemes and the shapes, as their pages show them. All of it is read from the Turtle files."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

import ontology
from ontology import DCTERMS, EMI, RDF, RDFS, SCHEMA, SKOS
from service.prefixes import PREFIXES

OWL: Final = "http://www.w3.org/2002/07/owl#"
SH: Final = "http://www.w3.org/ns/shacl#"
SHAPES: Final = "https://w3id.org/emiciclo/shapes#"

Node = NamedNode | BlankNode | Literal | Triple
Texts = Mapping[str, str]
"""A text by language."""

_KINDS: Final = (f"{OWL}Class", f"{OWL}ObjectProperty", f"{OWL}DatatypeProperty")
_PARENTS: Final = (f"{RDFS}subClassOf", f"{RDFS}subPropertyOf")
_MATCHES: Final = tuple(f"{SKOS}{kind}Match" for kind in ("exact", "close", "broad", "narrow", "related"))


@dataclass(frozen=True, slots=True)
class Term:
    """A class or property of the ontology."""

    iri: str
    name: str
    """What follows the namespace; the fragment at which the page describes it."""
    label: Texts
    definition: Texts
    parents: tuple[str, ...]
    domain: tuple[str, ...]
    range: tuple[str, ...]
    matches: tuple[str, ...]
    also: tuple[str, ...]
    """Types beside its kind."""
    users: tuple[str, ...]
    """Own terms that are below it, or whose domain or range it is."""


@dataclass(frozen=True, slots=True)
class Ontology:
    """The ontology by kind of term, each in alphabetical order of the names."""

    title: Texts
    description: Texts
    version: str
    licence: str
    classes: tuple[Term, ...]
    object_properties: tuple[Term, ...]
    datatype_properties: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of a SKOS scheme."""

    iri: str
    name: str
    """What follows the scheme's IRI; the fragment at which the page describes it."""
    label: Texts
    definition: Texts
    alternatives: Mapping[str, tuple[str, ...]]
    """By language."""
    broader: tuple[str, ...]
    narrower: tuple[str, ...]
    related: tuple[str, ...]
    matches: tuple[str, ...]
    """IRIs in other vocabularies."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A SKOS concept scheme."""

    iri: str
    name: str
    title: Texts
    description: Texts
    concepts: Mapping[str, Concept]
    """By IRI, in the order of the file."""

    @property
    def top(self) -> tuple[Concept, ...]:
        """The concepts with none above them."""
        return tuple(concept for concept in self.concepts.values() if not concept.broader)

    def alphabet(self, language: str) -> tuple[tuple[str, tuple[Concept, ...]], ...]:
        """The concepts by the first letter of their label in a language."""
        letters: defaultdict[str, list[Concept]] = defaultdict(list)
        for concept in sorted(self.concepts.values(), key=lambda concept: text(concept.label, language).casefold()):
            first = text(concept.label, language)[:1].upper()
            letters[first if first.isalpha() else "#"].append(concept)
        return tuple((letter, tuple(concepts)) for letter, concepts in letters.items())


@dataclass(frozen=True, slots=True)
class Shape:
    """A SHACL node shape: what it holds of, and what it asks for."""

    iri: str
    name: str
    label: Texts
    targets: tuple[str, ...]
    messages: tuple[str, ...]


@cache
def triples(name: str) -> tuple[Triple, ...]:
    """The triples of a file of the ontology, in its order, with numbered blank nodes: forms come out the same."""
    numbers: dict[BlankNode, BlankNode] = {}

    def term(node: Any) -> Any:
        return numbers.setdefault(node, BlankNode(f"n{len(numbers)}")) if isinstance(node, BlankNode) else node

    quads = parse(ontology.read(name).encode(), format=RdfFormat.TURTLE)
    return tuple(Triple(term(quad.subject), quad.predicate, term(quad.object)) for quad in quads)


@cache
def read_ontology() -> Ontology:
    """The ontology."""
    graph = _Graph(triples("emiciclo.ttl"))
    iri = EMI.rstrip("#")
    users: defaultdict[str, list[str]] = defaultdict(list)
    for subject in graph.subjects():
        if subject.startswith(EMI):
            for predicate in (*_PARENTS, f"{SCHEMA}domainIncludes", f"{SCHEMA}rangeIncludes"):
                for value in graph.iris(subject, predicate):
                    users[value].append(subject)

    def of_kind(kind: str) -> tuple[Term, ...]:
        found = [subject for subject in graph.subjects() if kind in graph.iris(subject, f"{RDF}type")]
        terms = (
            Term(
                iri=subject,
                name=subject.removeprefix(EMI),
                label=graph.texts(subject, f"{RDFS}label"),
                definition=graph.texts(subject, f"{RDFS}comment"),
                parents=graph.iris(subject, *_PARENTS),
                domain=graph.iris(subject, f"{SCHEMA}domainIncludes"),
                range=graph.iris(subject, f"{SCHEMA}rangeIncludes"),
                matches=graph.iris(subject, *_MATCHES),
                also=tuple(value for value in graph.iris(subject, f"{RDF}type") if value not in _KINDS),
                users=tuple(sorted(set(users[subject]))),
            )
            for subject in found
        )
        return tuple(sorted(terms, key=lambda term: term.name.casefold()))

    classes, objects, datatypes = (of_kind(kind) for kind in _KINDS)
    return Ontology(
        title=graph.texts(iri, f"{DCTERMS}title"),
        description=graph.texts(iri, f"{DCTERMS}description"),
        version=next(iter(graph.texts(iri, f"{OWL}versionInfo").values()), ""),
        licence=next(iter(graph.iris(iri, f"{DCTERMS}license")), ""),
        classes=classes,
        object_properties=objects,
        datatype_properties=datatypes,
    )


@cache
def read_schemes(name: str) -> tuple[Scheme, ...]:
    """The concept schemes of a file, such as `"topics.ttl"`."""
    graph = _Graph(triples(name))
    schemes = [s for s in graph.subjects() if f"{SKOS}ConceptScheme" in graph.iris(s, f"{RDF}type")]
    narrower: defaultdict[str, list[str]] = defaultdict(list)
    for subject in graph.subjects():
        for broader in graph.iris(subject, f"{SKOS}broader"):
            narrower[broader].append(subject)

    def concept(iri: str, scheme: str) -> Concept:
        alternatives: defaultdict[str, list[str]] = defaultdict(list)
        for label in graph.literals(iri, f"{SKOS}altLabel"):
            alternatives[label.language or ""].append(label.value)
        return Concept(
            iri=iri,
            name=iri.removeprefix(scheme),
            label=graph.texts(iri, f"{SKOS}prefLabel"),
            definition=graph.texts(iri, f"{SKOS}definition"),
            alternatives={language: tuple(labels) for language, labels in alternatives.items()},
            broader=graph.iris(iri, f"{SKOS}broader"),
            narrower=tuple(narrower[iri]),
            related=graph.iris(iri, f"{SKOS}related"),
            matches=graph.iris(iri, *_MATCHES),
        )

    return tuple(
        Scheme(
            iri=scheme,
            name=scheme.rstrip("/").rsplit("/", 1)[-1],
            title=graph.texts(scheme, f"{DCTERMS}title"),
            description=graph.texts(scheme, f"{DCTERMS}description"),
            concepts={
                iri: concept(iri, scheme) for iri in graph.subjects() if scheme in graph.iris(iri, f"{SKOS}inScheme")
            },
        )
        for scheme in schemes
    )


@cache
def read_shapes() -> tuple[Shape, ...]:
    """The node shapes that say what they hold of."""
    graph = _Graph(triples("shapes.ttl"))
    return tuple(
        Shape(
            iri=subject,
            name=subject.removeprefix(SHAPES),
            label=graph.texts(subject, f"{RDFS}label"),
            targets=targets,
            messages=tuple(
                label.value
                for node in (subject, *graph.values(subject, f"{SH}property"))
                for label in graph.literals(node, f"{SH}message")
            ),
        )
        for subject in graph.subjects()
        if (targets := graph.iris(subject, f"{SH}targetClass", f"{SH}targetSubjectsOf", f"{SH}targetObjectsOf"))
    )


def text(texts: Texts, language: str) -> str:
    """The text in a language, else in English, else in any."""
    return texts.get(language) or texts.get("en") or next(iter(texts.values()), "")


def curie(iri: str) -> str:
    """An IRI by the short name of its namespace, where that is known; else whole."""
    for namespace, prefix in _namespaces():
        if (
            iri.startswith(namespace)
            and (local := iri.removeprefix(namespace))
            and "/" not in local
            and "#" not in local
        ):
            return f"{prefix}:{local}"
    return iri


@cache
def _namespaces() -> tuple[tuple[str, str], ...]:
    """Namespaces and their short names, the longest first, and the first of several names of one."""
    first: dict[str, str] = {}
    for prefix, namespace in PREFIXES.items():
        first.setdefault(namespace, prefix)
    return tuple(sorted(first.items(), key=lambda item: -len(item[0])))


class _Graph:
    """Triples by subject and predicate. Subjects that are blank nodes go by their labels."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._values: defaultdict[str, defaultdict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        for triple in triples:
            self._values[_key(triple.subject)][triple.predicate.value].append(triple.object)

    def subjects(self) -> tuple[str, ...]:
        return tuple(subject for subject in self._values if not subject.startswith("_:"))

    def values(self, subject: str, predicate: str) -> tuple[str, ...]:
        return tuple(_key(value) for value in self._of(subject, predicate))

    def iris(self, subject: str, *predicates: str) -> tuple[str, ...]:
        found = (value for predicate in predicates for value in self._of(subject, predicate))
        return tuple(value.value for value in found if isinstance(value, NamedNode))

    def literals(self, subject: str, predicate: str) -> tuple[Literal, ...]:
        return tuple(value for value in self._of(subject, predicate) if isinstance(value, Literal))

    def texts(self, subject: str, predicate: str) -> dict[str, str]:
        return {literal.language or "": literal.value for literal in self.literals(subject, predicate)}

    def _of(self, subject: str, predicate: str) -> list[Node]:
        return self._values[subject][predicate] if subject in self._values else []


def _key(term: Node) -> str:
    return str(term) if isinstance(term, BlankNode | Triple) else term.value

"""A description in the forms that programs read: Turtle, N-Triples, JSON-LD and RDF/XML.

JSON-LD is compacted with the published context, of which each document carries the part that
it uses: it can be read without fetching anything.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from lxml import etree
from pyld import jsonld
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

import ontology
from ontology import RDF, XSD
from service.errors import EmicicloError
from service.prefixes import PREFIXES
from service.xml_names import LOCAL_NAME

_NAMES: Final = (
    *("emi", "role", "capacity", "side", "topic", "ocd"),
    *("dc", "dcat", "dcterms", "foaf", "oa", "org", "owl", "prov", "qb", "rdf", "rdfs", "schema", "skos", "skosxl"),
    *("sh", "spdx", "vann", "void", "xsd"),
)
_PREFIXES: Final = {name: PREFIXES[name] for name in _NAMES}
_XML: Final = "http://www.w3.org/XML/1998/namespace"

Document = dict[str, Any]


class NotExpressibleError(EmicicloError):
    """A form of RDF has no way to write what a description holds."""


def turtle(triples: Sequence[Triple]) -> bytes:
    """Turtle, with the prefixes that occur in it."""
    used = {
        name: namespace
        for name, namespace in _PREFIXES.items()
        if any(iri.startswith(namespace) for iri in _iris(triples))
    }
    return _written(serialize(triples, format=RdfFormat.TURTLE, prefixes=used))


def n_triples(triples: Sequence[Triple]) -> bytes:
    """N-Triples."""
    return _written(serialize(triples, format=RdfFormat.N_TRIPLES))


def json_ld(triples: Sequence[Triple]) -> bytes:
    """JSON-LD 1.1, compact; expanded where an IRI of the data would be taken for a short name of the context."""
    expanded = _expanded(triples)
    document: Any = expanded
    options: Any = {"base": "", "compactToRelative": False, "graph": len(expanded) > 1}
    try:
        compact = jsonld.compact(expanded, _context(), options)
        compact.pop("@context", None)
        document = {"@context": _part_used(compact), **compact}
    except jsonld.JsonLdError:
        pass
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def rdf_xml(triples: Sequence[Triple]) -> bytes:
    """RDF/XML. Raises `NotExpressibleError` for what XML cannot carry: some properties, and control characters."""
    split = {predicate: _split(predicate) for predicate in {triple.predicate.value for triple in triples}}
    known = {namespace: name for name, namespace in _PREFIXES.items()}
    namespaces = sorted({namespace for namespace, _ in split.values()} | {RDF})
    nsmap = {known.get(namespace, f"n{n}"): namespace for n, namespace in enumerate(namespaces)}
    root = etree.Element(f"{{{RDF}}}RDF", nsmap=nsmap)
    nodes: dict[str, Any] = {}
    for triple in triples:
        name = str(triple.subject)
        if name not in nodes:
            nodes[name] = etree.SubElement(root, f"{{{RDF}}}Description", _reference(triple.subject, "about"))
        namespace, local = split[triple.predicate.value]
        try:
            _value(etree.SubElement(nodes[name], f"{{{namespace}}}{local}"), triple.object)
        except ValueError as error:
            raise NotExpressibleError(f"RDF/XML cannot carry a value of {triple.predicate.value}: {error}") from error
    content: bytes = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    return content


WRITERS: Final[dict[str, Callable[[Sequence[Triple]], bytes]]] = {
    "ttl": turtle,
    "nt": n_triples,
    "jsonld": json_ld,
    "rdf": rdf_xml,
}
"""By the short name of the form."""


def _written(content: bytes | None) -> bytes:
    return content or b""


def _iris(triples: Iterable[Triple]) -> set[str]:
    found: set[str] = set()
    for triple in triples:
        found.add(triple.predicate.value)
        for term in (triple.subject, triple.object):
            if isinstance(term, NamedNode):
                found.add(term.value)
            elif isinstance(term, Literal) and not term.language and term.datatype.value != f"{XSD}string":
                found.add(term.datatype.value)
    return found


def _expanded(triples: Iterable[Triple]) -> list[Document]:
    """The expanded document, node by node, without lists and without native numbers: each lexical form stays."""
    nodes: defaultdict[str, Document] = defaultdict(dict)
    for triple in triples:
        node = nodes[_name(triple.subject)]
        predicate, value = triple.predicate.value, triple.object
        if predicate == f"{RDF}type" and isinstance(value, NamedNode | BlankNode):
            node.setdefault("@type", []).append(_name(value))
        else:
            node.setdefault(predicate, []).append(_object(value))
    return [{"@id": name, **node} for name, node in nodes.items()]


def _name(term: Any) -> str:
    if isinstance(term, NamedNode):
        return str(term.value)
    if isinstance(term, BlankNode):
        return str(term)
    raise NotExpressibleError("this form has no way to write a statement about a statement; ask for Turtle")


def _object(term: Any) -> Document:
    if not isinstance(term, Literal):
        return {"@id": _name(term)}
    if term.language:
        direction = {"@direction": str(term.direction.value)} if term.direction else {}
        return {"@value": term.value, "@language": term.language, **direction}
    if term.datatype.value == f"{XSD}string":
        return {"@value": term.value}
    return {"@value": term.value, "@type": term.datatype.value}


@cache
def _context() -> Document:
    """The published terms, and prefixes for what they leave out; where names meet, the published term wins."""
    published: Document = json.loads(ontology.read("context.jsonld"))["@context"]
    return {**_PREFIXES, **published}


def _part_used(document: Document) -> Document:
    """The definitions of the context that a compact document needs."""
    context = _context()
    words = {word for text in _words(document) for word in (text, text.split(":", 1)[0])}
    used = {word for word in words if word in context} | {"@version"}
    while True:
        more = {
            prefix
            for word in used
            for text in _words(context[word])
            if (prefix := text.split(":", 1)[0]) in context and prefix not in used
        }
        if not more:
            return {name: definition for name, definition in context.items() if name in used}
        used |= more


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)


def _split(predicate: str) -> tuple[str, str]:
    """Namespace and local name of a property, as XML needs them."""
    found = LOCAL_NAME.search(predicate)
    if not found or found.start() == 0:
        raise NotExpressibleError(f"RDF/XML has no way to write the property {predicate}; ask for another form")
    return predicate[: found.start()], found[0]


def _reference(term: Any, attribute: str) -> dict[str, str]:
    if isinstance(term, BlankNode):
        return {f"{{{RDF}}}nodeID": f"b{term.value}"}
    return {f"{{{RDF}}}{attribute}": _name(term)}


def _value(element: Any, term: Any) -> None:
    if not isinstance(term, Literal):
        element.attrib.update(_reference(term, "resource"))
        return
    element.text = term.value
    if term.direction:
        raise ValueError("it has a writing direction")
    if term.language:
        element.set(f"{{{_XML}}}lang", term.language)
    elif term.datatype.value != f"{XSD}string":
        element.set(f"{{{RDF}}}datatype", term.datatype.value)

"""N-Quads as the data structure that PyLD works on.

PyLD's own reader breaks lines at every character that Unicode calls a line break, takes a backslash
before an `n` for a newline, and looks through all triples for each triple that it reads.
"""

from typing import Any, Final

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

from ontology import RDF

_DEFAULT: Final = "@default"


def read_quads(quads: str) -> dict[str, list[dict[str, Any]]]:
    """The triples of N-Quads by graph, each once. Raises `SyntaxError`, and `TypeError` for a triple about a triple."""
    graphs: dict[str, dict[Any, dict[str, Any]]] = {}
    for quad in parse(quads.encode(), format=RdfFormat.N_QUADS):
        named = isinstance(quad.graph_name, NamedNode | BlankNode)
        graph = _node(quad.graph_name)["value"] if named else _DEFAULT
        graphs.setdefault(graph, {})[quad.triple] = {
            "subject": _node(quad.subject),
            "predicate": _node(quad.predicate),
            "object": _node(quad.object),
        }
    return {name: list(triples.values()) for name, triples in graphs.items()}


def _node(term: Any) -> dict[str, str]:
    match term:
        case NamedNode(value=iri):
            return {"type": "IRI", "value": iri}
        case BlankNode():
            return {"type": "blank node", "value": str(term)}
        case Literal(value=text, language=str(tag)):
            return {"type": "literal", "value": text, "datatype": f"{RDF}langString", "language": tag}
        case Literal(value=text, datatype=datatype):
            return {"type": "literal", "value": text, "datatype": datatype.value}
    raise TypeError(f"{term} cannot be told in JSON-LD")

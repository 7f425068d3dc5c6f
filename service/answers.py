"""The store of answers, apart from the record: one named graph an answer, named by the answer's IRI."""

from pathlib import Path

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, parse

from service.answer import jsonld


def keep_answer(folder: Path, document: jsonld.Document) -> bool:
    """Keep an answer's RDF in place of any former of that IRI; return False if another process holds the store."""
    graph = NamedNode(document["id"])
    triples = parse(jsonld.to_rdf(document).encode(), format=RdfFormat.N_QUADS, rename_blank_nodes=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        store = Store(str(folder))
    except OSError:
        return False
    store.remove_graph(graph)
    store.extend(Quad(q.subject, q.predicate, q.object, graph) for q in triples)
    store.flush()
    return True


def read_answer(folder: Path, iri: str) -> jsonld.Document | None:
    """Read an answer back as the document that it was made from; None if it is not there."""
    if not folder.is_dir():
        return None
    store = Store.read_only(str(folder))
    quads = [Quad(q.subject, q.predicate, q.object) for q in store.quads_for_pattern(None, None, None, NamedNode(iri))]
    if not quads:
        return None
    return jsonld.from_rdf("".join(f"{quad} .\n" for quad in quads))

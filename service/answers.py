"""The store of answers, apart from the record: one named graph an answer, named by the answer's IRI."""

import time
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, parse

from service.answer import jsonld

PATIENCE_SECONDS: Final = 3.0


def keep_answer(folder: Path, document: jsonld.Document) -> bool:
    """Keep an answer's RDF in place of any former of that IRI; return False if another process holds the store."""
    graph = NamedNode(document["id"])
    triples = parse(jsonld.to_rdf(document).encode(), format=RdfFormat.N_QUADS, rename_blank_nodes=True)
    store = _open(folder)
    if store is None:
        return False
    store.remove_graph(graph)
    store.extend(Quad(q.subject, q.predicate, q.object, graph) for q in triples)
    store.flush()
    return True


def _open(folder: Path) -> Store | None:
    """Open the store, waiting a little while another process keeps its own answer."""
    patience = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return Store(str(folder))
        except OSError:
            if time.monotonic() > patience:
                return None
            time.sleep(0.05)


def read_answer(folder: Path, iri: str) -> jsonld.Document | None:
    """Read an answer back as the document that it was made from; None if it is not there."""
    if not folder.is_dir():
        return None
    store = Store.read_only(str(folder))
    quads = [Quad(q.subject, q.predicate, q.object) for q in store.quads_for_pattern(None, None, None, NamedNode(iri))]
    if not quads:
        return None
    return jsonld.from_rdf("".join(f"{quad} .\n" for quad in quads))

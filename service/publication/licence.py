"""The licence of the data, as the graph states it."""

from pyoxigraph import NamedNode

import sparql
from service.corpus import Manifest
from service.errors import EmicicloError
from service.graph import GraphStore


def licence(graph: GraphStore, manifest: Manifest) -> str | None:
    """The IRI of the licence, if the graph states one that leads somewhere."""
    chamber = NamedNode(f"{manifest.base_iri}chamber/{manifest.dataset}")
    try:
        rows = graph.select(sparql.bind(sparql.query("resources/licence"), "?chamber", [chamber]))
    except EmicicloError:
        return None
    return next((row["licence"].value for row in rows if row["licence"].value.startswith(("http:", "https:"))), None)

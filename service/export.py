"""Dumps of the published graph."""

import shutil
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import DefaultGraph, Quad, RdfFormat, Store, serialize

from service.corpus import UNNAMED, DataDirectory, read_manifest
from service.errors import DataError


def export_quads(directory: DataDirectory, output: BinaryIO) -> None:
    """Write every quad of the published corpus as N-Quads. Raises `DataError` if nothing is loaded.

    What was loaded comes out: the merge that a default graph may hold (`Manifest.default_graph`)
    is left out, and what the sources had in no graph is told from it.
    """
    version = directory.published()
    merged = not read_manifest(version).union_default_graph
    try:
        store = Store.read_only(str(version / "graph"))
    except (OSError, RuntimeError) as error:
        raise DataError(f"the graph store {version / 'graph'} cannot be opened: {error}") from error
    if not merged:
        store.dump(output, format=RdfFormat.N_QUADS)
        return
    serialize(_named(store), output, format=RdfFormat.N_QUADS)
    with (version / UNNAMED).open("rb") as unnamed:
        shutil.copyfileobj(unnamed, output)


def _named(store: Store) -> Iterator[Quad]:
    default = DefaultGraph()
    return (quad for quad in store.quads_for_pattern(None, None, None, None) if quad.graph_name != default)

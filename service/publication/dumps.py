"""A corpus as N-Quads, graph by graph, in gzip members that come out the same byte for byte."""

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from pyoxigraph import DefaultGraph, NamedNode, RdfFormat, Store, serialize

GraphName = NamedNode | DefaultGraph

EVERYTHING: Final = "all"
"""The dump with all graphs."""
MOST_GRAPHS: Final = 100
"""Graphs that get a dump of their own; a store with more is dumped as a whole only."""
_BLOCK: Final = 5_000
_LONGEST_NAME: Final = 80
_GZIP: Final = 31
"""What zlib calls a window of 32 KiB with a gzip header; that header carries no time and no file name."""


def graphs(store: Store) -> tuple[GraphName, ...]:
    """The graphs that hold anything: the default graph, then the named ones by IRI."""
    named = sorted((name for name in store.named_graphs() if isinstance(name, NamedNode)), key=lambda name: name.value)
    return tuple(name for name in (DefaultGraph(), *named) if any(store.quads_for_pattern(None, None, None, name)))


def names(graphs: Iterable[GraphName]) -> dict[GraphName, str]:
    """A file name for the dump of each graph, of letters, digits, dots, hyphens and underscores.

    What follows `/graph/` in an IRI, or else its host and path. The same graphs get the same names.
    """
    found: dict[GraphName, str] = {}
    taken = {EVERYTHING}
    for graph in graphs:
        stem = _stem(graph)
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        found[graph] = name
    return found


def _stem(graph: GraphName) -> str:
    if isinstance(graph, DefaultGraph):
        return "default"
    parts = urlsplit(graph.value)
    _, minted, rest = parts.path.rpartition("/graph/")
    text = rest if minted and rest else "-".join((parts.netloc or parts.scheme, parts.path, parts.fragment))
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-._")[:_LONGEST_NAME] or "graph"


def n_quads(store: Store, graph: GraphName) -> Iterator[bytes]:
    """The quads of one graph, in blocks of whole lines, in the order of the store's own index.

    That order depends on the terms alone, so copies of a store give the same lines.
    """
    quads = store.quads_for_pattern(None, None, None, graph)
    while block := serialize(islice(quads, _BLOCK), format=RdfFormat.N_QUADS):
        yield block


def compress(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """One gzip member. Members that follow each other are a gzip file again, of all their content."""
    member = zlib.compressobj(wbits=_GZIP)
    for block in blocks:
        if compressed := member.compress(block):
            yield compressed
    yield member.flush()


def stream(store: Store, graphs: Iterable[GraphName]) -> Iterator[bytes]:
    """The gzip file of these graphs, made while it is read."""
    for graph in graphs:
        yield from compress(n_quads(store, graph))

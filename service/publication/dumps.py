"""A corpus as N-Quads, graph by graph, in gzip members that come out the same byte for byte."""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, RdfFormat, Store, serialize

from service.corpus import UNNAMED, read_manifest
from service.graph import EmbeddedGraph

GraphName = NamedNode | BlankNode | DefaultGraph

EVERYTHING: Final = "all"
"""The dump with all graphs."""
MOST_GRAPHS: Final = 100
"""Graphs that get a dump of their own; a store with more is dumped as a whole only."""
_BLOCK: Final = 5_000
_READ: Final = 1 << 20
_LONGEST_NAME: Final = 80
_GZIP: Final = 31
"""What zlib calls a window of 32 KiB with a gzip header; that header carries no time and no file name."""


@dataclass(frozen=True, slots=True)
class Content:
    """The graphs of a version, as they were loaded."""

    store: Store
    unnamed: Path | None = None
    """What was loaded in no graph, where the store's default graph is a merge of all graphs in its place."""

    @classmethod
    def open(cls, version: Path) -> Self:
        """Open a version. Raises `DataError`."""
        merged = not read_manifest(version).union_default_graph
        return cls(EmbeddedGraph.open(version / "graph").store, version / UNNAMED if merged else None)

    def graphs(self) -> tuple[GraphName, ...]:
        """The graphs that hold anything: the default graph, then the named ones by name."""
        every: list[GraphName] = [DefaultGraph(), *sorted(self.store.named_graphs(), key=str)]
        return tuple(graph for graph in every if any(self.n_quads(graph)))

    def n_quads(self, graph: GraphName) -> Iterator[bytes]:
        """The quads of one graph, in blocks of whole lines, in the order of the store's own index.

        That order depends on the terms alone, so copies of a store give the same lines.
        """
        if self.unnamed and isinstance(graph, DefaultGraph):
            return _lines(self.unnamed)
        return _serialized(self.store, graph)

    def merged(self) -> Iterator[bytes] | None:
        """The triples of all graphs, each once, where the store holds their merge."""
        return _serialized(self.store, DefaultGraph()) if self.unnamed else None


def _serialized(store: Store, graph: GraphName) -> Iterator[bytes]:
    quads = store.quads_for_pattern(None, None, None, graph)
    while block := serialize(islice(quads, _BLOCK), format=RdfFormat.N_QUADS):
        yield block


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while lines := file.readlines(_READ):
            yield b"".join(lines)


def graph_key(graph: GraphName) -> str:
    """What stands for a graph in texts: its IRI, `_:` and its label, or nothing for the default graph."""
    if isinstance(graph, DefaultGraph):
        return ""
    return graph.value if isinstance(graph, NamedNode) else str(graph)


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
    if isinstance(graph, BlankNode):
        return "blank"
    parts = urlsplit(graph.value)
    _, minted, rest = parts.path.rpartition("/graph/")
    text = rest if minted and rest else "-".join((parts.netloc or parts.scheme, parts.path, parts.fragment))
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-._")[:_LONGEST_NAME] or "graph"


def compress(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """One gzip member. Members that follow each other are a gzip file again, of all their content."""
    member = zlib.compressobj(wbits=_GZIP)
    for block in blocks:
        if compressed := member.compress(block):
            yield compressed
    yield member.flush()


def stream(content: Content, graphs: Iterable[GraphName]) -> Iterator[bytes]:
    """The gzip file of these graphs, made while it is read."""
    for graph in graphs:
        yield from compress(content.n_quads(graph))

"""How much of what a corpus holds, graph by graph, counted in one pass over its quads.

The pass reads N-Quads lines, which a dump makes anyway. Distinct terms are counted by 64-bit
hashes in arrays: eight bytes a distinct term, and a chance of one in a million of being off
by one at six million terms.
"""

import re
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError
from pyoxigraph import DefaultGraph

from ontology import RDF, RDFS, SKOS
from service.publication.dumps import MOST_GRAPHS, Content, GraphName, graph_key

FILE: Final = "publication/statistics.json"
"""Where the statistics of a version are kept, below its folder."""
MOST_PARTITIONS: Final = 1_000
"""Classes, and properties, that are counted one by one in what is kept: those that are used most."""
MOST_SPACES: Final = 10
MOST_LINKS: Final = 100

Hashes = npt.NDArray[np.int64]
Key = TypeVar("Key", bytes, tuple[bytes, bytes])

_TYPE: Final = f"<{RDF}type>".encode()
_LINKING: Final = frozenset(
    f"<{iri}>".encode()
    for iri in (
        "http://www.w3.org/2002/07/owl#sameAs",
        f"{RDFS}seeAlso",
        *(f"{SKOS}{kind}Match" for kind in ("exact", "close", "broad", "narrow", "related")),
    )
)
_HOST: Final = re.compile(rb"<([a-z][a-z0-9+.\-]*://[^/?#>]+)")
_SPACE: Final = re.compile(rb"<([a-z][a-z0-9+.\-]*:(?://[^/?#>]*/?(?:[^/?#>]*[/#])?)?)")
_FULL: Final = 1 << 20
"""Hashes that are gathered before those that repeat are dropped."""
_IRI: Final = ord("<")
_LITERAL: Final = ord('"')


@dataclass(frozen=True, slots=True)
class Usage:
    """A class or property, how often it is used, and a resource that uses it."""

    iri: str
    count: int
    """Instances of a class; triples of a property."""
    example: str | None = None
    """Of a class: the first instance in the order of the store that is an IRI."""


@dataclass(frozen=True, slots=True)
class Links:
    """Triples by which a graph points into another dataset."""

    predicate: str
    target: str
    """Scheme and host of the objects, such as `http://eurovoc.europa.eu`."""
    triples: int


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """What one graph holds, or all of them together."""

    triples: int
    entities: int
    """Distinct subjects that are IRIs."""
    subjects: int
    objects: int
    properties: int
    classes: int
    property_usage: tuple[Usage, ...] = ()
    """Most used first, at most `MOST_PARTITIONS`."""
    class_usage: tuple[Usage, ...] = ()
    languages: Mapping[str, int] = field(default_factory=dict)
    """Literals by language tag."""
    links: tuple[Links, ...] = ()
    spaces: tuple[str, ...] = ()
    """How the IRIs of the entities begin (scheme, host, first step of the path); empty if they are many."""


@dataclass(frozen=True, slots=True)
class GraphStatistics:
    """What a version of a corpus holds."""

    everything: GraphCounts
    """All graphs together, as a query sees them that names none: every triple counts once."""
    graphs: Mapping[str, GraphCounts]
    """By IRI of the named graph, or `_:` and its label; the default graph, if it holds anything, is `""`."""


_JSON: Final = TypeAdapter(GraphStatistics)


def statistics(version: Path) -> GraphStatistics:
    """The statistics of a version: those kept with it, or else counted now (about 8 µs a triple).

    Raises `DataError` if the version has no graph that opens.
    """
    return read(version) or count(Content.open(version))


def read(version: Path) -> GraphStatistics | None:
    """The statistics that are kept with a version, if any."""
    try:
        return parse((version / FILE).read_bytes())
    except OSError:
        return None


def parse(content: bytes) -> GraphStatistics | None:
    """Statistics as `dump` wrote them; None if another release did."""
    try:
        return _JSON.validate_json(content)
    except ValidationError:
        return None


def dump(statistics: GraphStatistics) -> bytes:
    """Statistics as JSON."""
    return _JSON.dump_json(statistics, indent=1)


def count(content: Content) -> GraphStatistics:
    """Count what a version holds."""
    tallies = {graph: Tally(graph) for graph in content.graphs()}
    for graph, tally in tallies.items():
        for block in content.n_quads(graph):
            tally.add(block)
    return summarise(content, tallies)


def summarise(content: Content, tallies: Mapping[GraphName, "Tally"]) -> GraphStatistics:
    """The statistics of a version whose graphs were read to their end."""
    whole = Tally(DefaultGraph())
    if merged := content.merged():
        for block in merged:
            whole.add(block)
    else:
        for tally in tallies.values():
            whole.merge(tally)
    # What each of very many graphs uses would be more than anybody reads.
    detailed = len(tallies) <= MOST_GRAPHS
    return GraphStatistics(
        whole.counts(), {graph_key(graph): tally.counts(detailed=detailed) for graph, tally in tallies.items()}
    )


class _Distinct:
    """Counts distinct values by their hashes."""

    def __init__(self) -> None:
        self.fresh: array[int] = array("q")
        self._settled: Hashes = np.empty(0, np.int64)

    def settle(self) -> Hashes:
        if self.fresh:
            self._settled = np.union1d(self._settled, np.frombuffer(self.fresh, np.int64))
            self.fresh = array("q")
        return self._settled

    def merge(self, other: "_Distinct") -> None:
        self._settled = np.union1d(self.settle(), other.settle())

    def __len__(self) -> int:
        return len(self.settle())


class Tally:
    """Counts the N-Quads lines of one graph."""

    def __init__(self, graph: GraphName) -> None:
        named = not isinstance(graph, DefaultGraph)
        self._tail = -(len(str(graph).encode()) + 3) if named else -2
        """Where the object of a line ends: before ` <graph> .`, or before ` .` in the default graph."""
        self._triples = 0
        self._entities, self._blank, self._objects = _Distinct(), _Distinct(), _Distinct()
        self._properties: Counter[bytes] = Counter()
        self._classes: Counter[bytes] = Counter()
        self._examples: dict[bytes, bytes] = {}
        self._languages: Counter[bytes] = Counter()
        self._links: Counter[tuple[bytes, bytes]] = Counter()
        self._spaces: set[bytes] = set()
        self._last = b""

    def add(self, block: bytes) -> None:
        """Count a block of whole lines."""
        tail, last, objects = self._tail, self._last, self._objects.fresh
        properties, languages = self._properties, self._languages
        for line in block.split(b"\n"):
            if not line:
                continue
            # No subject, predicate or graph name has a space in it; an object may.
            subject, predicate, rest = line.split(b" ", 2)
            value = rest[:tail]
            self._triples += 1
            if subject != last:
                last = subject
                self._subject(subject)
            properties[predicate] += 1
            objects.append(hash(value))
            first = value[0]
            if first == _LITERAL:
                if not value.endswith((b'"', b">")):
                    languages[value[value.rindex(b'"') + 2 :].partition(b"--")[0]] += 1
            elif first == _IRI and value[1] != _IRI:  # a triple term begins with two
                if predicate == _TYPE:
                    self._classes[value] += 1
                    if value not in self._examples and subject[0] == _IRI:
                        self._examples[value] = subject
                elif predicate in _LINKING:
                    host = _host(value)
                    if host and host != _host(subject):
                        self._links[predicate, host] += 1
        self._last = last
        for distinct in (self._entities, self._blank, self._objects):
            if len(distinct.fresh) > _FULL:
                distinct.settle()

    def _subject(self, subject: bytes) -> None:
        if subject[0] != _IRI:
            self._blank.fresh.append(hash(subject))
            return
        self._entities.fresh.append(hash(subject))
        if len(self._spaces) <= MOST_SPACES:
            self._spaces.add(_space(subject))

    def merge(self, other: "Tally") -> None:
        """Count what another tally counted too."""
        self._triples += other._triples
        self._entities.merge(other._entities)
        self._blank.merge(other._blank)
        self._objects.merge(other._objects)
        self._properties += other._properties
        self._classes += other._classes
        self._examples = other._examples | self._examples
        self._languages += other._languages
        self._links += other._links
        self._spaces |= other._spaces

    def counts(self, *, detailed: bool = True) -> GraphCounts:
        """What was counted so far; the numbers alone unless `detailed`."""
        spaces = () if len(self._spaces) > MOST_SPACES else tuple(sorted(_text(space) for space in self._spaces))
        numbers = GraphCounts(
            triples=self._triples,
            entities=len(self._entities),
            subjects=len(self._entities) + len(self._blank),
            objects=len(self._objects),
            properties=len(self._properties),
            classes=len(self._classes),
        )
        if not detailed:
            return numbers
        return replace(
            numbers,
            property_usage=tuple(Usage(_iri(name), number) for name, number in _most(self._properties)),
            class_usage=tuple(
                Usage(_iri(name), number, _iri(example) if (example := self._examples.get(name)) else None)
                for name, number in _most(self._classes)
            ),
            languages={_text(tag): number for tag, number in _most(self._languages)},
            links=tuple(
                Links(_iri(predicate), _text(host), number)
                for (predicate, host), number in _most(self._links)[:MOST_LINKS]
            ),
            spaces=spaces,
        )


def _most(counter: Counter[Key]) -> list[tuple[Key, int]]:
    """The keys that were counted most, ties in their own order, as many as are kept."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:MOST_PARTITIONS]


def _host(term: bytes) -> bytes | None:
    found = _HOST.match(term)
    return found[1] if found else None


def _space(term: bytes) -> bytes:
    found = _SPACE.match(term)
    return found[1] if found else term[1:-1]


def _iri(term: bytes) -> str:
    return _text(term[1:-1])


def _text(content: bytes) -> str:
    return content.decode()

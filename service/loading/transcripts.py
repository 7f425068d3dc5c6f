"""Reads the transcripts of a load as RDF with what the rules say of them, in several processes where they are many.

A rule of `sparql/enrich` over `?sitting` is about the parts of one sitting. It is applied where the transcript is
read, in memory, beside what rules need of the register: there a joined row costs a tenth of what it does on disk, and
what the rules add is written with all else.
"""

import io
import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, cast

from pyoxigraph import NamedNode, Quad, QueryTriples, RdfFormat, Store, Triple, serialize

import sparql
from loaders import record, stenographic
from loaders.errors import SourceError
from loaders.record import Names
from ontology import DCTERMS, EMI, SCHEMA
from service.errors import DataError
from service.graph import GraphStore, Row, rows_of
from service.loading.documents import Document, by_speech, chunk_document, lines_of
from service.loading.processes import end_with_parent

MANY_BYTES: Final = 16 * 2**20
"""Of reports, from which further processes are worth their start."""
MOST_READERS: Final = 4
AHEAD: Final = 8
"""Transcripts for each reader that are read before their turn, at most."""
MOST_BYTES: Final = 64 * 2**20
"""Of sittings in N-Triples, after which a reader begins with a new store: one in memory keeps every string it held."""
UNASKED: Final = frozenset({NamedNode(f"{SCHEMA}text"), NamedNode(f"{EMI}sha256"), NamedNode(f"{DCTERMS}source")})
"""What is said of speeches that no rule about sittings asks for."""
_REGISTER: Final = NamedNode("urn:x-emiciclo:register")
"""The graph of a reader's own store that holds what it was given of the register."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A sitting as N-Triples, and the people in it whom the register does not know or does not name."""

    path: Path
    sitting: NamedNode
    number: int
    day: date
    content: bytes
    people: tuple[Triple, ...]
    documents: bytes
    """Its chunks, as they are indexed (see `documents.lines_of`)."""


def register_for_rules(graph: GraphStore) -> bytes:
    """What the rules about sittings need of an enriched register, as N-Triples."""
    content = serialize(graph.construct(sparql.query("enrich/sittings/register")), format=RdfFormat.N_TRIPLES)
    assert content is not None
    return content


class Reader:
    """Reads transcripts, one after the other, and applies the rules about sittings to them."""

    def __init__(self, names: Names, register: bytes) -> None:
        self._names, self._register = names, register
        self._store, self._bytes = _beside(register), 0
        self._rules = rules_about_sittings()

    def read(self, path: Path) -> Transcript:
        """Read one transcript. Raises `SourceError`."""
        sitting = stenographic.read(path)
        node, graph = self._names.part("sitting", sitting), self._names.graph
        if self._bytes > MOST_BYTES:
            self._store, self._bytes = _beside(self._register), 0
        # Earlier sittings stay in the store, as no rule about this one sees them; a store in memory takes longer and
        # longer to clear or to write out a graph in which there was more before.
        quads = list(record.quads(sitting, self._names))
        self._store.extend(quad for quad in quads if quad.predicate not in UNASKED)
        for rule in self._rules:
            found = [Quad(t.subject, t.predicate, t.object, graph) for t in self._construct(rule, node)]
            self._store.extend(found)
            quads += found
        people = tuple(self._construct(sparql.query("enrich/sittings/people"), node))
        speeches = by_speech(rows_of(self._query(sparql.query("index/speeches"), node)))
        chunks = list(record.chunks(sitting, self._names))
        parts = serialize((quad.triple for quad in quads), format=RdfFormat.N_TRIPLES)
        assert parts is not None
        self._bytes += len(parts)
        content = parts + "".join(map(record.chunk_lines, chunks)).encode()
        documents = lines_of(_documents(chunks, speeches))
        return Transcript(path, node, sitting.number, sitting.date, content, people, documents)

    def _construct(self, rule: str, sitting: NamedNode) -> list[Triple]:
        return list(cast(QueryTriples, self._query(rule, sitting)))

    def _query(self, query: str, sitting: NamedNode) -> object:
        return self._store.query(sparql.bind(query, "?sitting", [sitting]), use_default_graph_as_union=True)


def _beside(register: bytes) -> Store:
    """A store in memory that holds what rules need of the register."""
    store = Store()
    store.bulk_load(register, format=RdfFormat.N_TRIPLES, to_graph=_REGISTER)
    return store


def _documents(chunks: Iterable[record.Chunk], speeches: Mapping[str, Row]) -> Iterator[Document]:
    for chunk in chunks:
        if speech := speeches.get(chunk.speech.value):
            start, end = chunk.span.start, chunk.span.end
            yield chunk_document(chunk.node.value, chunk.text, start, end, float(chunk.salience), speech)


def rules_about_sittings() -> tuple[str, ...]:
    """The rules that say something about the parts of sittings, in their order."""
    return tuple(rule for rule in map(sparql.query, sparql.names("enrich")) if is_about_sittings(rule))


def is_about_sittings(rule: str) -> bool:
    """Whether a rule says something about the parts of sittings; else it is about the register."""
    return "VALUES ?sitting " in rule


def read_all(paths: Sequence[Path], names: Names, register: bytes) -> Iterator[Transcript]:
    """Read transcripts, in their order. Raises `SourceError`, also for two of one sitting."""
    seen: dict[int, Path] = {}
    for transcript in _read_many(paths, names, register):
        if transcript.number in seen:
            raise SourceError(
                transcript.path, f"is sitting {transcript.number}, which {seen[transcript.number]} is too"
            )
        seen[transcript.number] = transcript.path
        yield transcript


def _read_many(paths: Sequence[Path], names: Names, register: bytes) -> Iterator[Transcript]:
    readers = min(os.cpu_count() or 1, MOST_READERS)
    if readers == 1 or sum(path.stat().st_size for path in paths) < MANY_BYTES:
        reader = Reader(names, register)
        yield from map(reader.read, paths)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(readers, context, _begin, (names, register)) as pool:
        waiting: deque[Future[Transcript]] = deque()
        rest = iter(paths)
        try:
            while True:
                while len(waiting) < readers * AHEAD and (path := next(rest, None)):
                    waiting.append(pool.submit(_read, path))
                if not waiting:
                    return
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise DataError("a process that reads transcripts was killed; is there enough memory?") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_reader: Reader
"""Of this process, if it was started to read transcripts."""


def _begin(names: Names, register: bytes) -> None:
    global _reader
    end_with_parent()
    _reader = Reader(names, register)


def _read(path: Path) -> Transcript:
    return _reader.read(path)


class Contents(io.RawIOBase):
    """Several contents one after the other, as one file to read from."""

    def __init__(self, contents: Iterable[bytes]) -> None:
        self._contents, self._rest = iter(contents), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            following = next(self._contents, None)
            if following is None:
                return 0
            self._rest = memoryview(following)
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)

"""Reads the transcripts of a load as RDF with what the rules say of them, in several processes where they are many.

A rule of `sparql/enrich` over `?sitting` is about the parts of one sitting. It is applied where the transcript is
read, in memory, beside what rules need of the register: there a joined row costs a tenth of what it does on disk, and
what the rules add is written with all else.
"""

import io
import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
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
from service.errors import DataError
from service.graph import GraphStore
from service.loading.processes import end_with_parent

MANY_BYTES: Final = 16 * 2**20
"""Of reports, from which further processes are worth their start."""
MOST_READERS: Final = 4
AHEAD: Final = 8
"""Transcripts for each reader that are read before their turn, at most."""
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


def register_for_rules(graph: GraphStore) -> bytes:
    """What the rules about sittings need of an enriched register, as N-Triples."""
    content = serialize(graph.construct(sparql.query("enrich/sittings/register")), format=RdfFormat.N_TRIPLES)
    assert content is not None
    return content


class Reader:
    """Reads transcripts, one after the other, and applies the rules about sittings to them."""

    def __init__(self, names: Names, register: bytes) -> None:
        self._names, self._store = names, Store()
        self._store.bulk_load(register, format=RdfFormat.N_TRIPLES, to_graph=_REGISTER)
        self._rules = rules_about_sittings()

    def read(self, path: Path) -> Transcript:
        """Read one transcript. Raises `SourceError`."""
        sitting = stenographic.read(path)
        node = self._names.part("sitting", sitting)
        self._store.extend(record.quads(sitting, self._names))
        for rule in self._rules:
            found = self._construct(rule, node)
            self._store.extend(Quad(t.subject, t.predicate, t.object, self._names.graph) for t in found)
        people = tuple(self._construct(sparql.query("enrich/sittings/people"), node))
        content = self._store.dump(format=RdfFormat.N_TRIPLES, from_graph=self._names.graph)
        self._store.clear_graph(self._names.graph)
        # No rule asks for chunks, and they are more than all else.
        chunks = serialize((q.triple for q in record.chunks(sitting, self._names)), format=RdfFormat.N_TRIPLES)
        assert content is not None
        assert chunks is not None
        return Transcript(path, node, sitting.number, sitting.date, content + chunks, people)

    def _construct(self, rule: str, sitting: NamedNode) -> list[Triple]:
        triples = self._store.query(sparql.bind(rule, "?sitting", [sitting]), use_default_graph_as_union=True)
        return list(cast(QueryTriples, triples))


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

"""Reads the transcripts of a load as RDF, in several processes where they are many."""

import io
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode, RdfFormat, serialize

from loaders import record, stenographic
from loaders.errors import SourceError
from loaders.record import Names
from service.errors import DataError

MANY_BYTES: Final = 16 * 2**20
"""Of reports, from which further processes are worth their start."""
MOST_READERS: Final = 4
AHEAD: Final = 8
"""Transcripts for each reader that are read before their turn, at most."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A sitting as N-Quads."""

    path: Path
    sitting: NamedNode
    number: int
    day: date
    content: bytes


def read(path: Path, names: Names) -> Transcript:
    """Read one transcript. Raises `SourceError`."""
    sitting = stenographic.read(path)
    content = serialize(record.quads(sitting, names), format=RdfFormat.N_QUADS)
    assert content is not None
    return Transcript(path, names.part("sitting", sitting), sitting.number, sitting.date, content)


def read_all(paths: Sequence[Path], names: Names) -> Iterator[Transcript]:
    """Read transcripts, in their order. Raises `SourceError`, also for two of one sitting."""
    seen: dict[int, Path] = {}
    for transcript in _read_many(paths, names):
        if transcript.number in seen:
            raise SourceError(
                transcript.path, f"is sitting {transcript.number}, which {seen[transcript.number]} is too"
            )
        seen[transcript.number] = transcript.path
        yield transcript


def _read_many(paths: Sequence[Path], names: Names) -> Iterator[Transcript]:
    readers = min(os.cpu_count() or 1, MOST_READERS)
    if readers == 1 or sum(path.stat().st_size for path in paths) < MANY_BYTES:
        yield from (read(path, names) for path in paths)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(readers, context, _end_with_parent) as pool:
        waiting: deque[Future[Transcript]] = deque()
        rest = iter(paths)
        try:
            while True:
                while len(waiting) < readers * AHEAD and (path := next(rest, None)):
                    waiting.append(pool.submit(read, path, names))
                if not waiting:
                    return
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise DataError("a process that reads transcripts was killed; is there enough memory?") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """A reader whose load was killed ends, too: its queue would never tell it."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


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

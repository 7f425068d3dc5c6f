"""An embedded index that is filled in a process of its own.

The engine holds the interpreter's lock whatever it does, so that a thread beside it would stand still. Beside a
process, texts are read and embedded while points are made, added and optimized.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from service.errors import DataError
from service.loading.processes import end_with_parent
from service.vectors import Point
from service.vectors.embedded import EmbeddedIndex

MANY: Final = 20_000
"""Points from which a further process is worth its start."""
AHEAD: Final = 16
"""Calls that wait for the process at most; further ones wait for the first of these."""


def worthwhile(points: int) -> bool:
    """Whether so many points are added sooner by a process of their own."""
    return points >= MANY and (os.cpu_count() or 1) > 1


class IndexApart:
    """Fills an index of a folder in another process; a context, at whose end that process has ended.

    What a call raises there, a later call or `finish` raises here. Where the block ends before `finish`, the
    process is killed: its folder is of no use then.
    """

    def __init__(self, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(1, context, _begin, (folder,))
        self._waiting: deque[Future[None]] = deque()
        self._process: Future[int] = self._pool.submit(os.getpid)
        self._finished = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._finished and self._process.done() and self._process.exception() is None:
            # By its object, and not by its number, which may be another process's once it has ended.
            for child in multiprocessing.active_children():
                if child.pid == self._process.result():
                    child.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def create(self, collection: str, dimensions: int) -> None:
        self._call(_create, collection, dimensions)

    def add(self, collection: str, points: Sequence[Point]) -> None:
        self._call(_add, collection, points)

    def finish(self) -> None:
        self._call(_finish)
        self._wait_for(0)
        self._finished = True

    def _call(self, what: Callable[..., None], *arguments: Any) -> None:
        self._wait_for(AHEAD - 1)
        try:
            self._waiting.append(self._pool.submit(what, *arguments))
        except BrokenProcessPool as error:
            raise _killed() from error

    def _wait_for(self, left: int) -> None:
        """Wait until at most so many calls are left; raise what one raised, as soon as it is known."""
        while self._waiting and (len(self._waiting) > left or self._waiting[0].done()):
            try:
                self._waiting.popleft().result()
            except BrokenProcessPool as error:
                raise _killed() from error


def _killed() -> DataError:
    return DataError("the process that fills the vector index was killed; is there enough memory?")


_index: EmbeddedIndex
"""Of this process, if it was started to fill one."""


def _begin(folder: Path) -> None:
    global _index
    end_with_parent()
    # The keyboard interrupts the load, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _index = EmbeddedIndex(folder)


def _create(collection: str, dimensions: int) -> None:
    _index.create(collection, dimensions)


def _add(collection: str, points: Sequence[Point]) -> None:
    _index.add(collection, points)


def _finish() -> None:
    _index.finish()

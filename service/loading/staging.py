"""A version that is being made, out of readers' sight until it is published by moving one link."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from pyoxigraph import Store

from service.corpus import DataDirectory
from service.errors import DataError
from service.loading.progress import Clock

GRAPH: Final = "graph"
DOCUMENTS: Final = "documents.jsonl"
"""What is indexed of sittings; gone before a version is published."""
_WORK: Final = "work"
MAPPED_AHEAD: Final = 600 * 2**20
"""Bytes that Qdrant maps for five collections before it fills them."""


@contextmanager
def staged(directory: DataDirectory, version: str) -> Iterator[Path]:
    """Yield an empty folder for a new version; publish it when the block ends without an error.

    Only one load at a time may hold a data directory. What an earlier load that was killed
    left behind is removed. Raises `DataError`.
    """
    try:
        directory.versions.mkdir(parents=True, exist_ok=True)
        lock = (directory.path / "load.lock").open("w")
    except OSError as error:
        raise DataError(f"{directory.path} cannot be written: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DataError(f"another load is at work in {directory.path}; wait for it to end") from error
        for leftover in directory.versions.glob(".staging-*"):
            _remove(leftover)
        folder = directory.versions / f".staging-{version}"
        try:
            folder.mkdir()
            yield folder
            _publish(directory, folder, version)
        except BaseException as error:
            _remove(folder)
            if isinstance(error, OSError):
                raise DataError(f"{directory.path} cannot be written: {error}") from error
            raise


@contextmanager
def working_store(folder: Path, clock: Clock, basis: Path | None = None) -> Iterator[Store]:
    """Yield a store to load into; when the block ends without an error, a backup of it is `graph`.

    It is new, or holds what a published version does (`basis`), whose files stay as they are. A backup
    has no log to be replayed and no writer beside it: it opens read-only, in any number of processes. Its
    files are links to those of the working store, which is removed.
    """
    if basis:
        Store.read_only(str(basis / GRAPH)).backup(str(folder / _WORK))
    store = Store(str(folder / _WORK))
    yield store
    with clock.time("publish graph"):
        if not basis:
            # What several bulk loads wrote overlaps; in order, it is read up to twice as fast. Little was
            # added to a basis, and that would write all of it anew.
            store.optimize()
        store.flush()
        store.backup(str(folder / GRAPH))
        _remove(folder / _WORK)


def _remove(folder: Path) -> None:
    """Remove a folder; an engine that is still closing may write into it, so once more if need be."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def require_space(folder: Path, points: int, dimensions: int, kept: Path | None = None) -> None:
    """Raise `DataError` unless an embedded index of so many points fits on the disk of a folder.

    They may be added to a copy of an index that is kept.

    Qdrant writes through memory maps: where the disk is full, the system kills the process and
    no error can be reported. So room is asked for before, for the points and, as building
    moves them once, for their copy.
    """
    needed = MAPPED_AHEAD + 2 * points * (5 * dimensions + 2048)
    if kept:
        needed += sum(path.stat().st_size for path in kept.rglob("*"))
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DataError(
            f"{folder.parent} has {free // 2**20} MiB of free space and the index needs {needed // 2**20} MiB"
        )


def _publish(directory: DataDirectory, folder: Path, version: str) -> None:
    former = directory.current.resolve().name if directory.current.exists() else None
    # The same sources may have been loaded before, and readers have that version open: the new
    # one never takes its place.
    final = next(path for path in _names(directory.versions / version) if not path.exists())
    folder.rename(final)
    link = directory.path / ".current-new"
    link.unlink(missing_ok=True)
    link.symlink_to(Path("versions") / final.name)
    os.replace(link, directory.current)
    # The version before stays for readers that have it open; older ones go.
    for other in directory.versions.iterdir():
        if other.name not in (final.name, former):
            shutil.rmtree(other, ignore_errors=True)


def _names(path: Path) -> Iterator[Path]:
    yield path
    for number in count(2):
        yield path.with_name(f"{path.name}-{number}")

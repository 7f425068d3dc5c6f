"""A version that is being made, out of readers' sight until it is published by moving one link."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.corpus import DataDirectory
from service.errors import DataError


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
            shutil.rmtree(leftover, ignore_errors=True)
        folder = directory.versions / f".staging-{version}"
        try:
            folder.mkdir()
            yield folder
            _publish(directory, folder, version)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _publish(directory: DataDirectory, folder: Path, version: str) -> None:
    final = directory.versions / version
    if final.exists():
        # The same sources were loaded before: readers may hold this version open, so it is moved away.
        final.rename(directory.versions / f".staging-old-{version}")
    folder.rename(final)
    link = directory.path / ".current-new"
    link.unlink(missing_ok=True)
    former = directory.current.resolve() if directory.current.exists() else None
    link.symlink_to(Path("versions") / version)
    os.replace(link, directory.current)
    # The version before stays for readers that have it open; older ones go.
    for other in directory.versions.iterdir():
        if other not in (final, former):
            shutil.rmtree(other, ignore_errors=True)

"""Copies of files that are mostly holes, as Qdrant's are: only what was written is copied, and takes room."""

import os
import shutil
from contextlib import suppress
from errno import EIO, ENXIO
from pathlib import Path


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder with all that is in it; `target` must not be there. Raises `OSError`."""
    shutil.copytree(source, target, copy_function=copy_file)


def copy_file(source: str, target: str) -> None:
    """Copy a file; hole by hole, where the system and the file system can. Raises `OSError`."""
    if hasattr(os, "copy_file_range"):
        with suppress(OSError):
            _copy_data(source, target)
            return
    shutil.copyfile(source, target)


def _copy_data(source: str, target: str) -> None:
    with open(source, "rb", buffering=0) as given, open(target, "wb", buffering=0) as made:
        end, size = 0, os.fstat(given.fileno()).st_size
        while end < size and (begin := _data_from(given.fileno(), end)) is not None:
            end = os.lseek(given.fileno(), begin, os.SEEK_HOLE)
            while begin < end:
                copied = os.copy_file_range(given.fileno(), made.fileno(), end - begin, begin, begin)
                if not copied:
                    raise OSError(EIO, "the file has become shorter", source)
                begin += copied
        made.truncate(size)


def _data_from(file: int, offset: int) -> int | None:
    """Where data begin in a file at an offset or behind it; None where there are no more."""
    try:
        return os.lseek(file, offset, os.SEEK_DATA)
    except OSError as error:
        if error.errno == ENXIO:
            return None
        raise

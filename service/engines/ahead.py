"""Has the system read files that are about to be opened, while whoever opens them is still getting ready.

Qdrant Edge reads a collection page by page where it is not there yet, and takes thrice as long for it; when it
closes one, as a load does at its end, it has the system forget the files.
"""

import contextlib
import os
from pathlib import Path
from typing import Final

SHARE: Final = 0.5
"""Of the memory that is available, what may be filled: more would drive out what others have read."""
PIECE: Final = 1 << 17
"""Bytes that are asked for at once: of more, Linux reads no more than it reads ahead of a reader."""
_BLOCK: Final = 512
"""Bytes of the blocks that `stat` counts."""
_MEMORY: Final = Path("/proc/meminfo")


def read_ahead(folder: Path) -> int:
    """Ask for the files of a folder, the smallest first, as far as there is memory for them; returns how many bytes.

    The system reads on by itself; one that cannot be asked is asked for nothing. Files that cannot be read are left
    to whoever opens them, who can tell why; so are those that are mostly holes.
    """
    if not hasattr(os, "posix_fadvise"):
        return 0
    asked, most = 0, int(SHARE * _available())
    for size, path in sorted(_files(folder)):
        if asked + size > most:
            break
        with contextlib.suppress(OSError), path.open("rb", buffering=0) as stream:
            for begin in range(0, size, PIECE):
                os.posix_fadvise(stream.fileno(), begin, PIECE, os.POSIX_FADV_WILLNEED)
            asked += size
    return asked


def _files(folder: Path) -> list[tuple[int, Path]]:
    """The files in a folder and the folders in it, each after its bytes."""
    found = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent) / name
            with contextlib.suppress(OSError):
                told = path.stat()
                if 2 * _BLOCK * told.st_blocks > told.st_size:
                    found.append((told.st_size, path))
    return found


def _available() -> int:
    """Bytes of memory that can be had without others losing theirs; 0 where that is not known."""
    try:
        lines = _MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), 0)

"""Files from outside, gzipped or not, within bounds."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from loaders.errors import SourceError

BLOCK: Final = 1 << 20
LARGEST_RATIO: Final = 300
"""Times that a gzip file may grow. N-Quads of a real register grow some 20 times, zeros 1,000."""
SMALL: Final = 64 * 1024**2
"""Bytes up to which the ratio does not matter."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading what it holds, unpacked. Raises `SourceError`, also while it is read."""
    try:
        with path.open("rb") as plain:
            gzipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if gzipped else path.open("rb") as stream:
            yield cast(BinaryIO, stream)
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise SourceError(path, f"cannot be read: {problem}") from error


def blocks(path: Path, largest: int) -> Iterator[bytes]:
    """Yield a file's unpacked content in pieces, refusing more than `largest` bytes (a bomb, or a mistake)."""
    size = 0
    with opened(path) as stream:
        bound = max(SMALL, LARGEST_RATIO * path.stat().st_size)
        while block := stream.read(min(BLOCK, largest + 1 - size)):
            size += len(block)
            if size > largest:
                raise SourceError(path, f"is larger than {largest // 1024**2} MiB when unpacked")
            if size > bound:
                raise SourceError(path, f"grows more than {LARGEST_RATIO} times when unpacked, which is refused")
            yield block

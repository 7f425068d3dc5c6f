"""Files from outside: unpacked within bounds, and never more than a piece of them at a time."""

import gzip
from pathlib import Path

import pytest

from loaders import files
from loaders.errors import SourceError


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_comes_in_pieces_that_make_it_up(tmp_path: Path, packed: bool) -> None:
    content = bytes(range(256)) * 10_000
    path = tmp_path / "data"
    path.write_bytes(gzip.compress(content) if packed else content)
    pieces = list(files.blocks(path, len(content)))
    assert b"".join(pieces) == content
    assert max(map(len, pieces)) <= files.BLOCK < len(content)


def test_a_gzip_file_that_grows_without_measure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(files.SMALL + 1)))
    with pytest.raises(SourceError, match=r"bomb\.gz: grows more than 300 times when unpacked"):
        sum(map(len, files.blocks(path, 2**40)))


def test_a_small_file_may_grow_as_it_likes(tmp_path: Path) -> None:
    path = tmp_path / "zeros.gz"
    path.write_bytes(gzip.compress(bytes(files.SMALL)))
    assert sum(map(len, files.blocks(path, 2**40))) == files.SMALL

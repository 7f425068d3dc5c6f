"""Files are copied byte by byte, and their holes as holes."""

from errno import EXDEV
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.loading import holes

BLOCK = 4096
PIECES = st.lists(st.tuples(st.integers(0, 40), st.binary(min_size=1, max_size=3 * BLOCK)), max_size=5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=PIECES, size=st.integers(0, 50 * BLOCK))
def test_a_copy_holds_the_same_bytes(tmp_path: Path, pieces: list[tuple[int, bytes]], size: int) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    with source.open("wb") as file:
        for block, content in pieces:
            file.seek(block * BLOCK)
            file.write(content)
        if size > file.seek(0, 2):
            file.truncate(size)
    holes.copy_file(str(source), str(target))
    assert target.read_bytes() == source.read_bytes()


def test_a_hole_takes_no_room_in_a_copy_of_its_folder(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "inner").mkdir(parents=True)
    with (source / "inner" / "page").open("wb") as file:
        file.truncate(64 * 2**20)
        file.seek(2**20)
        file.write(b"data")
    if (source / "inner" / "page").stat().st_blocks * 512 > 2**20:
        pytest.skip("this file system has no holes")
    holes.copy_tree(source, tmp_path / "target")
    copied = tmp_path / "target" / "inner" / "page"
    assert copied.stat().st_size == 64 * 2**20
    assert copied.stat().st_blocks * 512 < 2**20
    assert copied.read_bytes()[2**20 : 2**20 + 4] == b"data"


def test_a_file_system_that_cannot_copy_in_the_kernel_is_copied_on_the_long_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise OSError(EXDEV, "Invalid cross-device link")

    monkeypatch.setattr("os.copy_file_range", refused, raising=False)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"data")
    holes.copy_file(str(source), str(target))
    assert target.read_bytes() == b"data"
    with pytest.raises(FileNotFoundError):
        holes.copy_file(str(tmp_path / "none"), str(target))

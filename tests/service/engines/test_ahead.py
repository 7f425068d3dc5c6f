"""Reading ahead: what is asked for, and what is left to whoever opens it."""

import os
from pathlib import Path

import pytest

from service.engines import ahead
from service.engines.ahead import PIECE, read_ahead


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chunks" / "segment").mkdir(parents=True)
    (tmp_path / "chunks" / "segment" / "vectors").write_bytes(os.urandom(PIECE + 5))
    (tmp_path / "chunks" / "words").write_bytes(os.urandom(70_000))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            with path.open("rb") as stream:
                os.fsync(stream.fileno())  # not before then has a file its blocks
    return tmp_path


def test_files_of_all_folders_are_asked_for_to_their_ends(folder: Path) -> None:
    assert read_ahead(folder) == PIECE + 5 + 70_000


def test_no_more_is_asked_for_than_there_is_memory_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_available", lambda: 3 * 70_000)
    assert read_ahead(folder) == 70_000


def test_nothing_is_asked_for_where_the_memory_is_not_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_MEMORY", folder / "none")
    assert read_ahead(folder) == 0


def test_holes_are_not_asked_for(folder: Path) -> None:
    with (folder / "holes").open("wb") as stream:
        stream.truncate(1 << 30)
    assert read_ahead(folder) == PIECE + 5 + 70_000


def test_what_cannot_be_read_is_left_to_whoever_opens_it(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "nowhere")
    assert read_ahead(folder) == PIECE + 5 + 70_000
    assert read_ahead(folder / "absent") == 0

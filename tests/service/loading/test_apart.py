"""An index that is filled in another process equals one that is filled in this one, and leaves no process behind."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.embedding import HashEmbedder
from service.errors import DataError
from service.loading.apart import IndexApart, worthwhile
from service.loading.indexing import create_collections
from service.vectors import CHUNKS, Point, VectorWriter
from service.vectors.embedded import EmbeddedIndex

MODEL = HashEmbedder()
TEXTS = [f"La sanità pubblica e il salario minimo {number}" for number in range(40)]
POINTS = [
    Point(f"http://a.example/{number}", vector, text, {"day": 20240101 + number, "speaker": "http://a.example/s"})
    for number, (text, vector) in enumerate(zip(TEXTS, MODEL.passages(TEXTS), strict=True))
]


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[IndexApart]:
    with IndexApart(tmp_path / "apart") as index:
        yield index


def process_of(index: IndexApart) -> int:
    return index._process.result()


def ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_an_index_filled_apart_finds_what_one_filled_here_does(apart: IndexApart, tmp_path: Path) -> None:
    here = EmbeddedIndex(tmp_path / "here")
    writers: tuple[VectorWriter, ...] = (apart, here)
    for writer in writers:
        create_collections(writer, MODEL.dimensions)
        for begin in range(0, len(POINTS), 2):  # more calls than may wait
            writer.add(CHUNKS, POINTS[begin : begin + 2])
        writer.finish()
    one, other = (EmbeddedIndex(tmp_path / name) for name in ("apart", "here"))
    assert one.count(CHUNKS) == len(POINTS)
    vector = MODEL.queries(["Il salario minimo"])[0]
    assert one.nearest(CHUNKS, vector, limit=20) == other.nearest(CHUNKS, vector, limit=20)
    assert one.lexical(CHUNKS, "sanità", limit=20) == other.lexical(CHUNKS, "sanità", limit=20)


def test_what_fails_in_the_process_is_raised_here(apart: IndexApart) -> None:
    apart.add(CHUNKS, POINTS)
    with pytest.raises(DataError, match="is missing"):
        apart.finish()


def test_a_process_that_was_killed_is_a_data_error(apart: IndexApart) -> None:
    os.kill(process_of(apart), signal.SIGKILL)
    with pytest.raises(DataError, match="was killed; is there enough memory"):
        apart.finish()


def test_an_interruption_from_the_keyboard_ends_the_process(tmp_path: Path) -> None:
    index = IndexApart(tmp_path / "apart")
    process = process_of(index)
    assert not ended(process)
    with pytest.raises(KeyboardInterrupt), index:
        raise KeyboardInterrupt
    assert ended(process)


def test_few_points_are_added_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert not worthwhile(1_000)
    assert worthwhile(180_000)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert not worthwhile(180_000)

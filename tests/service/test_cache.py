"""The cache of passage vectors: what was computed once is never computed again, whatever happened since."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from service.cache import VectorCache
from service.embedding import HashEmbedder
from service.errors import DataError
from service.loading.indexing import rounded

MODEL = HashEmbedder.model
TEXTS = ["La sanità pubblica", "Il salario minimo", "Il salario minimo "]
VECTORS = HashEmbedder().passages(TEXTS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "embeddings.sqlite"


def test_vectors_come_back_as_they_are_indexed(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put(MODEL, TEXTS, VECTORS)
        found = cache.get(MODEL, TEXTS)
    assert list(found) == TEXTS
    for text, vector in zip(TEXTS, VECTORS, strict=True):
        assert np.array_equal(found[text], rounded(vector))
        assert found[text] @ vector == pytest.approx(1, abs=1e-3)


def test_what_is_not_known_is_absent(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put(MODEL, TEXTS[:1], VECTORS[:1])
        assert list(cache.get(MODEL, [TEXTS[1], TEXTS[0]])) == [TEXTS[0]]
        assert cache.get(MODEL, []) == {}


def test_vectors_of_another_model_are_not_found_F34(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put(MODEL, TEXTS, VECTORS)
        assert cache.get("another", TEXTS) == {}


def test_the_first_vector_of_a_text_stays(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put(MODEL, TEXTS[:1], VECTORS[:1])
        cache.put(MODEL, TEXTS[:1], VECTORS[1:2])
        assert np.array_equal(cache.get(MODEL, TEXTS)[TEXTS[0]], rounded(VECTORS[0]))


def test_a_batch_outlives_the_process_that_was_killed_after_it(path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path\n"
        "from service.cache import VectorCache; from service.embedding import HashEmbedder\n"
        "cache = VectorCache(Path(sys.argv[1]))\n"
        "cache.put(HashEmbedder.model, sys.argv[2:], HashEmbedder().passages(sys.argv[2:]))\n"
        "os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path), *TEXTS]).returncode == -9
    with VectorCache(path) as cache:
        assert list(cache.get(MODEL, TEXTS)) == TEXTS


def test_a_number_of_vectors_other_than_of_texts_is_refused_and_keeps_nothing(path: Path) -> None:
    with VectorCache(path) as cache:
        with pytest.raises(ValueError, match="zip"):
            cache.put(MODEL, TEXTS, VECTORS[:1])
        assert cache.get(MODEL, TEXTS) == {}


def test_a_file_that_is_no_cache_says_what_to_do(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be taken for one" * 40)
    with pytest.raises(DataError, match="delete it to start anew"):
        VectorCache(path)


def test_a_database_of_something_else_says_what_to_do(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE vector (something TEXT)")
    other.close()
    with VectorCache(path) as cache, pytest.raises(DataError, match="delete it to start anew"):
        cache.get(MODEL, TEXTS)
    with VectorCache(path) as cache, pytest.raises(DataError, match="delete it to start anew"):
        cache.put(MODEL, TEXTS, VECTORS)


def test_a_place_that_cannot_be_written_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="file"):
        VectorCache(tmp_path / "file" / "cache" / "embeddings.sqlite")

"""The cache of passage vectors: keyed by model and content, kept across loads, safe to kill."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from service.embedding import Vectors, content_key
from service.errors import DataError


class VectorCache:
    """Vectors as float16 in one SQLite file. A batch that was put outlives the process, whatever ends that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._working():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=30)
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Not to wait for the disk at every batch: what a failure of power takes is embedded again.
            self._connection.execute("PRAGMA synchronous = NORMAL")
            # Values are written one behind the other, and only keys in their order. The caches of earlier releases
            # have both in the order of keys, which is read and written as well, at thrice the cost.
            self._connection.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB NOT NULL)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, model: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that are known, by text."""
        found: dict[str, Vectors] = {}
        with self._working():
            keys = {text: content_key(model, text) for text in texts}
            rows = self._connection.execute(
                "SELECT key, value FROM vector WHERE key IN (SELECT value FROM json_each(?))",
                (json.dumps(list(keys.values())),),
            )
            values = dict(rows.fetchall())
            known = [text for text, key in keys.items() if key in values]
            if known:
                vectors = np.stack([np.frombuffer(values[keys[text]], np.float16) for text in known])
                found.update(zip(known, vectors.astype(np.float32), strict=True))
        return found

    def put(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector a text; `vectors` has shape (len(texts), dimensions)."""
        self.put_raw(
            (content_key(model, text), vector.tobytes())
            for text, vector in zip(texts, vectors.astype(np.float16), strict=True)
        )

    def put_raw(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Keep rows of (key, float16 bytes), such as those of a shipped cache."""
        with self._working(), self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)

    @contextmanager
    def _working(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataError(f"the vector cache {self._path} cannot be written: {error.strerror}") from error
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"the vector cache {self._path} cannot be used ({error}); make room for it, or delete it to start anew"
            ) from error

"""The engine in this process: for tests, and for a program that embeds the service."""

import threading
from pathlib import Path

from service.corpus import DataDirectory
from service.embedders import open_embedder
from service.embedding import Embedder
from service.engines.interface import Operation, Request, Result
from service.pipeline import Engine
from service.progress import Progress, silent
from service.settings import Settings


class LocalEngine:
    """Opens the published corpus of a data directory, and opens it anew when another is published."""

    def __init__(self, data: Path, settings: Settings, embedder: Embedder | None = None) -> None:
        self._data = DataDirectory(data)
        self._settings = settings
        self._embedder = embedder
        self._lock = threading.Lock()
        self._opened: tuple[Path, Engine] | None = None

    def run(self, operation: Operation[Request, Result], request: Request, progress: Progress = silent) -> Result:
        return operation(request, self.open(), progress)

    def close(self) -> None:
        with self._lock:
            self._opened = None

    def open(self) -> Engine:
        """The engine of what is published now; what runs on an earlier one keeps that one.

        Raises `DataError`, `ConfigurationError`.
        """
        version = self._data.published()
        with self._lock:
            if self._opened is None or self._opened[0] != version:
                # The model serves every corpus, and is large.
                self._embedder = self._embedder or open_embedder(self._settings)
                self._opened = (version, Engine.open(self._data.path, self._settings, self._embedder))
            return self._opened[1]

"""A queue over the demonstration parliament, in a data directory that it may write to."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.corpus import DataDirectory
from service.engines.interface import Operation, Request, Result
from service.engines.local import LocalEngine
from service.jobs.queue import JobQueue
from service.progress import Progress, Step, silent
from service.settings import JobsSettings, Settings
from tests.conftest import Esperia

MakeQueue = Callable[..., JobQueue]


@pytest.fixture
def data(esperia: Esperia, tmp_path: Path) -> DataDirectory:
    """Esperia's published version, with jobs and answers of this test alone."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "current").symlink_to((esperia.data / "current").resolve())
    return DataDirectory(folder)


class Gate:
    """An engine that waits at each step until it is let on; the engine behind it is the real one."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self._open = threading.Event()
        self.asked: list[str] = []
        """Questions that were begun, in their order."""

    def open(self) -> None:
        self._open.set()

    def run(self, operation: Operation[Request, Result], request: Request, progress: Progress = silent) -> Result:
        self.asked.append(request.question)  # type: ignore[attr-defined]

        def step(told: Step) -> None:
            progress(told)
            if not self._open.wait(20):
                raise TimeoutError("the gate stayed shut")
            progress(told)

        return self._engine.run(operation, request, step)

    def close(self) -> None:
        self.open()


@pytest.fixture(scope="session")
def local(esperia: Esperia) -> LocalEngine:
    """The engine over Esperia, opened once."""
    return LocalEngine(esperia.data, esperia.settings)


@pytest.fixture
def gate(local: LocalEngine) -> Iterator[Gate]:
    made = Gate(local)
    yield made
    made.open()


@pytest.fixture
def make_queue(data: DataDirectory, local: LocalEngine) -> Iterator[MakeQueue]:
    """Open the queue of the data directory; all that were opened are closed in the end."""
    opened: list[JobQueue] = []

    def make(engine: Any = None, **limits: Any) -> JobQueue:
        settings = Settings(embedder="hash", jobs=JobsSettings(**limits))
        queue = JobQueue(data, settings, engine or local)
        opened.append(queue)
        queue.resume()
        return queue

    yield make
    for queue in opened:
        queue.close()

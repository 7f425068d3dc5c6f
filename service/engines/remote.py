"""The engine in a process of its own, as the web server sees it: started, asked, and started again when it is lost."""

import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from service.engines import wire
from service.engines.interface import Operation, Request, Result
from service.errors import DataError
from service.progress import Progress, silent
from service.resources.wording import gettext
from service.settings import Settings

if TYPE_CHECKING:
    from service.embedding import Embedder

START_SECONDS: Final = 30.0
"""How long an operation waits for a process to take it."""
RESTART_SECONDS: Final = (0.0, 0.5, 2.0, 10.0)
"""Before a process that was lost is replaced, the first time and each further time that it does not live long."""
LIVES_SECONDS: Final = 60.0
"""From which age on a process that is lost counts as the first."""
PAGE_SECONDS: Final = 60.0
"""How long an operation may say nothing that nobody is told the progress of: a page waits for it."""
PROCESS: Final = "service.engines.host"
PASSED_ON: Final = (
    "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OPENBLAS_NUM_THREADS",
)  # fmt: skip
"""What the process may know of the environment: how to reach a model, and no key."""
_MEMORY: Final = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "131072"}
"""As for the web server: what a burst took goes back to the system."""
_log: Final = logging.getLogger(__name__)


class _Process:
    """One process, started; it opens the engine at once."""

    def __init__(self, opening: wire.Opening) -> None:
        """Raises `OSError`."""
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        with theirs:
            root = str(Path(__file__).resolve().parents[2])
            known = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
            self.process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", PROCESS, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**known, **_MEMORY, "PYTHONPATH": root},
                cwd="/",
            )
        try:
            with self.connect() as first:
                first.send_bytes(wire.packed(opening))
        except OSError:
            self.kill()
            raise

    def connect(self) -> "Connection[Any, Any]":
        """A connection for one operation. Raises `OSError` where the process is gone."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                with self._lock:
                    socket.send_fds(self._control, [wire.HAND_OVER], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return Connection(ours.detach())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._control.close()


class RemoteEngine:
    """Runs operations in one other process; starts it now, and anew whenever it is lost."""

    def __init__(
        self,
        data: Path,
        settings: Settings,
        *,
        packages: tuple[str, ...] = ("service",),
        embedder: "Embedder | None" = None,
    ) -> None:
        """Only functions of modules of `packages` may be run. Returns before the engine is open."""
        self._opening = wire.Opening(data.resolve(), settings, packages, embedder)
        self._changed = threading.Condition()
        self._process: _Process | None = None
        self._closed = False
        # A process ends with the thread that started it, so this one lives as long as the engine.
        self._keeper = threading.Thread(target=self._keep, name="engine", daemon=True)
        self._keeper.start()

    @property
    def pid(self) -> int | None:
        """The id of the process; None while there is none."""
        with self._changed:
            return self._process.process.pid if self._process else None

    def run(self, operation: Operation[Request, Result], request: Request, progress: Progress = silent) -> Result:
        asked = wire.Asked(operation.__module__, operation.__qualname__, wire.packed(request))
        # Without a limit, an engine that hangs would hold every thread of the web server.
        patience = PAGE_SECONDS if progress is silent else self._opening.settings.jobs.seconds
        with self._connection() as connection:
            with _lost_is_told():
                connection.send_bytes(wire.packed(asked))
            while isinstance(told := _next(connection, patience), wire.Stepped):
                progress(told.step)
        if isinstance(told, wire.Refused):
            raise told.error()
        if not isinstance(told, wire.Ended):
            raise DataError(gettext("the engine failed at this; the log of the service says why"))
        result: Result = told.result
        return result

    def close(self) -> None:
        """End the process, and what is under way in it."""
        with self._changed:
            self._closed = True
            process = self._process
            self._changed.notify_all()
        if process:
            process.process.kill()
        self._keeper.join(START_SECONDS)

    def _connection(self) -> "Connection[Any, Any]":
        """A connection to the process, after it has been started if need be. Raises `DataError`."""
        deadline = time.monotonic() + START_SECONDS
        lost: _Process | None = None
        while True:
            with self._changed:
                while self._closed or self._process in (None, lost):
                    left = deadline - time.monotonic()
                    if self._closed or left <= 0:
                        raise DataError(gettext("the engine is not running; try again in a minute"))
                    self._changed.wait(left)
                process = self._process
            assert process is not None
            with contextlib.suppress(OSError):
                return process.connect()
            lost = process  # it had not begun with this, so that the next one may

    def _keep(self) -> None:
        """Have a process running until the engine is closed."""
        failures = 0
        while True:
            started = time.monotonic()
            try:
                process = _Process(self._opening)
            except OSError:
                _log.exception("the process of the engine cannot be started")
            else:
                if not self._present(process):
                    return
            failures = 0 if time.monotonic() - started > LIVES_SECONDS else failures + 1
            with self._changed:
                if self._changed.wait_for(lambda: self._closed, _pause(failures)):
                    return

    def _present(self, process: _Process) -> bool:
        """Offer a process until it ends; whether another is wanted."""
        with self._changed:
            self._process = None if self._closed else process
            self._changed.notify_all()
        if self._closed:
            process.kill()
            return False
        status = process.process.wait()
        with self._changed:
            self._process = None
            closed = self._closed
        process.kill()
        if not closed:
            _log.warning("the process of the engine has ended (%s); another is started", status)
        return not closed


def _next(connection: "Connection[Any, Any]", patience: float) -> wire.Told:
    """What the operation tells next. Raises `DataError` where its process is gone, or tells nothing for too long."""
    with _lost_is_told():
        if not connection.poll(patience):
            raise DataError(gettext("the engine takes too long for this; try again in a minute"))
        body = connection.recv_bytes()
    told: wire.Told = wire.unpacked(body)
    return told


@contextlib.contextmanager
def _lost_is_told() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        raise DataError(
            gettext("the engine was lost while it worked on this, and is being started again; try again")
        ) from error


def _pause(failures: int) -> float:
    """Seconds before the next start after so many short lives."""
    return RESTART_SECONDS[min(failures, len(RESTART_SECONDS)) - 1] if failures else 0.0

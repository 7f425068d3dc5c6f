"""A query worker as its parent holds it: started over a snapshot, asked, slowed, halted, killed."""

import contextlib
import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from service.snapshots import worker as process

READY_SECONDS: Final = 30.0
GROWN: Final = 32 * 2**20
"""Bytes that a worker may keep of what its queries took."""
LOWEST_PRIORITY: Final = 19


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A published store that nobody writes to."""

    path: Path | None
    """None for nothing, to which queries bring triples of their own."""
    version: str
    union_default_graph: bool = True


class Worker:
    """One worker process, as its parent sees it."""

    def __init__(self, snapshot: Snapshot, memory_mb: int) -> None:
        self.snapshot = snapshot
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _interval(READY_SECONDS))
        self.connection = ours
        with theirs:
            root = str(Path(__file__).resolve().parents[2])
            path = str(snapshot.path) if snapshot.path else ""
            self.process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", process.__name__, str(theirs.fileno()), path, str(memory_mb)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Nothing of the parent's environment: there are keys in it.
                env={"PYTHONPATH": root, "MALLOC_ARENA_MAX": "2", "PYTHONDONTWRITEBYTECODE": "1"},
                cwd="/",
            )
        self._buffer = bytearray()
        self.low_priority = False
        try:
            kind, body = self.frame(time.monotonic() + READY_SECONDS)
            if kind != process.READY:
                raise EOFError
            told = json.loads(body)
        except (EOFError, TimeoutError, OSError) as error:
            self.kill()
            raise OSError(f"no query worker can be started over {snapshot.path or 'no data'}") from error
        self.isolation: str = told["isolation"]
        self.graphs: tuple[str, ...] = tuple(told["graphs"])
        self._resident: int = told["resident"]
        self.processor: float = told["processor"]
        """Seconds of a processor that it had used when it last ended a query."""

    def send(self, job: dict[str, Any]) -> None:
        body = json.dumps(job).encode()
        self.connection.sendall(struct.pack("!I", len(body)) + body)

    def frame(self, deadline: float) -> tuple[bytes, bytes]:
        """The next frame. Raises `TimeoutError` at the deadline and loses nothing; `EOFError` if the worker is gone."""
        head = process.FRAME.size
        self._fill(head, deadline)
        kind, length = process.FRAME.unpack_from(self._buffer)
        self._fill(head + length, deadline)
        body = bytes(memoryview(self._buffer)[head : head + length])
        del self._buffer[: head + length]
        return kind, body

    def _fill(self, count: int, deadline: float) -> None:
        while len(self._buffer) < count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            # Not with `settimeout`: it has every call wait for the interpreter once more.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _interval(left))
            try:
                part = self.connection.recv(1 << 17)
            except BlockingIOError:
                continue
            if not part:
                raise EOFError
            self._buffer += part

    def grown(self, resident: int) -> bool:
        """Whether it holds so much more memory than at its start that it had better be replaced."""
        return resident > self._resident + GROWN

    def used(self) -> float:
        """Seconds of a processor that the query under way has used; infinite where that cannot be told."""
        try:
            told = Path(f"/proc/{self.process.pid}/schedstat").read_text(encoding="ascii")
        except OSError:
            return math.inf
        return int(told.split()[0]) / 1e9 - self.processor

    def lower_priority(self) -> None:
        """Let quick queries go first. There is no way back: that takes a privilege."""
        self.low_priority = True
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, LOWEST_PRIORITY)
            if hasattr(os, "SCHED_IDLE"):
                # Whatever wakes up goes before it at once; a merely nice process keeps its turn.
                os.sched_setscheduler(self.process.pid, os.SCHED_IDLE, os.sched_param(0))

    @contextlib.contextmanager
    def halted(self) -> Iterator[None]:
        """Halt the process meanwhile, on a system that ends it with its parent even then."""
        if not process.TIED_TO_PARENT:
            yield
            return
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.connection.close()
        self.process.wait()


def _interval(seconds: float) -> bytes:
    """A `timeval`; one of nothing would mean for ever."""
    whole = max(1, math.ceil(seconds * 1e6))
    return struct.pack("@ll", *divmod(whole, 1_000_000))

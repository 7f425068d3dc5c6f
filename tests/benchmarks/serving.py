"""The service as it runs: a process of its own on a free port, and what its processes hold."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.settings import PREFIX

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 30.0
WORKER: Final = "service.snapshots.worker"


@dataclass(frozen=True, slots=True)
class Service:
    """A service that runs."""

    process: subprocess.Popen[bytes]
    port: int

    def tree(self) -> tuple[int, ...]:
        """The process ids of the service, its own first."""
        return tree(self.process.pid)


@dataclass(frozen=True, slots=True)
class Holding:
    """What a tree of processes holds at one moment."""

    megabytes: float
    """Proportional set size: memory shared by processes counts once."""
    processes: int
    query_workers: int
    threads: int
    descriptors: int


def load(source: Path, data: Path) -> None:
    """Load plain RDF as people do."""
    command = [sys.executable, "-m", "service.cli", "load", "rdf", "--from", str(source), "--data", str(data), "--json"]
    subprocess.run(command, cwd=ROOT, env=_environment({}), check=True, capture_output=True)


@contextmanager
def serving(data: Path, settings: dict[str, str] | None = None) -> Iterator[Service]:
    """Serve a data directory with the settings given (`SPARQL__SECONDS` …); all its processes end with the block."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "serve", "--data", str(data), "--port", str(port)],
        cwd=ROOT,
        env=_environment(settings or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    service = Service(process, port)
    seen: tuple[int, ...] = ()
    try:
        wait_until(lambda: process.poll() is not None or listens(port), "the service")
        if process.poll() is not None:
            raise RuntimeError(f"the service ended with status {process.returncode}")
        yield service
    finally:
        seen = service.tree()
        process.kill()
        process.wait()
        for pid in seen:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _environment(settings: dict[str, str]) -> dict[str, str]:
    """This process's environment without settings of its own."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return outside | {f"{PREFIX}{name}": value for name, value in settings.items()}


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether something listens at a port of the loopback interface."""
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Poll a condition; raise `TimeoutError` that says what was waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.02)


def tree(root: int) -> tuple[int, ...]:
    """A process and those it started, and they in turn, that are alive."""
    children: dict[int, list[int]] = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        with suppress(OSError):
            state, parent = _stat(pid)
            if state != "Z":
                children.setdefault(parent, []).append(pid)
    found = [root] if alive(root) else []
    for pid in found:
        found += children.get(pid, [])
    return tuple(found)


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    with suppress(OSError):
        return _stat(pid)[0] != "Z"
    return False


def _stat(pid: int) -> tuple[str, int]:
    # The name, in brackets, may hold anything.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], int(fields[1])


def holding(pids: tuple[int, ...]) -> Holding:
    """What these processes hold together."""
    kilobytes = workers = threads = descriptors = processes = 0
    for pid in pids:
        folder = Path(f"/proc/{pid}")
        with suppress(OSError):  # it may end while it is looked at
            lines = (folder / "smaps_rollup").read_text().splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            workers += WORKER in (folder / "cmdline").read_text()
            threads += len(os.listdir(folder / "task"))
            descriptors += len(os.listdir(folder / "fd"))
            processes += 1
    return Holding(round(kilobytes / 1024, 1), processes, workers, threads, descriptors)

"""What a running service has of the publication of its version, which it has made if need be."""

import logging
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from service.publication import making, statistics
from service.publication.making import Publication
from service.publication.statistics import GraphStatistics

_LOG: Final = logging.getLogger(__name__)
_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Ready:
    """What there is now. Both are absent while they are made."""

    publication: Publication | None = None
    """Absent too where the folder of the version cannot be written: dumps are then made as they are read."""
    statistics: GraphStatistics | None = None


@dataclass(slots=True)
class _Making:
    done: threading.Event = field(default_factory=threading.Event)
    ready: Ready = Ready()


class Keeper:
    """Has the publication of a version made once, in the background, by one process at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._makings: dict[Path, _Making] = {}

    def get(self, version: Path, wait: float = 0.0) -> Ready:
        """What there is of a version after so many seconds at most."""
        with self._lock:
            making = self._makings.get(version)
            if making is None:
                # Of former versions nobody asks again.
                self._makings = {version: (making := _Making())}
                threading.Thread(target=_make, args=(version, making), name="publication", daemon=True).start()
        making.done.wait(wait)
        return making.ready


def _make(version: Path, task: _Making) -> None:
    try:
        if (found := making.read(version)) is None:
            counted = statistics.parse(_run(version))
            found = making.read(version)
            if found is None:
                task.ready = Ready(None, counted)
        if found is not None:
            task.ready = Ready(found, found.statistics)
    except (OSError, subprocess.SubprocessError):
        _LOG.exception("no dumps and statistics could be made of %s", version)
    finally:
        task.done.set()


def _run(version: Path) -> bytes:
    """Make a publication in another process; return the statistics that it prints if it can write none."""
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", making.__package__, str(version)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Nothing of this process's environment: there are keys in it.
        env={"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
    ) as process:
        # Its end of standard input closes with this process: so it ends with it.
        output = process.stdout.read() if process.stdout else b""
        if process.wait():
            raise subprocess.SubprocessError(f"it ended with status {process.returncode}")
        return output

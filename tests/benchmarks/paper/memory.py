"""What a process holds, as Linux tells it; in MB."""

import os
import resource
from contextlib import suppress
from pathlib import Path

_STATUS = {"VmRSS": "rss", "VmHWM": "peak", "RssAnon": "anonymous", "RssFile": "mapped"}


def held(pid: int | None = None) -> dict[str, float]:
    """Resident, peak, anonymous, file-mapped and proportional set size of a process; empty where there is no /proc.

    Mapped pages are those of the stores' files: the system takes them back when it needs them.
    """
    folder = Path(f"/proc/{pid or os.getpid()}")
    found: dict[str, float] = {}
    with suppress(OSError):
        for line in (folder / "status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in _STATUS:
                found[_STATUS[name]] = round(int(value.split()[0]) / 1024, 1)
        for line in (folder / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                found["pss"] = round(int(line.split()[1]) / 1024, 1)
    return found


def largest_child() -> float:
    """Peak of the largest of this process's children that ended."""
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1)

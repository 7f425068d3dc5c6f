"""Where the time of questions goes, by py-spy: functions by the samples in them, and in them and what they call."""

import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

RATE: Final = 200
"""Samples a second."""
_LINE: Final = re.compile(r":\d+\)$")
LONGEST: Final = 25
"""Functions that are listed."""


def command(target: Path) -> list[str] | None:
    """The command that a process runs under to be sampled into a file; None where py-spy is not installed."""
    beside = Path(sys.executable).with_name("py-spy")
    program = str(beside) if beside.is_file() else shutil.which("py-spy")
    if not program:
        return None
    options = ["--format", "raw", "--native", "--rate", str(RATE), "--output", str(target)]
    return [program, "record", *options, "--"]


def summary(lines: Iterable[str], within: Sequence[str]) -> dict[str, Any]:
    """The samples below the functions named (any of them on the stack), by function; shares of all of these.

    A line is a stack from the outside in, joined by semicolons, and how many samples saw it. `inclusive` counts
    Python functions with all that they call, `python` the innermost Python function, `own` the innermost of all.
    """
    counts = {kind: Counter[str]() for kind in ("inclusive", "python", "own")}
    total = 0
    for line in lines:
        stack, _, number = line.strip().rpartition(" ")
        frames = [_LINE.sub(")", frame) for frame in stack.split(";") if not frame.startswith("0x")]
        begin = next((at for at, frame in enumerate(frames) if frame.split(" ")[0] in within), None)
        if begin is None or not number.isdigit():
            continue
        seen = int(number)
        total += seen
        python = [frame for frame in frames[begin:] if frame.endswith(".py)")]
        counts["own"][frames[-1]] += seen
        counts["python"][python[-1]] += seen
        for frame in set(python):
            counts["inclusive"][frame] += seen
    return {
        "samples": total,
        **{
            kind: {name: round(seen / total, 3) for name, seen in found.most_common(LONGEST)}
            for kind, found in counts.items()
        },
    }

"""Calls a function in a process of its own, so that its memory, its threads and what it keeps are its own.

python -m tests.benchmarks.paper.apart MODULE FUNCTION RESULT < arguments.json
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from service.settings import PREFIX
from tests.benchmarks.serving import ROOT


def run(
    function: Callable[..., Any],
    *,
    environment: Mapping[str, str] | None = None,
    under: Sequence[str] = (),
    **arguments: Any,
) -> Any:
    """What a function of a module gives for keyword arguments; both are plain values for JSON (paths become text).

    Settings of the service in this process's environment do not reach it. `under` is a command that runs the
    process, such as a profiler. Raises `RuntimeError` if the process fails; its errors are on standard error.
    """
    outside = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [*under, sys.executable, "-m", __name__, function.__module__, function.__name__, str(result)]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=outside | dict(environment or {}),
            input=json.dumps(arguments, default=str).encode(),
            stdout=sys.stderr,
        )
        if done.returncode or not result.is_file():
            raise RuntimeError(f"{function.__module__}.{function.__name__} ended with status {done.returncode}")
        return json.loads(result.read_bytes())


if __name__ == "__main__":
    module, name, target = sys.argv[1:]
    given = json.load(sys.stdin)
    Path(target).write_text(json.dumps(getattr(importlib.import_module(module), name)(**given)), encoding="utf-8")

"""A process that asks and dies by SIGKILL: after the first answer, while others wait and one is worked on.

python -m tests.service.jobs.dying DATA QUESTION …
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from service.corpus import DataDirectory
from service.engines.local import LocalEngine
from service.jobs.model import AskRequest
from service.jobs.queue import JobQueue
from service.progress import Progress, Step
from service.settings import JobsSettings, Settings


class Fatal(LocalEngine):
    """An engine that ends its process when it chooses passages for the second time."""

    chosen = 0

    def run(self, operation: Any, request: Any, progress: Progress = lambda _: None) -> Any:
        def step(told: Step) -> None:
            progress(told)
            if (told.stage, told.state) == ("choose", "begun"):
                self.chosen += 1
                if self.chosen == 2:
                    os.kill(os.getpid(), signal.SIGKILL)

        return super().run(operation, request, step)


def main(data: Path, questions: list[str]) -> None:
    """Ask and die."""
    settings = Settings(embedder="hash", jobs=JobsSettings(at_once=1))
    queue = JobQueue(DataDirectory(data), settings, Fatal(data, settings))
    for n, question in enumerate(questions):
        print(queue.submit(AskRequest(question), f"client {n}")[0].id, flush=True)
    signal.pause()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

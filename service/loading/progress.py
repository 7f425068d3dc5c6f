"""What a load tells while it works, and how long each of its stages took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol


class Progress(Protocol):
    """What a load tells while it works; the command line draws it."""

    def begin(self, stage: str, total: int | None) -> None: ...
    def advance(self, done: int) -> None: ...


class Silent:
    """Tells nothing."""

    def begin(self, stage: str, total: int | None) -> None: ...
    def advance(self, done: int) -> None: ...


@dataclass(slots=True)
class Clock:
    """Seconds by stage; stages may run side by side."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[stage] = round(self.seconds.get(stage, 0.0) + time.perf_counter() - begin, 3)

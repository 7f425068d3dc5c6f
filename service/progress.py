"""What a long piece of work tells while it goes on: which stage it is in, and what the stage found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Stage = Literal["understand", "retrieve", "choose", "verify", "write"]
"""The stages of an answer, in their order; the compass and the ranking of experts use some of them."""


@dataclass(frozen=True, slots=True)
class Step:
    """A stage that began, went on or ended. `figures` is what it has found so far, by name (DESIGN §6)."""

    stage: Stage
    state: Literal["begun", "working", "ended"]
    figures: Mapping[str, int | str] = field(default_factory=dict)


Progress = Callable[[Step], None]
"""Is told each step; what it raises ends the work."""


def silent(_: Step) -> None:
    """Tell nobody."""

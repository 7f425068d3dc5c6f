"""How the web asks the engine: an operation, a request, and the progress that is told meanwhile."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from service.progress import Progress, silent

if TYPE_CHECKING:  # the web server does not load what the engine is made of
    from service.pipeline import Engine

Request = TypeVar("Request")
Result = TypeVar("Result")

Operation = Callable[[Request, "Engine", Progress], Result]
"""A function of a module, which is sent by its name; request and result are frozen data classes that pickle."""


class EngineHost(Protocol):
    """Runs operations on the engine of the corpus that is published now."""

    def run(self, operation: Operation[Request, Result], request: Request, progress: Progress = silent) -> Result:
        """Run an operation and wait for it.

        Raises what the operation raises if that is an `EmicicloError`, and `DataError` where the
        engine cannot be opened or is lost. What `progress` raises ends the operation and is raised here.
        """
        ...

    def close(self) -> None:
        """End what was started."""
        ...

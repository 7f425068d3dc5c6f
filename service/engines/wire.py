"""What the web server and the engine's process say to each other: pickled tuples over a socket pair nobody else has.

For each operation the web server hands over one end of a new pair, sends an `Asked` into the other, and reads
what is told: steps, and then one result or one failure.
"""

import importlib
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from service.embedding import Embedder
from service.errors import EmicicloError
from service.progress import Step
from service.settings import Settings

HAND_OVER: Final = b"o"
"""The byte that brings the end of a pair along."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first message to the process: what to open. Secrets come in these settings and in no other way."""

    data: Path
    settings: Settings
    packages: tuple[str, ...]
    """Packages whose functions may be run."""
    embedder: Embedder | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation by its name, and its request as bytes, which are read where a failure can be told."""

    module: str
    name: str
    request: bytes


@dataclass(frozen=True, slots=True)
class Stepped:
    """A step that the operation told."""

    step: Step


@dataclass(frozen=True, slots=True)
class Ended:
    """What the operation returned."""

    result: Any


@dataclass(frozen=True, slots=True)
class Refused:
    """An `EmicicloError` in parts: many have constructors that differ from what an exception pickles."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    state: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, error: EmicicloError) -> "Refused":
        kind = type(error)
        state = {name: value for name, value in vars(error).items() if not name.startswith("__")}
        return cls(kind.__module__, kind.__qualname__, error.args, state)

    def error(self) -> EmicicloError:
        """The error again. Raises `TypeError` for what is no error of ours."""
        kind = named(self.module, self.name)
        if not (isinstance(kind, type) and issubclass(kind, EmicicloError)):
            raise TypeError(f"{self.module}.{self.name} is no error of this program")
        error = kind.__new__(kind, *self.arguments)
        vars(error).update(self.state)
        return error


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong that is nobody's to know but the log's."""


Told = Stepped | Ended | Refused | Failed


def packed(message: Any) -> bytes:
    """A message as bytes."""
    return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


def unpacked(body: bytes) -> Any:
    """A message again; only what comes from the other end of our own pair is ever read."""
    return pickle.loads(body)  # noqa: S301


def named(module: str, name: str) -> Any:
    """What a module calls so. Raises `ImportError`, `AttributeError`."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def function(asked: Asked, packages: tuple[str, ...]) -> FunctionType:
    """The function that is asked for. Raises `LookupError` for all but a function of a module of the packages."""
    if not asked.module.startswith(tuple(f"{package}." for package in packages)):
        raise LookupError(f"{asked.module} is not among the modules whose functions may be run")
    try:
        found = named(asked.module, asked.name)
    except (ImportError, AttributeError) as error:
        raise LookupError(f"{asked.module} has no function {asked.name}") from error
    if not isinstance(found, FunctionType) or found.__module__ != asked.module:
        raise LookupError(f"{asked.module}.{asked.name} is no function of that module")
    return found

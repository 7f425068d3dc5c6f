"""Ranks, ties and spread of those who were weighed for a question: pure functions."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Final, Literal, get_args

import numpy as np

from service.authority.score import Authority, Components, Weights

Measure = Literal["authority", "profession", "education", "committee", "acts", "speeches", "role"]
Order = Literal["authority", "profession", "education", "committee", "acts", "speeches", "role", "name"]
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
COMPONENTS: Final = tuple(field.name for field in fields(Components))
WEIGHTS: Final = {field.name: float(getattr(Weights(), field.name)) for field in fields(Weights)}


@dataclass(frozen=True, slots=True)
class Standing:
    """A place in the ranking: those with the same authority, to six decimals, share the place."""

    rank: int
    tied: int
    """How many share it, at least 1."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How the known values of a measure are spread. The figures are None where no value is known."""

    measure: Measure
    weight: float | None
    """In the authority; None for the authority itself."""
    minimum: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    maximum: float | None
    saturated: float
    """Share of all whose value is 1, and so cannot be told apart."""
    missing: int


def standings(authorities: Collection[Authority]) -> dict[str, Standing]:
    """The place of each speaker by authority, 1 for the highest."""
    totals = {authority.speaker: -round(authority.total, 6) for authority in authorities}
    ordered = sorted(totals.values())
    return {
        speaker: Standing(bisect_left(ordered, total) + 1, bisect_right(ordered, total) - bisect_left(ordered, total))
        for speaker, total in totals.items()
    }


def value(authority: Authority, measure: Measure) -> float | None:
    """The authority itself, or one of its components."""
    if measure == "authority":
        return authority.total
    found: float | None = getattr(authority.components, measure)
    return found


def spreads(authorities: Sequence[Authority]) -> tuple[Spread, ...]:
    """The spread of the authority and of each component."""
    return tuple(_spread(measure, [value(authority, measure) for authority in authorities]) for measure in MEASURES)


def _spread(measure: Measure, values: Sequence[float | None]) -> Spread:
    known = [each for each in values if each is not None]
    five: list[float | None] = (
        [float(each) for each in np.quantile(known, (0, 0.25, 0.5, 0.75, 1))] if known else [None] * 5
    )
    return Spread(
        measure=measure,
        weight=WEIGHTS.get(measure),
        minimum=five[0],
        lower_quartile=five[1],
        median=five[2],
        upper_quartile=five[3],
        maximum=five[4],
        saturated=sum(each >= 1 - 1e-9 for each in known) / len(values) if values else 0.0,
        missing=len(values) - len(known),
    )

"""The compass as data. Positions are numbers of this picture alone: their sign and their unit mean nothing outside."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from loaders.text import Span

Unavailable = Literal["few-groups", "few-passages", "no-difference"]
Verdict = Literal["stable", "tentative", "unstable"]
CompassKind = Literal["government", "majority", "opposition", "mixed", "other"]
Place = tuple[float, ...]
"""Coordinates on the axes of a compass: one or two, in standard deviations of all passages on the first axis."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words as they stand in a speech, with the place of the whole chunk around them."""

    chunk: str
    speech: str
    span: Span
    exact: str
    speaker: str | None
    name: str | None
    title: str
    """Whose passage it is, as the compass calls the group."""
    day: date
    place: Place


@dataclass(frozen=True, slots=True)
class Term:
    """A word that stands at one pole more than at the other, in the form in which it is said most often there.

    `weight` is the log-odds ratio in standard errors.
    """

    label: str
    weight: float


@dataclass(frozen=True, slots=True)
class Pole:
    """One end of an axis: the words that tell it from the other end, and the passages that lie outermost."""

    terms: tuple[Term, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """A direction in which the passages differ. Which end is the high one is arbitrary."""

    explained: float
    """Share of the variance of all passages, in [0, 1]."""
    low: Pole
    high: Pole


@dataclass(frozen=True, slots=True)
class Ellipse:
    """An ellipse (on one axis an interval) around a centre, with the share of the passages that it holds."""

    major: float
    minor: float
    """Half-axes; `minor` is 0 on one axis."""
    rotation: float
    """Degrees from the first axis to the major half-axis, counter-clockwise, in (-90, 90]."""
    held: float


@dataclass(frozen=True, slots=True)
class Position:
    """Where one group stands."""

    kind: CompassKind
    group: str | None
    """The group's IRI; None for the government."""
    component: str | None
    title: str
    sigla: str | None
    centre: Place
    ellipse: Ellipse | None
    """None under three passages."""
    stability: float | None
    """Share of the resamples in which the centre stays nearer its own place than any other group's; None for a
    single passage, which cannot be resampled."""
    places: tuple[Place, ...]
    passages: tuple[Passage, ...]
    """The one nearest to the centre, then the one farthest from all groups' common middle."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How far the picture depends on which passages were found."""

    verdict: Verdict
    resamples: int
    order_kept: float
    """Share of the resamples in which all groups keep their order along the first axis."""
    pairs_kept: float
    """Mean share of the pairs of groups that keep their order; about six in ten for groups that do not differ."""
    between: float
    """Share of the variance of all passages that lies between the groups, in [0, 1]."""
    chance: float
    """Share of random deals of the speeches to the groups that set these at least as far apart, in (0, 1]."""


@dataclass(frozen=True, slots=True)
class Compass:
    """Where the groups stand, or why that cannot be told."""

    passages: int
    groups: int
    unavailable: Unavailable | None
    axes: tuple[Axis, ...] = ()
    positions: tuple[Position, ...] = ()
    stability: Stability | None = None

    @property
    def explained(self) -> float:
        """Share of the variance of all passages that the axes carry together."""
        return sum(axis.explained for axis in self.axes)

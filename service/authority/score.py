"""The authority of a speaker on a question (DESIGN §5, eq. 2): pure functions of features.

`total = .15 profession + .10 education + .25 committee + .20 acts + .25 speeches + .05 role`,
each component in [0, 1]. What is not known is absent: it adds nothing, its weight goes to no
other component, and whoever shows the score can say "not available".
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta
from typing import Final

HALF_LIFE_DAYS: Final = 548
SATURATION: Final = 20
"""Sum of weighted activity at which a logarithmic component reaches 1."""
MINIMUM_RELEVANCE: Final = 0.25
"""Activity below this relevance is about something else and does not count."""
FIRST_SIGNATORY: Final = 1.0
CO_SIGNATORY: Final = 0.3
NO_OFFICE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the components; the paper's."""

    profession: float = 0.15
    education: float = 0.10
    committee: float = 0.25
    acts: float = 0.20
    speeches: float = 0.25
    role: float = 0.05


@dataclass(frozen=True, slots=True)
class Components:
    """The six components, each in [0, 1]; None where the source has nothing."""

    profession: float | None
    education: float | None
    committee: float
    acts: float
    speeches: float
    role: float


@dataclass(frozen=True, slots=True)
class Activity:
    """A dated act or speech: `weight` is the role in it, `relevance` how near the question it is."""

    iri: str
    day: date
    relevance: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Stance:
    """A stretch of time on one side. `until` is the last day, or None while it lasts."""

    side: str
    begin: date
    until: date | None
    rank: int = 0
    """Which stance tells the side where several hold on one day: the highest."""

    def holds(self, day: date) -> bool:
        return self.begin <= day and (self.until is None or day <= self.until)


@dataclass(frozen=True, slots=True)
class Seat:
    """A committee of the speaker with its relevance to the question."""

    iri: str
    label: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Office:
    """An office with its weight, and the relevance of the body in which it is held."""

    role: str
    printed: str
    weight: float
    organisation: str
    label: str | None
    relevance: float | None


@dataclass(frozen=True, slots=True)
class Features:
    """All that is known of a speaker for one question."""

    speaker: str
    name: str | None
    gender: str | None
    education: str | None
    profession: str | None
    education_relevance: float | None
    profession_relevance: float | None
    seats: tuple[Seat, ...]
    offices: tuple[Office, ...]
    acts: tuple[Activity, ...]
    speeches: tuple[Activity, ...]
    stances: tuple[Stance, ...]


@dataclass(frozen=True, slots=True)
class Authority:
    """A speaker's authority on one question, with what it was made of."""

    speaker: str
    total: float
    components: Components
    acts_counted: tuple[Activity, ...]
    speeches_counted: tuple[Activity, ...]
    activities_of_another_side: int
    seat: Seat | None
    offices: tuple[Office, ...]


def total(components: Components, weights: Weights = Weights()) -> float:
    """The weighted sum of the components that are known, clamped to [0, 1]."""
    pairs = ((getattr(components, field.name), getattr(weights, field.name)) for field in fields(Components))
    return _clamped(sum(weight * value for value, weight in pairs if value is not None))


def decay(age: timedelta, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """`2^(-days / half-life)`: 1 today, one half after a half-life; the future counts as today."""
    return float(2.0 ** (-max(0, age.days) / half_life_days))


def logarithmic(amount: float, saturation: float = SATURATION) -> float:
    """`ln(1 + amount) / ln(1 + saturation)`, clamped to [0, 1]."""
    return _clamped(math.log1p(max(0.0, amount)) / math.log1p(saturation))


def activity(items: Iterable[Activity], reference: date) -> float:
    """The logarithm of Σ weight · decay · relevance over relevant activity up to the reference date."""
    return logarithmic(
        sum(
            item.weight * decay(reference - item.day) * item.relevance
            for item in items
            if item.day <= reference and item.relevance >= MINIMUM_RELEVANCE
        )
    )


def side_on(stances: Sequence[Stance], day: date) -> str | None:
    """The side on a day: of the stance with the highest rank, then the latest, that holds then."""
    holding = [stance for stance in stances if stance.holds(day)]
    if not holding:
        return None
    return max(holding, key=lambda stance: (stance.rank, stance.begin, stance.side)).side


def same_side(stances: Sequence[Stance], reference: date) -> Callable[[Activity], bool]:
    """Tell which activity was done on the side where the speaker stands now.

    For somebody who has left parliament, "now" is the last day on which a side is known.
    """
    now = side_on(stances, reference)
    if now is None:
        ended = [stance.until for stance in stances if stance.until and stance.until < reference]
        now = side_on(stances, max(ended)) if ended else None
    return lambda item: now is not None and side_on(stances, item.day) == now


def role(offices: Iterable[Office]) -> float:
    """The highest office, raised by 30 % of its body's relevance where that is at least one half."""
    return max(
        (
            _clamped(office.weight * (1 + 0.3 * office.relevance))
            if office.relevance is not None and office.relevance >= 0.5
            else office.weight
            for office in offices
        ),
        default=NO_OFFICE,
    )


def assess(features: Features, reference: date, weights: Weights = Weights()) -> Authority:
    """Score a speaker from the features, on the reference date."""
    on_side = same_side(features.stances, reference)

    def counted(items: tuple[Activity, ...]) -> tuple[tuple[Activity, ...], int]:
        relevant = [item for item in items if item.day <= reference and item.relevance >= MINIMUM_RELEVANCE]
        kept = tuple(item for item in relevant if on_side(item))
        return kept, len(relevant) - len(kept)

    acts, other_acts = counted(features.acts)
    speeches, other_speeches = counted(features.speeches)
    seat = max(features.seats, key=lambda s: (s.relevance, s.iri), default=None)
    components = Components(
        profession=features.profession_relevance,
        education=features.education_relevance,
        committee=seat.relevance if seat else 0.0,
        acts=activity(acts, reference),
        speeches=activity(speeches, reference),
        role=role(features.offices),
    )
    return Authority(
        speaker=features.speaker,
        total=total(components, weights),
        components=components,
        acts_counted=acts,
        speeches_counted=speeches,
        activities_of_another_side=other_acts + other_speeches,
        seat=seat,
        offices=features.offices,
    )


def _clamped(value: float) -> float:
    return min(1.0, max(0.0, value))

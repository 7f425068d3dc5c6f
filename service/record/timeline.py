"""Memberships on a line of time: a lane for each body, overlaps told, and figures by month or year."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from typing import Final

from service.resources.people import Stint

MOST_MONTHS: Final = 30
"""Months that a chart shows; a longer time is shown by years."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A time in a lane: where it begins and how wide it is, in hundredths of the line."""

    stint: Stint
    left: float
    width: float
    open: bool
    """Whether it lasts beyond the end of the line."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One body with the times of one person in it."""

    name: str
    component: bool
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of time with its lanes, and the years that begin on it."""

    begin: date
    end: date
    lanes: tuple[Lane, ...]
    years: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Days, both included, on which somebody belonged to two groups; None where that lasts."""

    first: Stint
    second: Stint
    begin: date
    until: date | None


@dataclass(frozen=True, slots=True)
class Period:
    """What was done in a month or a year."""

    begin: date
    end: date
    monthly: bool
    count: int
    weight: int
    """Words of speeches, or acts signed first."""


def line(stints: Sequence[Stint], last_day: date) -> Line | None:
    """Lay memberships out up to a day; None where there is nothing to show. Earlier bodies come first."""
    shown = [stint for stint in stints if stint.body and stint.begin <= last_day]
    if not shown:
        return None
    begin = min(stint.begin for stint in shown)
    end = max(last_day, *(stint.until or last_day for stint in shown))
    whole = (end - begin).days + 1

    def place(day: date) -> float:
        return round(100 * (day - begin).days / whole, 3)

    def bar(stint: Stint) -> Bar:
        until = min(max(stint.until or end, stint.begin), end)
        left = place(stint.begin)
        return Bar(
            stint, left, round(min(100 * ((until - stint.begin).days + 1) / whole, 100 - left), 3), not stint.until
        )

    bodies: defaultdict[str, list[Stint]] = defaultdict(list)
    for stint in sorted(shown, key=lambda stint: (stint.begin, stint.component, stint.iri)):
        bodies[stint.body or ""].append(stint)
    lanes = tuple(
        Lane(found[-1].renamed or found[-1].body_name or "", found[0].component, tuple(map(bar, found)))
        for found in bodies.values()
    )
    years = tuple((year, place(date(year, 1, 1))) for year in range(begin.year + 1, end.year + 1))
    return Line(begin, end, lanes, years)


def overlaps(stints: Iterable[Stint]) -> tuple[Overlap, ...]:
    """Where memberships of different groups meet on the same days; components lie in their group: no overlap."""
    groups = sorted(
        (stint for stint in stints if stint.kind == "groups" and not stint.component and stint.role is None),
        key=lambda stint: (stint.begin, stint.iri),
    )
    found = []
    for first, second in combinations(groups, 2):
        begin = max(first.begin, second.begin)
        ends = [stint.until for stint in (first, second) if stint.until]
        until = min(ends) if ends else None
        if first.body != second.body and (until is None or begin <= until):
            found.append(Overlap(first, second, begin, until))
    return tuple(found)


def by_period(done: Iterable[tuple[date | None, int]], *, months: bool = True) -> tuple[Period, ...]:
    """Count what was done on days by month, or by year where that were too many; quiet times between are counted too.

    What has no day is left out.
    """
    dated = [(day, weight) for day, weight in done if day]
    if not dated:
        return ()
    first, last = min(day for day, _ in dated), max(day for day, _ in dated)
    monthly = months and (last.year - first.year) * 12 + last.month - first.month < MOST_MONTHS
    begins = [first.replace(day=1) if monthly else date(first.year, 1, 1)]
    while (following := _next(begins[-1], monthly=monthly)) and following <= last:
        begins.append(following)
    sums: defaultdict[date, list[int]] = defaultdict(list)
    for day, weight in dated:
        sums[day.replace(day=1) if monthly else date(day.year, 1, 1)].append(weight)
    return tuple(
        Period(begin, _end(begin, monthly=monthly), monthly, len(sums[begin]), sum(sums[begin])) for begin in begins
    )


def _next(begin: date, *, monthly: bool) -> date | None:
    """The first day of the period after one; None at the end of the calendar."""
    if monthly and begin.month < 12:
        return begin.replace(month=begin.month + 1)
    return date(begin.year + 1, 1, 1) if begin.year < date.max.year else None


def _end(begin: date, *, monthly: bool) -> date:
    following = _next(begin, monthly=monthly)
    return following - timedelta(days=1) if following else date.max

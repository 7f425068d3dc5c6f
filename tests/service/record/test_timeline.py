"""Memberships on a line of time, overlaps, and figures by period."""

from datetime import date, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from service.record.timeline import by_period, line, overlaps
from service.resources.people import Stint

days = st.dates(date(2000, 1, 1), date(2030, 12, 31))


def stint(begin: date, until: date | None, body: str = "g1", component: bool = False) -> Stint:
    return Stint(f"{body}-{begin}", "groups", body, body.upper(), None, None, begin, until, component)


@st.composite
def stints(draw: st.DrawFn) -> list[Stint]:
    found = []
    for body in draw(st.lists(st.sampled_from(["g1", "g2", "g3"]), max_size=5)):
        begin = draw(days)
        until = draw(st.none() | st.integers(0, 2000).map(lambda n, begin=begin: begin + timedelta(days=n)))  # type: ignore[misc]
        found.append(stint(begin, until, body))
    return found


@given(stints(), days)
def test_every_bar_lies_on_the_line(found: list[Stint], last_day: date) -> None:
    shown = line(found, last_day)
    begun = [s for s in found if s.begin <= last_day]
    assert (shown is None) == (not begun)
    if shown:
        assert sum(len(lane.bars) for lane in shown.lanes) == len(begun)
        for lane in shown.lanes:
            for bar in lane.bars:
                assert 0 <= bar.left <= 100
                assert 0 < bar.width <= 100.001
                assert bar.left + bar.width <= 100.01
                assert bar.open == (bar.stint.until is None)
        assert all(0 <= left <= 100 for _, left in shown.years)


@given(stints())
def test_overlaps_are_days_on_which_both_groups_are_held(found: list[Stint]) -> None:
    for overlap in overlaps(found):
        assert overlap.first.body != overlap.second.body
        for one in (overlap.first, overlap.second):
            assert one.begin <= overlap.begin
            assert one.until is None or (overlap.until is not None and overlap.until <= one.until)
            assert overlap.until is None or overlap.begin <= overlap.until


def test_a_component_lies_in_its_group_and_is_no_overlap() -> None:
    mixed, inner = stint(date(2025, 1, 1), None), stint(date(2025, 2, 1), None, "c1", component=True)
    assert overlaps([mixed, inner]) == ()
    twice = overlaps([mixed, stint(date(2025, 3, 1), date(2025, 3, 2), "g2")])
    assert [(o.begin, o.until) for o in twice] == [(date(2025, 3, 1), date(2025, 3, 2))]


@given(st.lists(st.tuples(st.none() | days, st.integers(0, 5000)), max_size=30), st.booleans())
def test_periods_follow_each_other_and_count_everything_that_has_a_day(
    done: list[tuple[date | None, int]], months: bool
) -> None:
    periods = by_period(done, months=months)
    dated = [(day, weight) for day, weight in done if day]
    assert sum(period.count for period in periods) == len(dated)
    assert sum(period.weight for period in periods) == sum(weight for _, weight in dated)
    for before, after in pairwise(periods):
        assert after.begin == before.end + timedelta(days=1)
    if dated:
        assert periods[0].begin <= min(day for day, _ in dated)
        assert max(day for day, _ in dated) <= periods[-1].end
        assert months or not periods[0].monthly


def test_the_end_of_the_calendar_is_no_fault() -> None:
    (period,) = by_period([(date.max, 1)])
    assert period.end == date.max

"""The authority of a speaker on a question (eq. 2), by hand-computed cases and by its invariants."""

import csv
import math
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.authority.score import (
    HALF_LIFE_DAYS,
    NO_OFFICE,
    SATURATION,
    Activity,
    Components,
    Features,
    Office,
    Seat,
    Stance,
    Weights,
    activity,
    assess,
    decay,
    logarithmic,
    role,
    same_side,
    side_on,
    total,
)

DAY = date(2026, 2, 11)
PUBLISHED = Path(__file__).resolve().parents[4] / "shared/data/camera/reference/reference_authority_components.csv"


SEVERAL = ("seats", "offices", "acts", "speeches", "stances")


def features(**known: object) -> Features:
    empty: dict[str, object] = {name: () if name in SEVERAL else None for name in Features.__slots__}
    always_majority = (Stance("majority", date(2022, 10, 13), None),)
    return Features(**{**empty, "speaker": "http://a.example/p1", "stances": always_majority, **known})  # type: ignore[arg-type]


def spoke(days_ago: int, relevance: float = 1.0, weight: float = 1.0) -> Activity:
    return Activity(f"http://a.example/s{days_ago}", DAY - timedelta(days_ago), relevance, weight)


def office(weight: float, relevance: float | None = None) -> Office:
    return Office(
        role="http://a.example/role",
        printed="Presidente",
        weight=weight,
        organisation="http://a.example/c",
        label=None,
        relevance=relevance,
    )


def test_the_total_is_the_weighted_sum_of_the_paper() -> None:
    assert total(Components(1, 1, 1, 1, 1, 1)) == pytest.approx(1)
    assert total(Components(0.5, 0.4, 0.3, 0.2, 0.1, 0.9)) == pytest.approx(
        0.15 * 0.5 + 0.10 * 0.4 + 0.25 * 0.3 + 0.20 * 0.2 + 0.25 * 0.1 + 0.05 * 0.9
    )


def test_the_published_totals_follow_from_their_components_F73() -> None:
    if not PUBLISHED.is_file():
        pytest.skip("the published authority components are not beside this repository")
    with PUBLISHED.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 141
    for row in rows:
        names = ("profession", "education", "committee", "acts", "interventions", "role")
        made = total(Components(*(float(row[name]) for name in names)))
        assert made == pytest.approx(float(row["authority_score"]), abs=1e-5), row


def test_what_is_not_known_adds_nothing_and_its_weight_goes_nowhere_F74_F75() -> None:
    known = Components(0.0, 0.0, 0.5, 0.5, 0.5, 0.5)
    unknown = Components(None, None, 0.5, 0.5, 0.5, 0.5)
    assert total(unknown) == total(known)
    assessed = assess(features(), DAY)
    assert assessed.components.profession is None
    assert assessed.components.education is None


def test_zero_is_a_value_and_not_missing_F82() -> None:
    assessed = assess(features(profession_relevance=0.0, education_relevance=0.0), DAY)
    assert assessed.components.profession == 0.0
    assert assessed.components.education == 0.0
    seated = assess(features(seats=(Seat("http://a.example/c", "Bilancio", 0.0),)), DAY)
    assert seated.seat
    assert seated.components.committee == 0.0


def test_somebody_of_whom_nothing_is_known_has_the_weight_of_no_office_alone_F74_F79() -> None:
    assessed = assess(features(stances=()), DAY)
    assert assessed.total == pytest.approx(0.05 * NO_OFFICE)
    assert assessed.offices == ()


def test_the_best_committee_counts_and_further_ones_do_no_harm_F76() -> None:
    one = (Seat("http://a.example/c1", "Bilancio", 0.8),)
    more = (*one, Seat("http://a.example/c2", "Difesa", 0.1), Seat("http://a.example/c3", "Affari", 0.0))
    assert assess(features(seats=one), DAY).components.committee == 0.8
    assessed = assess(features(seats=more), DAY)
    assert assessed.components.committee == 0.8
    assert assessed.seat == one[0]


def test_activity_halves_with_every_half_life_and_the_future_counts_as_today() -> None:
    assert decay(timedelta(0)) == 1
    assert decay(timedelta(HALF_LIFE_DAYS)) == pytest.approx(0.5)
    assert decay(timedelta(2 * HALF_LIFE_DAYS)) == pytest.approx(0.25)
    assert decay(timedelta(-100)) == 1


def test_the_logarithmic_scale_reaches_one_at_its_saturation_F77() -> None:
    assert logarithmic(0) == 0
    assert logarithmic(1) == pytest.approx(math.log(2) / math.log(21))
    assert logarithmic(SATURATION) == pytest.approx(1)
    assert logarithmic(10 * SATURATION) == 1


def test_activity_is_weighed_by_role_age_and_relevance_by_hand() -> None:
    items = (
        spoke(0, relevance=0.5),
        spoke(HALF_LIFE_DAYS, relevance=1.0),
        spoke(0, relevance=1.0, weight=0.3),
        spoke(0, relevance=0.24),  # about something else
        spoke(-1, relevance=1.0),  # after the reference date
    )
    assert activity(items, DAY) == pytest.approx(math.log(1 + 0.5 + 0.5 + 0.3) / math.log(21))


def test_what_is_off_the_topic_does_not_count_however_much_it_is_F78() -> None:
    assert activity([spoke(n, relevance=0.2) for n in range(1000)], DAY) == 0


def test_a_whole_case_by_hand() -> None:
    assessed = assess(
        features(
            profession_relevance=0.6,
            education_relevance=0.2,
            seats=(Seat("http://a.example/c", "Bilancio", 0.7),),
            offices=(office(0.7, 0.7),),
            acts=(spoke(0), spoke(HALF_LIFE_DAYS, weight=0.3)),
            speeches=(spoke(0, 0.5), spoke(10, 0.1)),
        ),
        DAY,
    )
    components = assessed.components
    assert components.acts == pytest.approx(math.log(2.15) / math.log(21))
    assert components.speeches == pytest.approx(math.log(1.5) / math.log(21))
    assert components.role == pytest.approx(0.7 * 1.21)
    assert assessed.total == pytest.approx(
        0.09 + 0.02 + 0.175 + 0.20 * components.acts + 0.25 * components.speeches + 0.05 * 0.847
    )
    assert [item.relevance for item in assessed.speeches_counted] == [0.5]


UNIT = st.floats(0, 1)
DAYS = st.dates(date(2022, 10, 13), date(2026, 12, 31))
ACTIVITIES = st.lists(st.builds(Activity, st.just("i"), DAYS, UNIT, st.sampled_from([1.0, 0.3])), max_size=12)
STANCES = st.lists(
    st.builds(
        Stance,
        st.sampled_from(["majority", "opposition", "misto"]),
        DAYS,
        st.none() | DAYS,
        st.integers(0, 2),
    ),
    max_size=5,
)
FEATURES = st.builds(
    features,
    profession_relevance=st.none() | UNIT,
    education_relevance=st.none() | UNIT,
    seats=st.lists(st.builds(Seat, st.just("c"), st.just("l"), UNIT), max_size=4).map(tuple),
    offices=st.lists(st.builds(office, UNIT, st.none() | UNIT), max_size=4).map(tuple),
    acts=ACTIVITIES.map(tuple),
    speeches=ACTIVITIES.map(tuple),
    stances=STANCES.map(tuple),
)


@given(FEATURES, DAYS)
def test_every_component_and_the_total_lie_between_0_and_1(given_features: Features, day: date) -> None:
    assessed = assess(given_features, day)
    known = [getattr(assessed.components, name) for name in Components.__slots__]
    assert all(value is None or 0 <= value <= 1 for value in known)
    assert 0 <= assessed.total <= 1
    assert assessed.total == total(assessed.components)


@given(FEATURES, DAYS)
def test_the_order_in_which_facts_come_does_not_matter_F59(given_features: Features, day: date) -> None:
    turned = Features(
        **{
            name: value[::-1] if isinstance(value, tuple) else value
            for name in Features.__slots__
            for value in [getattr(given_features, name)]
        }
    )
    here, there = assess(given_features, day), assess(turned, day)
    assert there.total == pytest.approx(here.total, abs=1e-12)
    assert there.activities_of_another_side == here.activities_of_another_side


@given(FEATURES, DAYS)
def test_nothing_after_the_reference_date_counts_F87(given_features: Features, day: date) -> None:
    assessed = assess(given_features, day)
    assert all(item.day <= day for item in (*assessed.acts_counted, *assessed.speeches_counted))


# Sides over time: a half-open life in parliament, told by dated stances.
START, CROSSED, RETURNED = date(2022, 10, 13), date(2024, 5, 1), date(2025, 6, 1)


def counted(stances: tuple[Stance, ...], *days: date, reference: date = DAY) -> list[bool]:
    on_side = same_side(stances, reference)
    return [on_side(Activity("i", day, 1.0)) for day in days]


def test_who_crossed_the_floor_starts_anew_and_what_was_done_before_is_told_apart() -> None:
    stances = (
        Stance("majority", START, CROSSED - timedelta(1)),
        Stance("opposition", CROSSED, None),
    )
    assert counted(stances, START, CROSSED - timedelta(1), CROSSED, DAY) == [False, False, True, True]
    speeches = (spoke(0), Activity("before", START, 1.0))
    assessed = assess(features(stances=stances, speeches=speeches), DAY)
    assert assessed.activities_of_another_side == 1
    assert assessed.speeches_counted == speeches[:1]


def test_a_change_of_group_on_the_same_side_keeps_what_was_done() -> None:
    stances = (Stance("majority", START, CROSSED - timedelta(1)), Stance("majority", CROSSED, None))
    assert counted(stances, START, DAY) == [True, True]


def test_going_back_revives_the_earlier_time_and_drops_the_one_between() -> None:
    stances = (
        Stance("majority", START, CROSSED - timedelta(1)),
        Stance("opposition", CROSSED, RETURNED - timedelta(1)),
        Stance("majority", RETURNED, None),
    )
    assert counted(stances, START, CROSSED, RETURNED) == [True, False, True]


def test_an_office_in_the_government_counts_as_its_side_F84() -> None:
    technical = (Stance("majority", CROSSED, None, rank=2),)
    assert counted(technical, START, CROSSED, DAY) == [False, True, True]
    speeches = (spoke(0),)
    assert assess(features(stances=technical, speeches=speeches), DAY).components.speeches > 0
    member = (Stance("misto", START, None), Stance("majority", CROSSED, RETURNED, rank=2))
    assert side_on(member, CROSSED) == "majority"
    assert side_on(member, RETURNED + timedelta(1)) == "misto"


def test_the_mixed_group_has_no_side_but_its_components_may() -> None:
    misto, component = "http://a.example/misto", "http://a.example/component"
    outside = (Stance(misto, START, None),)
    assert side_on(outside, DAY) == misto
    in_component = (Stance(misto, START, None), Stance("opposition", CROSSED, None, rank=1))
    assert counted(in_component, START, CROSSED) == [False, True]
    unsided = (Stance("majority", START, CROSSED), Stance(component, CROSSED + timedelta(1), None, rank=1))
    assert counted(unsided, START, DAY) == [False, True]


def test_who_has_left_parliament_is_judged_by_the_last_side() -> None:
    stances = (
        Stance("majority", START, CROSSED - timedelta(1)),
        Stance("opposition", CROSSED, RETURNED),
    )
    assert counted(stances, START, CROSSED, RETURNED) == [False, True, True]


def test_without_any_known_side_nothing_is_counted_and_nothing_guessed_F10() -> None:
    assert counted((), START, DAY) == [False, False]
    assert side_on((), DAY) is None


def test_both_days_of_a_stance_are_included() -> None:
    stance = Stance("majority", CROSSED, RETURNED)
    days = (CROSSED - timedelta(1), CROSSED, RETURNED, RETURNED + timedelta(1))
    assert [stance.holds(day) for day in days] == [False, True, True, False]


def test_the_highest_office_counts_raised_where_its_body_is_about_the_topic() -> None:
    assert role([]) == NO_OFFICE
    assert role([office(0.4), office(0.7), office(0.5)]) == 0.7
    assert role([office(0.7, 0.49)]) == 0.7
    assert role([office(0.7, 0.5)]) == pytest.approx(0.7 * 1.15)
    assert role([office(0.5, 1.0), office(0.7, 0.0)]) == 0.7
    assert role([office(0.9, 1.0)]) == 1.0


def test_the_weights_are_the_papers() -> None:
    weights = Weights()
    assert sum(getattr(weights, name) for name in Weights.__slots__) == pytest.approx(1)

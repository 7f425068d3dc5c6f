"""The numbers of a compass: axes, centres, ellipses that hold what they claim, and how sure all that is."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import gaussian_kde

from service.compass import spread, stability
from service.compass.making import pole_size
from service.compass.projection import FULL_GROUP, SECOND_AXIS, Numbers, Projection, project, weights_of
from service.embedding import Vectors, unit

GENERATOR = np.random.default_rng(11)


def vectors_around(
    centres: dict[str, tuple[float, ...]], each: int = 8, noise: float = 0.05
) -> tuple[Vectors, list[str]]:
    """Unit vectors of 32 dimensions, in which the first ones tell the groups apart."""
    generator = np.random.default_rng(5)
    groups = [group for group in centres for _ in range(each)]
    rows = noise * generator.standard_normal((len(groups), 32))
    rows[:, 31] += 1
    for row, group in enumerate(groups):
        rows[row, : len(centres[group])] += centres[group]
    return unit(rows.astype(np.float32)), groups


LINE = {"a": (-0.5,), "b": (0.0,), "c": (0.5,)}
PLANE = {"a": (-0.5, 0.0), "b": (0.5, 0.0), "c": (0.0, 0.5), "d": (0.0, -0.5)}


def projected(centres: dict[str, tuple[float, ...]], **how: float) -> tuple[Projection, Numbers, list[str]]:
    vectors, groups = vectors_around(centres, **how)  # type: ignore[arg-type]
    weights = weights_of(groups)
    found = project(vectors, weights)
    assert found is not None
    return found, weights, groups


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=60))
def test_each_group_weighs_alike_unless_it_has_too_few_passages(groups: list[str]) -> None:
    weights = weights_of(groups)
    counts = Counter(groups)
    assert weights.sum() == pytest.approx(1)
    of_group = {group: weights[[g == group for g in groups]].sum() for group in counts}
    heaviest = max(of_group.values())
    for group, weight in of_group.items():
        full = heaviest if max(counts.values()) >= FULL_GROUP else weight * FULL_GROUP / counts[group]
        assert weight == pytest.approx(full * min(1, counts[group] / FULL_GROUP))


def test_axes_carry_the_variance_that_they_say_and_the_unit_is_the_first_ones_deviation() -> None:
    found, weights, _ = projected(PLANE)
    assert len(found.explained) == found.places.shape[1] == 2
    total = weights @ np.square(found.centred).sum(axis=1)
    for axis, share in enumerate(found.explained):
        assert weights @ np.square(found.places[:, axis]) / total == pytest.approx(share)
    assert weights @ np.square(found.places[:, 0]) == pytest.approx(1)
    assert weights @ found.places == pytest.approx([0, 0], abs=1e-9)


def test_a_second_axis_that_carries_little_is_not_drawn() -> None:
    found, weights, _ = projected(LINE)
    assert len(found.explained) == found.places.shape[1] == 1
    assert weights @ np.square(found.components[:, 1]) < SECOND_AXIS


def test_vectors_that_do_not_differ_have_no_axes() -> None:
    same = np.tile(unit(np.ones(16, np.float32)), (12, 1))
    assert project(same, weights_of(["a"] * 4 + ["b"] * 4 + ["c"] * 4)) is None


def test_the_orientation_does_not_depend_on_the_order_of_the_passages() -> None:
    vectors, groups = vectors_around(PLANE)
    order = GENERATOR.permutation(len(groups))
    one = project(vectors, weights_of(groups))
    other = project(vectors[order], weights_of([groups[n] for n in order]))
    assert one is not None
    assert other is not None
    assert np.allclose(one.places[order], other.places, atol=1e-6)


def test_a_group_is_not_drawn_towards_the_axes_by_its_number_alone() -> None:
    vectors, groups = vectors_around({"a": (0.4,), "b": (-0.4,), "c": (0.0, 0.4)})
    many = np.concatenate([vectors, *[vectors[:8]] * 5])
    found = project(vectors, weights_of(groups))
    repeated = project(many, weights_of(groups + groups[:8] * 5))
    assert found is not None
    assert repeated is not None
    assert np.allclose(found.places, repeated.places[: len(groups)], atol=1e-5)


places = st.integers(1, 2).flatmap(
    lambda axes: arrays(
        np.float64, st.tuples(st.integers(3, 40), st.just(axes)), elements=st.floats(-4, 4, allow_subnormal=False)
    )
)


@given(places, st.integers(0, 2**32 - 1))
def test_an_ellipse_holds_the_share_that_it_claims_at_least(found: Numbers, seed: int) -> None:
    weights = np.random.default_rng(seed).uniform(0.1, 1, len(found))
    middle = spread.centre(found, weights)
    made = spread.ellipse(found, weights, middle)
    if made is None:
        assert np.ptp(found, axis=0).max() < 1e-3
        return
    shares = weights / weights.sum()
    turn = np.radians(made.rotation)
    away = found - middle
    if found.shape[1] == 1:
        inside = np.abs(away[:, 0]) <= made.major + 1e-9
    else:
        along = away @ [np.cos(turn), np.sin(turn)]
        across = away @ [-np.sin(turn), np.cos(turn)]
        inside = np.square(along / made.major) + np.square(across / made.minor) <= 1 + 1e-9
    assert shares[inside].sum() >= spread.CLAIMED - 1e-9
    assert shares[inside].sum() == pytest.approx(made.held, abs=1e-6)
    assert -90 < made.rotation <= 90
    assert 0 <= made.minor <= made.major


@pytest.mark.parametrize("axes", [1, 2])
def test_a_centre_is_where_the_density_of_scipy_is_highest(axes: int) -> None:
    for seed in range(12):
        generator = np.random.default_rng(seed)
        found = np.concatenate([generator.normal(0, 0.4, (9, axes)), generator.normal(2, 0.3, (6, axes))])
        weights = generator.uniform(0.5, 1, len(found))
        density = gaussian_kde(found.T, weights=weights)
        grid = np.stack(np.meshgrid(*[np.linspace(-2, 4, 61)] * axes), axis=-1).reshape(-1, axes)
        assert density(spread.centre(found, weights))[0] >= density(grid.T).max() - 1e-6


def test_a_centre_between_two_clusters_is_in_the_larger_one_and_not_between_them() -> None:
    found = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [0.1, 0.1], [3.0, 3.0], [3.1, 3.0]])
    assert np.linalg.norm(spread.centre(found, np.ones(6)) - [0.05, 0.05]) < 0.7


@pytest.mark.parametrize(
    "found", [[[1.0, 2.0]], [[0.0, 0.0], [2.0, 4.0]], [[1.0, 1.0]] * 4, [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]]
)
def test_few_places_or_places_on_a_line_have_their_mean_as_centre(found: list[list[float]]) -> None:
    rows = np.array(found)
    weights = np.arange(1.0, len(found) + 1)
    assert spread.centre(rows, weights) == pytest.approx(weights @ rows / weights.sum())


def assessed(centres: dict[str, tuple[float, ...]], noise: float, each: int = 8) -> stability.Resampled:
    found, weights, groups = projected(centres, noise=noise, each=each)
    rows = {group: [n for n, g in enumerate(groups) if g == group] for group in centres}
    middles = {group: spread.centre(found.places[held], weights[held]) for group, held in rows.items()}
    speeches = [f"{group}{n // 2}" for n, group in enumerate(groups)]
    return stability.assess(found, weights, groups, speeches, middles)


def test_groups_far_apart_are_stable_and_those_that_do_not_differ_are_not() -> None:
    apart = assessed(LINE, noise=0.03)
    assert apart.whole.verdict == "stable"
    assert apart.whole.order_kept == apart.whole.pairs_kept == 1
    assert apart.whole.chance < 0.01
    assert set(apart.groups.values()) == {1.0}
    alike = assessed(dict.fromkeys("abcdef", (0.0,)), noise=0.2)
    assert alike.whole.verdict == "unstable"
    assert alike.whole.pairs_kept < stability.TENTATIVE
    assert alike.whole.chance > stability.UNLIKELY


def test_an_order_that_chance_could_give_is_never_called_stable() -> None:
    assert stability.verdict(1.0, 0.1) == "tentative"
    assert stability.verdict(1.0, 0.3) == "unstable"
    assert stability.verdict(0.95, 0.01) == "stable"
    assert stability.verdict(0.85, 0.01) == "tentative"
    assert stability.verdict(0.7, 0.01) == "unstable"


def test_the_same_passages_give_the_same_figures() -> None:
    assert assessed(PLANE, noise=0.3) == assessed(PLANE, noise=0.3)


def test_the_stability_of_a_single_passage_is_not_told() -> None:
    assert set(assessed(LINE, noise=0.05, each=1).groups.values()) == {None}


def test_variance_between_groups_is_what_it_says() -> None:
    found, weights, groups = projected(PLANE, noise=0.2)
    keys = sorted(set(groups))
    means = np.array([found.centred[[g == key for g in groups]].mean(axis=0) for key in keys])
    expected = np.square(means).sum(axis=1).mean() / (weights @ np.square(found.centred).sum(axis=1))
    assert assessed(PLANE, noise=0.2).whole.between == pytest.approx(expected)


@given(st.integers(10, 200))
def test_poles_never_share_a_passage(number: int) -> None:
    assert 3 <= pole_size(number) <= number // 2

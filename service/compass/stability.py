"""How far a compass depends on chance: resamples of the passages, and random deals of the speeches.

Resamples are drawn inside each group; for each, the axes are found anew inside the first components, turned
onto the shown ones, and the centres are taken as they are for the picture: where the density is highest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.compass.model import Stability, Verdict
from service.compass.projection import FULL_GROUP, Numbers, Projection, Rows
from service.compass.spread import bandwidth_of, climbed

RESAMPLES: Final = 200
DEALS: Final = 399
STEPS_OF_RESAMPLE: Final = 8
SEED: Final = 20260211
STABLE: Final = 0.90
"""Share of pairs of groups that keep their order from which a compass is stable …"""
TENTATIVE: Final = 0.80
"""… and tentative. Groups that do not differ at all keep about six in ten, and seldom more than 0.73 (measured on
random vectors, 4 to 12 groups with 3 to 10 passages each)."""
UNLIKELY: Final = 0.05
"""A compass is stable only where no larger share of random deals sets the groups as far apart …"""
DOUBTFUL: Final = 0.20
"""… and tentative up to this one: an order may be kept that chance gave."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """The stability of the whole, and that of each group by its key (None for a single passage)."""

    whole: Stability
    groups: Mapping[str, float | None]


def assess(
    projection: Projection,
    weights: Numbers,
    groups: Sequence[str],
    speeches: Sequence[str],
    centres: Mapping[str, Numbers],
) -> Resampled:
    """Resample the passages, whose groups and speeches are given in their order, and deal the speeches anew."""
    members = {key: np.flatnonzero(np.array(groups) == key) for key in sorted(centres)}
    generator = np.random.default_rng(SEED)
    counts = _draw(members, len(groups), generator)
    moved = _moved(projection, weights, counts, members)
    measured = [key for key in members if len(members[key]) > 1]
    order_kept, pairs_kept = _orders([centres[key][0] for key in measured], [moved[key][:, 0] for key in measured])
    between, chance = _deals(projection.centred, groups, speeches, generator)
    return Resampled(
        Stability(
            verdict=verdict(pairs_kept, chance),
            resamples=RESAMPLES,
            order_kept=order_kept,
            pairs_kept=pairs_kept,
            between=between,
            chance=chance,
        ),
        {key: _stays(key, moved[key], centres) if len(members[key]) > 1 else None for key in members},
    )


def verdict(pairs_kept: float, chance: float) -> Verdict:
    """In a word, whether the order of the groups may be believed."""
    if pairs_kept >= STABLE and chance <= UNLIKELY:
        return "stable"
    return "tentative" if pairs_kept >= TENTATIVE and chance <= DOUBTFUL else "unstable"


def _draw(members: Mapping[str, Rows], number: int, generator: np.random.Generator) -> Numbers:
    """How often each resample holds each passage; shape (resamples, passages)."""
    counts = np.zeros((RESAMPLES, number))
    for rows in members.values():
        counts[:, rows] = generator.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=RESAMPLES)
    return counts


def _moved(
    projection: Projection, weights: Numbers, counts: Numbers, members: Mapping[str, Rows]
) -> dict[str, Numbers]:
    """The centres in each resample, on its own axes turned onto the shown ones; shape (resamples, axes) a group."""
    points = projection.components
    number, width = points.shape
    axes = projection.places.shape[1]
    drawn = counts * weights
    drawn /= drawn.sum(axis=1, keepdims=True)
    means = drawn @ points
    products = (points[:, :, None] * points[:, None, :]).reshape(number, width * width)
    covariance = (drawn @ products).reshape(-1, width, width) - means[:, :, None] * means[:, None, :]
    _, directions = np.linalg.eigh(covariance)
    found = directions[:, :, : -axes - 1 : -1]
    # Orthogonal Procrustes: the turn that brings the found axes nearest to the shown ones, which come first.
    left, _, right = np.linalg.svd(np.swapaxes(found[:, :axes, :], 1, 2))
    turned = found @ (left @ right)
    places = np.einsum("nw,rwa->rna", points, turned) - np.einsum("rw,rwa->ra", means, turned)[:, None, :]
    return {key: modes(places[:, rows], counts[:, rows], projection.places[rows]) for key, rows in members.items()}


def modes(places: Numbers, counts: Numbers, shown: Numbers) -> Numbers:
    """The densest place of each resample: places of shape (resamples, n, axes), counts of (resamples, n).

    The bandwidth is that of the group as it is shown. The search begins at the densest passage.
    """
    totals = counts.sum(axis=1, keepdims=True)
    means = (counts[:, :, None] * places).sum(axis=1) / totals
    bandwidth = bandwidth_of(shown, np.full(len(shown), 1 / len(shown)))
    if bandwidth is None:
        return np.asarray(means, np.float64)
    even = places @ np.linalg.inv(bandwidth).T
    apart = np.square(even[:, :, None, :] - even[:, None, :, :]).sum(axis=-1)
    density = (np.exp(-apart / 2) * counts[:, None, :]).sum(axis=2)
    best = even[np.arange(len(even)), density.argmax(axis=1)]
    return np.asarray(climbed(even, counts, best, STEPS_OF_RESAMPLE) @ bandwidth.T, np.float64)


def _orders(shown: Sequence[float], moved: Sequence[Numbers]) -> tuple[float, float]:
    """The share of resamples in which the whole order stays, and the mean share of pairs that do."""
    pairs = [(a, b) for a in range(len(shown)) for b in range(a)]
    if not pairs:
        return 0.0, 0.0
    kept = np.array([(moved[a] - moved[b]) * (shown[a] - shown[b]) > 0 for a, b in pairs])
    return float(kept.all(axis=0).mean()), float(kept.mean())


def _stays(key: str, moved: Numbers, centres: Mapping[str, Numbers]) -> float:
    """The share of resamples in which a centre lies nearer to its own place than to any other's."""
    own = np.linalg.norm(moved - centres[key], axis=1)
    others = [np.linalg.norm(moved - other, axis=1) for name, other in centres.items() if name != key]
    return float((own <= np.min(others, axis=0)).mean()) if others else 1.0


def _deals(
    centred: Numbers, groups: Sequence[str], speeches: Sequence[str], generator: np.random.Generator
) -> tuple[float, float]:
    """The share of variance between the groups, and the share of random deals in which it is as large.

    Whole speeches are dealt, since passages of one speech are alike whoever gives it.
    """
    names, speech_of = np.unique(np.array(speeches), return_inverse=True)
    keys, group_of = np.unique(np.array(groups), return_inverse=True)
    first = {speech: row for row, speech in reversed(list(enumerate(speech_of)))}
    held = np.array([group_of[first[speech]] for speech in range(len(names))])
    gram = centred @ centred.T
    dealt = np.stack([held, *(generator.permutation(held) for _ in range(DEALS))])[:, speech_of]
    shares = _between(gram, dealt, len(keys))
    return float(shares[0]), float((1 + (shares[1:] >= shares[0] - 1e-12).sum()) / (DEALS + 1))


def _between(gram: Numbers, dealt: Numbers, number: int) -> Numbers:
    """Variance between groups over all variance, for each deal; `dealt` has the shape (deals, passages)."""
    belongs = (dealt[:, None, :] == np.arange(number)[None, :, None]).astype(np.float64)
    sizes = belongs.sum(axis=2)
    heft = np.minimum(1.0, sizes / FULL_GROUP)
    heft /= heft.sum(axis=1, keepdims=True)
    means = belongs / np.maximum(sizes, 1)[:, :, None]
    middle = np.einsum("dg,dgn->dn", heft, means)
    within_means = np.einsum("dgn,dgn->dg", (means.reshape(-1, len(gram)) @ gram).reshape(means.shape), means)
    of_middle = np.einsum("dn,dn->d", middle @ gram, middle)
    total = middle @ np.diag(gram) - of_middle
    return np.asarray(((heft * within_means).sum(axis=1) - of_middle) / np.maximum(total, 1e-12), np.float64)

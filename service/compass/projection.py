"""From vectors to one or two axes: a principal component analysis in which each group counts alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.embedding import Vectors

Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]
"""Passages by their place in the order of all."""

FULL_GROUP: Final = 3
"""Passages from which a group counts in full; with fewer, one alone could turn an axis towards itself."""
SECOND_AXIS: Final = 0.4
"""Least variance of a second axis, as a share of the first's: below it the groups would be spread over less than
two thirds of the width (√0.4), and a reader would see a plane where there is a line."""
LITTLE: Final = 0.25
"""Share of the variance below which the reader is told that the axes carry little."""
COMPONENTS: Final = 16
"""Components that are kept for the resamples, which turn the axes inside them."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Passages on the axes.

    `places` has the shape (passages, axes); the unit is the standard deviation on the first axis. `components`
    holds the passages on the first components, in the same unit, and `centred` all that differs between them.
    """

    places: Numbers
    explained: tuple[float, ...]
    components: Numbers
    centred: Numbers


def weights_of(groups: Sequence[str]) -> Numbers:
    """The weight of each passage, given its group; they sum to 1.

    Each group weighs the same however much it said, but one with fewer than `FULL_GROUP` passages weighs less.
    """
    counts = Counter(groups)
    raw = np.array([1.0 / max(counts[group], FULL_GROUP) for group in groups])
    return np.asarray(raw / raw.sum(), np.float64)


def project(vectors: Vectors, weights: Numbers) -> Projection | None:
    """Find the axes of unit vectors, shape (passages, dimensions); None if these do not differ.

    What all the vectors share, the topic among it, goes with their mean. (To take out the vector of the
    question besides changed no axis that was measured, and the record's first components are kept since it
    is by them that groups differ most.)
    """
    plain = np.asarray(vectors, np.float64)
    centred = plain - weights @ plain
    weighted = np.sqrt(weights)[:, None] * centred
    # There are far fewer passages than dimensions: their products give the same axes as a decomposition of all.
    values, rows = np.linalg.eigh(weighted @ weighted.T)
    values, rows = np.maximum(values[::-1], 0.0), rows[:, ::-1]
    total = float(values.sum())
    if total < 1e-9:
        return None
    shares = values / total
    number = 2 if len(shares) > 1 and shares[1] >= SECOND_AXIS * shares[0] else 1
    kept = min(COMPONENTS, int((shares > 1e-9).sum()))
    directions = _signed((rows[:, :kept].T @ weighted) / np.sqrt(values[:kept])[:, None])
    unit = np.sqrt(values[0])
    components = centred @ directions.T / unit
    return Projection(
        places=components[:, :number],
        explained=tuple(float(share) for share in shares[:number]),
        components=components,
        centred=centred / unit,
    )


def _signed(directions: Numbers) -> Numbers:
    """Turn each direction so that its largest part is positive: a rule of the vectors alone, and of no group."""
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return np.asarray(directions * signs[:, None], np.float64)

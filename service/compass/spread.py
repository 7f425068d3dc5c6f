"""A group's centre and how far its passages lie around it."""

import math
from typing import Final

import numpy as np

from service.compass.model import Ellipse
from service.compass.projection import Numbers

CLAIMED: Final = 0.5
"""Least share of a group's weight that its ellipse holds."""
FEWEST: Final = 3
"""Passages from which a group has a density and an ellipse."""
STEPS: Final = 60
"""Steps of the climb to the densest place; it gains nothing that is seen after some twenty."""
FLATTEST_KERNEL: Final = 1e10
"""Condition of a covariance from which places lie on a line."""
_FLATTEST: Final = 0.05
"""Least ratio of the half-axes: passages on a line still have an ellipse."""


def centre(places: Numbers, weights: Numbers) -> Numbers:
    """Where the density of places, shape (n, axes), is highest; their mean where there is no density."""
    bandwidth = bandwidth_of(places, weights)
    if bandwidth is None:
        return np.asarray(weights @ places / weights.sum(), np.float64)
    even = places @ np.linalg.inv(bandwidth).T
    # Every place climbs to the peak above it, so that no peak is overlooked.
    peaks = climbed(np.broadcast_to(even, (len(even), *even.shape)), weights, even, STEPS)
    heights = np.exp(-np.square(peaks[:, None, :] - even).sum(axis=-1) / 2) @ weights
    return np.asarray(peaks[int(np.argmax(np.round(heights, 12)))] @ bandwidth.T, np.float64)


def bandwidth_of(places: Numbers, weights: Numbers) -> Numbers | None:
    """The root of the covariance of the density's kernels, by Scott's rule; None where places make no density."""
    if len(places) < FEWEST:
        return None
    shares = weights / weights.sum()
    covariance = np.atleast_2d(np.cov(places.T, aweights=shares))
    if not covariance.any() or np.linalg.cond(covariance) > FLATTEST_KERNEL:  # all in one place, or on a line
        return None
    effective = 1 / np.square(shares).sum()
    kernel = np.linalg.cholesky(covariance) * effective ** (-1 / (places.shape[1] + 4))
    return np.asarray(kernel, np.float64)


def climbed(places: Numbers, weights: Numbers, starts: Numbers, steps: int) -> Numbers:
    """Climb the density from each start, by mean shift.

    Places are in units of the kernel and of the shape (climbs, n, axes), starts of (climbs, axes); weights are
    of (n,) or (climbs, n).
    """
    for _ in range(steps):
        near = np.exp(-np.square(places - starts[:, None, :]).sum(axis=-1) / 2) * weights
        starts = (near[:, :, None] * places).sum(axis=1) / near.sum(axis=1, keepdims=True)
    return starts


def ellipse(places: Numbers, weights: Numbers, middle: Numbers) -> Ellipse | None:
    """The ellipse around `middle`, shaped like the weighted scatter about it, that holds `CLAIMED` of the weight.

    Its size is a quantile of the distances themselves and not of a distribution that they might have.
    None under `FEWEST` places, or if all lie in one.
    """
    if len(places) < FEWEST:
        return None
    shares = weights / weights.sum()
    away = places - middle
    scatter = (away * shares[:, None]).T @ away
    values, directions = np.linalg.eigh(np.atleast_2d(scatter))
    if values[-1] < 1e-12:
        return None
    values = np.maximum(values, values[-1] * _FLATTEST**2)
    distances = np.sqrt((np.square(away @ directions) / values).sum(axis=1))
    # A hair wider, so that what lies on the border is inside after rounding too.
    factor = _quantile(distances, shares, CLAIMED) * (1 + 1e-6) + 1e-6
    held = float(shares[distances <= factor].sum())
    half_axes = factor * np.sqrt(values[::-1])
    if places.shape[1] == 1:
        return Ellipse(float(half_axes[0]), 0.0, 0.0, held)
    along = directions[:, -1]
    rotation = math.degrees(math.atan2(along[1], along[0]))
    rotation = rotation - 180 if rotation > 90 else rotation + 180 if rotation <= -90 else rotation
    return Ellipse(float(half_axes[0]), float(half_axes[1]), rotation, held)


def _quantile(values: Numbers, shares: Numbers, share: float) -> float:
    """The least value up to which the shares sum to `share`."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(shares[order])
    return float(values[order][int(np.searchsorted(reached, share - 1e-12))])

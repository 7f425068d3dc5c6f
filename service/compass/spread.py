"""A group's centre and how far its passages lie around it."""

import math
from typing import Final

import numpy as np
from scipy.stats import gaussian_kde

from service.compass.model import Ellipse
from service.compass.projection import Numbers

CLAIMED: Final = 0.5
"""Least share of a group's weight that its ellipse holds."""
FEWEST: Final = 3
"""Passages from which a group has a density and an ellipse."""
_GRID: Final = 25
"""Points of the search for the densest place, along each axis; it is repeated twice, closer."""
_FLATTEST: Final = 0.05
"""Least ratio of the half-axes: passages on a line still have an ellipse."""


def centre(places: Numbers, weights: Numbers) -> Numbers:
    """Where the density of places, shape (n, axes), is highest; their mean where there is no density."""
    mean = np.asarray(weights @ places / weights.sum(), np.float64)
    if len(places) < FEWEST:
        return mean
    try:
        density = gaussian_kde(places.T, weights=weights)
    except (np.linalg.LinAlgError, ValueError):  # all in one place, or on a line
        return mean
    low, high = places.min(axis=0), places.max(axis=0)
    best = mean
    for _ in range(3):
        grid = np.stack(np.meshgrid(*np.linspace(low, high, _GRID).T, indexing="ij"), axis=-1)
        points = grid.reshape(-1, places.shape[1])
        best = points[int(np.argmax(density(points.T)))]
        step = (high - low) / (_GRID - 1)
        low, high = best - step, best + step
    return np.asarray(best, np.float64)


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

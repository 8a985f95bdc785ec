"""Finds free positions for units that are created on top of others."""

from typing import Sequence, Union

import numpy as np

from sc2impala.sim import geometry

SPACING = 0.25
"""Spacing in cells of the candidates around a point, of which the nearest free one is used. [U]"""
SEARCH_RADIUS = 8.0  # In cells; without a free candidate units overlap. [U]

_TOUCH = 1e-6  # Units that overlap by less do not touch.


def nearest_free(
    points: np.ndarray, radii: Union[Sequence[float], np.ndarray], playable: geometry.Rectangle
) -> np.ndarray:
    """Places units one after the other, each at the free point nearest to its desired point.

    Args:
      points: float64 [2, n, s], desired points of s units in n games.
      radii: s radii of the units.
      playable: the region that units cannot leave.

    Returns:
      float64 [2, n, s], inside of `playable`.
    """
    radius = np.asarray(radii, float)
    placed = geometry.clamp(points, playable)
    for unit in range(1, placed.shape[2]):
        reach = radius[:unit] + radius[unit] - _TOUCH
        apart = placed[:, :, :unit] - placed[:, :, unit, None]
        overlaps: np.ndarray = geometry.length(apart) < reach
        games = np.flatnonzero(overlaps.any(1))
        # Almost always one of the nearest candidates is free.
        for offsets in (_OFFSETS[:, :_FEW], _OFFSETS):
            if games.size:
                tried = placed[:, games, unit, None] + offsets[:, None]
                tried = geometry.clamp(tried, playable)
                apart = tried[:, :, :, None] - placed[:, games, None, :unit]
                free = (geometry.length(apart) >= reach).all(2)
                found = free.any(1)
                first = tried[:, np.arange(len(games)), free.argmax(1)]
                placed[:, games[found], unit] = first[:, found]
                games = games[~found]
    return placed


def _grid() -> np.ndarray:
    """Returns a grid of points around the origin, nearest first: float64 [2, c]."""
    steps = np.arange(-SEARCH_RADIUS, SEARCH_RADIUS + SPACING / 2, SPACING)
    points = np.stack(np.meshgrid(steps, steps)).reshape(2, -1)
    distance = np.square(points).sum(0)
    nearest_first = np.argsort(distance, kind='stable')
    return points[:, nearest_first[distance[nearest_first] <= SEARCH_RADIUS**2]]


_OFFSETS = _grid()
_FEW = 150

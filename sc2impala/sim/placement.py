"""Free places for units that are put where others stand already."""

from typing import Sequence, Union

import numpy as np

from sc2impala.sim import geometry

SPACING = 0.25
"""Between the places that are tried around a point, in cells; the nearest free one is taken. [U]"""
SEARCH_RADIUS = 8.0  # As far as that; farther units are put on top of each other. [U]

_TOUCH = 1e-6  # Units that overlap by less stand side by side.


def nearest_free(
    points: np.ndarray, radii: Union[Sequence[float], np.ndarray], playable: geometry.Rectangle
) -> np.ndarray:
    """Places units one after the other, each as near to its point as those before it allow.

    Args:
      points: float64 [2, n, s], where the s units of n games should stand.
      radii: s radii of the units.
      playable: where they can stand.

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
        # Almost always there is room close by.
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
    """Points around the origin, nearest first: float64 [2, c]."""
    steps = np.arange(-SEARCH_RADIUS, SEARCH_RADIUS + SPACING / 2, SPACING)
    points = np.stack(np.meshgrid(steps, steps)).reshape(2, -1)
    distance = np.square(points).sum(0)
    nearest_first = np.argsort(distance, kind='stable')
    return points[:, nearest_first[distance[nearest_first] <= SEARCH_RADIUS**2]]


_OFFSETS = _grid()
_FEW = 150

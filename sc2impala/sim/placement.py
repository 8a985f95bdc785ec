"""Finds free positions for units that are created on top of others."""

from typing import Any

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import Rectangle, clamp, length

SPACING = 0.25
"""Spacing in cells of the candidates around a point, of which the nearest free one is used. [U]"""
SEARCH_RADIUS = 8.0  # In cells; without a free candidate units overlap. [U]

_TOUCH = 1e-6  # Units that overlap by less do not touch.


@compiled
def nearest_free(x: Any, y: Any, radius: Any, region: Rectangle) -> None:
    """Places units one after the other, each at the free point nearest to its desired point.

    Args:
      x, y: float64 [s], desired points of s units; overwritten by points of the region.
      radius: float64 [s], of the units.
      region: the region that units cannot leave.
    """
    left, right, bottom, top = region
    for unit in range(len(x)):
        x[unit] = clamp(x[unit], left, right)
        y[unit] = clamp(y[unit], bottom, top)
    for unit in range(1, len(x)):
        if _is_free(x, y, radius, unit, x[unit], y[unit]):
            continue
        for candidate in range(len(_OFFSET_X)):
            tried_x = clamp(x[unit] + _OFFSET_X[candidate], left, right)
            tried_y = clamp(y[unit] + _OFFSET_Y[candidate], bottom, top)
            if _is_free(x, y, radius, unit, tried_x, tried_y):
                x[unit] = tried_x
                y[unit] = tried_y
                break


@compiled
def _is_free(x: Any, y: Any, radius: Any, unit: int, unit_x: float, unit_y: float) -> bool:
    """Returns whether a unit at a point does not overlap the units before it."""
    for other in range(unit):
        reach = radius[other] + radius[unit] - _TOUCH
        if length(unit_x - x[other], unit_y - y[other]) < reach:
            return False
    return True


def _grid() -> np.ndarray:
    """Returns a grid of points around the origin, nearest first: float64 [2, c]."""
    steps = np.arange(-SEARCH_RADIUS, SEARCH_RADIUS + SPACING / 2, SPACING)
    points = np.stack(np.meshgrid(steps, steps)).reshape(2, -1)
    distance = np.square(points).sum(0)
    nearest_first = np.argsort(distance, kind='stable')
    return points[:, nearest_first[distance[nearest_first] <= SEARCH_RADIUS**2]]


_OFFSET_X, _OFFSET_Y = (np.ascontiguousarray(offset) for offset in _grid())

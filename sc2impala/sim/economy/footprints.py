"""Cells covered by buildings and resources.

Footprints cover whole cells: the centre of a footprint lies on a cell border if its number of cells
is even, and at a cell centre if it is odd. [S] GD
"""

from typing import Tuple

import numpy as np

RESOURCE_CLEARANCE = 3
"""Margin in cells around a resource, without corners, in which town halls cannot stand. [S] GD"""


def snap(point: np.ndarray, footprint: np.ndarray) -> np.ndarray:
    """Returns the valid centre of a footprint, int [2], nearest to a point, float64 [2]. [A]"""
    odd = footprint % 2
    return np.where(odd, np.floor(point) + 0.5, np.floor(point + 0.5))


def cells(centre: np.ndarray, footprint: np.ndarray, margin: int = 0) -> Tuple[slice, slice]:
    """Returns the cells that a footprint around a centre [2] covers, with a margin.

    Returns:
      two slices of an array [64, 64] by y and x; cells outside of the array are dropped.
    """
    first = np.floor(centre - footprint / 2 + 0.5).astype(int) - margin
    last = first + footprint + 2 * margin
    left, bottom = np.maximum(first, 0)
    right, top = np.maximum(last, 0)
    return slice(bottom, top), slice(left, right)


def keep_clear(mask: np.ndarray, centre: np.ndarray, footprint: np.ndarray) -> None:
    """Sets the cells of a mask bool [64, 64] that a resource closes for town halls."""
    rows, columns = cells(centre, footprint, RESOURCE_CLEARANCE)
    part = mask[rows, columns]
    corners = part[[0, 0, -1, -1], [0, -1, 0, -1]]
    part[...] = True
    part[[0, 0, -1, -1], [0, -1, 0, -1]] = corners

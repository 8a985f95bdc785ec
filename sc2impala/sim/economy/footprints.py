"""Which cells buildings and resources cover, and where something may be built.

Everything covers whole cells: a footprint of an even number of cells has its middle on a line
between cells, one of an odd number in the middle of a cell. [S] GD
"""

from typing import Tuple

import numpy as np

RESOURCE_CLEARANCE = 3
"""Cells around a resource, but for the corners of their rectangle, without a town hall. [S] GD"""


def snap(point: np.ndarray, footprint: np.ndarray) -> np.ndarray:
    """The middle of a footprint, in cells [2], that is nearest to a point, float64 [2]. [A]"""
    odd = footprint % 2
    return np.where(odd, np.floor(point) + 0.5, np.floor(point + 0.5))


def cells(centre: np.ndarray, footprint: np.ndarray, margin: int = 0) -> Tuple[slice, slice]:
    """The cells that a footprint around a centre [2] covers, with a margin.

    Returns:
      two slices that index an array [64, 64] by y and x; cells outside of it are left out.
    """
    first = np.floor(centre - footprint / 2 + 0.5).astype(int) - margin
    last = first + footprint + 2 * margin
    left, bottom = np.maximum(first, 0)
    right, top = np.maximum(last, 0)
    return slice(bottom, top), slice(left, right)


def keep_clear(mask: np.ndarray, centre: np.ndarray, footprint: np.ndarray) -> None:
    """Sets those cells of a mask bool [64, 64] that no town hall may cover for a resource."""
    rows, columns = cells(centre, footprint, RESOURCE_CLEARANCE)
    part = mask[rows, columns]
    corners = part[[0, 0, -1, -1], [0, -1, 0, -1]]
    part[...] = True
    part[[0, 0, -1, -1], [0, -1, 0, -1]] = corners

"""Cells covered by buildings and resources.

Footprints cover whole cells: the centre of a footprint lies on a cell border if its number of cells
is even, and at a cell centre if it is odd. [S] GD
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import MAP_EXTENT

RESOURCE_CLEARANCE = 3
"""Margin in cells around a resource, without corners, in which town halls cannot stand. [S] GD"""


@compiled
def snap(rules: Any, type_index: int, x: float, y: float) -> Tuple[float, float]:
    """Returns the valid centre of a type's footprint that is nearest to a point. [A]"""
    columns, rows = rules.footprint[type_index, 0], rules.footprint[type_index, 1]
    return _snap_along(columns, x), _snap_along(rows, y)


@compiled
def half(rules: Any, type_index: int) -> Tuple[float, float]:
    """Returns half the width and half the height of a type's footprint."""
    return rules.footprint[type_index, 0] / 2, rules.footprint[type_index, 1] / 2


@compiled
def cells(
    rules: Any, type_index: int, x: float, y: float, margin: int
) -> Tuple[int, int, int, int]:
    """Returns the cells of the map that a type's footprint around a point covers, with a margin.

    Returns:
      left, right, bottom, top: columns left..right - 1 and rows bottom..top - 1.
    """
    columns, rows = int(rules.footprint[type_index, 0]), int(rules.footprint[type_index, 1])
    left = int(np.floor(x - columns / 2 + 0.5)) - margin
    bottom = int(np.floor(y - rows / 2 + 0.5)) - margin
    return (
        _within_map(left),
        _within_map(left + columns + 2 * margin),
        _within_map(bottom),
        _within_map(bottom + rows + 2 * margin),
    )


@compiled
def is_closed(rules: Any, type_index: int, x: float, y: float, column: int, row: int) -> bool:
    """Returns whether a resource of a type at (x, y) closes a cell for town halls."""
    left, right, bottom, top = cells(rules, type_index, x, y, RESOURCE_CLEARANCE)
    within = left <= column < right and bottom <= row < top
    return within and not is_corner(left, right, bottom, top, column, row)


@compiled
def is_corner(left: int, right: int, bottom: int, top: int, column: int, row: int) -> bool:
    """Returns whether a cell is at a corner of a block of cells as returned by `cells`."""
    return (column == left or column == right - 1) and (row == bottom or row == top - 1)


@compiled
def _snap_along(cells_along: int, value: float) -> float:
    if cells_along % 2 == 1:
        return np.floor(value) + 0.5
    return np.floor(value + 0.5)


@compiled
def _within_map(cell: int) -> int:
    return min(max(cell, 0), MAP_EXTENT)

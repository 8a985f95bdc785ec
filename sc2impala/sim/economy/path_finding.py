"""Path finding on a grid of free and covered cells.

The cells of a rectangle of the map are numbered row by row, with a border of covered cells around
it, so that the neighbours of all cells are found by shifting arrays. A path steps to one of the
four neighbours of a cell, or diagonally if both cells beside the corner are free.
"""

from typing import Tuple

import numpy as np

FAR = np.iinfo(np.int16).max
"""Distance of cells without a path to a goal."""


class PathingGrid:
    """The pathing grid: numbers the cells of a rectangle of the map.

    Attributes:
      stride: cells per row, including the border. size: number of all cells, C.
    """

    def __init__(self, area: np.ndarray):
        """area: bool [64, 64] by y and x, a filled rectangle."""
        rows, columns = np.flatnonzero(area.any(1)), np.flatnonzero(area.any(0))
        self._low = np.array([columns[0], rows[0]])
        self._high = np.array([columns[-1], rows[-1]])
        self.stride = len(columns) + 2
        self.size = self.stride * (len(rows) + 2)

    def pack(self, cells: np.ndarray) -> np.ndarray:
        """Converts a mask of the map, bool [64, 64], to a mask of the grid, bool [C]."""
        (left, top), (right, bottom) = self._low, self._high
        return np.pad(cells[top : bottom + 1, left : right + 1], 1).ravel()

    def numbers(self, points: np.ndarray) -> np.ndarray:
        """Returns the numbers of the cells nearest to points, float64 [2, n]: int64 [n]."""
        low, high = self._low[:, None], self._high[:, None]
        x, y = np.clip(points.astype(np.int64), low, high) - low + 1
        return y * self.stride + x

    def middles(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the centres of cells, int [...]: float64 [2, ...]."""
        rows, columns = np.divmod(numbers, self.stride)
        return np.stack([columns + (self._low[0] - 0.5), rows + (self._low[1] - 0.5)])


def distances(free: np.ndarray, goals: np.ndarray, stride: int) -> np.ndarray:
    """Computes the number of steps from every cell to the nearest goal.

    Diagonal steps are allowed in every second step only, which approximates Euclidean distance.

    Args:
      free: bool [n, C], the cells that can be entered.
      goals: bool [n, C], a subset of the free cells.
      stride: cells of a row.

    Returns:
      int16 [n, C], FAR without a path to a goal.
    """
    distance = np.where(goals, 0, FAR).astype(np.int16)
    reached, before, step = goals.copy(), None, 0
    corners = [(offset, free & _beside_corner(free, offset, stride)) for offset in _corners(stride)]
    while before is None or (reached != before).any():
        before, step = reached, step + 1
        reached = before.copy()
        for offset in (1, -1, stride, -stride):
            reached |= _shift(before, offset)
        reached &= free
        if step % 2 == 0:
            for offset, passable in corners:
                reached |= _shift(before, offset) & passable
        distance[reached & ~before] = step
    return distance


def next_cells(free: np.ndarray, distance: np.ndarray, stride: int) -> np.ndarray:
    """Returns the next cell on the path from every cell to the nearest goal.

    Args:
      free: bool [n, C], the cells that can be entered.
      distance: int16 [n, C], from `distances`.
      stride: cells of a row.

    Returns:
      int16 [n, C], neighbours of the cells; the cells themselves at goals and without a path.
    """
    offsets = (0, 1, -1, stride, -stride) + _corners(stride)
    near = np.empty((len(offsets),) + distance.shape, np.int16)
    for index, offset in enumerate(offsets):
        near[index] = _shift(distance, -offset, FAR)
        if index > 4:
            near[index][~_beside_corner(free, -offset, stride)] = FAR
    near[1:, ~free] = FAR
    chosen = np.array(offsets, np.int16)[near.argmin(0)]
    return chosen + np.arange(distance.shape[1], dtype=np.int16)


def regions(free: np.ndarray, stride: int) -> np.ndarray:
    """Labels the connected regions of free cells.

    Args:
      free: bool [C], the cells that can be entered.
      stride: cells of a row.

    Returns:
      int16 [C], one label per region, 0 for covered cells.
    """
    number = np.where(free, np.arange(1, len(free) + 1), 0).astype(np.int16)
    before = None
    while before is None or (number != before).any():
        before = number
        for offset in (1, -1, stride, -stride):
            number = np.where(free, np.maximum(number, _shift(number, offset)), 0)
    return number


def follow(tables: np.ndarray, rows: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Returns the paths that start at some cells.

    Args:
      tables: int16 [r, C], from `next_cells`.
      rows: int [n], the table of each path.
      cells: int [n], the first cells.

    Returns:
      int [l, n], the cells of the paths, both ends included; shorter paths are padded with their
      last cells.
    """
    path = [cells]
    while True:
        following = tables[rows, path[-1]]
        if (following == path[-1]).all():
            return np.stack(path)
        path.append(following)


def _corners(stride: int) -> Tuple[int, ...]:
    return (stride + 1, stride - 1, 1 - stride, -stride - 1)


def _beside_corner(free: np.ndarray, offset: int, stride: int) -> np.ndarray:
    """Whether both cells beside the corner of a diagonal step by `offset` are free."""
    along = stride if offset > 0 else -stride
    return _shift(free, along) & _shift(free, offset - along)


def _shift(array: np.ndarray, offset: int, fill: int = 0) -> np.ndarray:
    """Shifts an array [..., C] by `offset` cells and fills the rest."""
    shifted = np.full_like(array, fill)
    if offset > 0:
        shifted[..., offset:] = array[..., :-offset]
    elif offset < 0:
        shifted[..., :offset] = array[..., -offset:]
    else:
        shifted[...] = array
    return shifted

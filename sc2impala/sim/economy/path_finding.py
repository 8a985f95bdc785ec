"""Ways between cells that avoid those that are taken.

The cells of a rectangle of the map are numbered row by row, with a rim around it that is never
free, so that all neighbours of all cells are found by shifting arrays. From a cell one can go to
its four neighbours, and across a corner where both neighbours beside it are free.
"""

from typing import Tuple

import numpy as np

FAR = np.iinfo(np.int16).max
"""The distance from where no way leads."""


class PathingGrid:
    """Numbers the cells of a rectangle of the map.

    Attributes:
      stride: number of cells of a row, rim included. size: of all rows, C.
    """

    def __init__(self, area: np.ndarray):
        """area: bool [64, 64] by y and x, a filled rectangle."""
        rows, columns = np.flatnonzero(area.any(1)), np.flatnonzero(area.any(0))
        self._low = np.array([columns[0], rows[0]])
        self._high = np.array([columns[-1], rows[-1]])
        self.stride = len(columns) + 2
        self.size = self.stride * (len(rows) + 2)

    def pack(self, cells: np.ndarray) -> np.ndarray:
        """Which of the cells are among those bool [64, 64]: bool [C]."""
        (left, top), (right, bottom) = self._low, self._high
        return np.pad(cells[top : bottom + 1, left : right + 1], 1).ravel()

    def numbers(self, points: np.ndarray) -> np.ndarray:
        """The cells of the rectangle that are nearest to points, float64 [2, n]: int64 [n]."""
        low, high = self._low[:, None], self._high[:, None]
        x, y = np.clip(points.astype(np.int64), low, high) - low + 1
        return y * self.stride + x

    def middles(self, numbers: np.ndarray) -> np.ndarray:
        """The middles of cells, int [...]: float64 [2, ...]."""
        rows, columns = np.divmod(numbers, self.stride)
        return np.stack([columns + (self._low[0] - 0.5), rows + (self._low[1] - 0.5)])


def distances(free: np.ndarray, goals: np.ndarray, stride: int) -> np.ndarray:
    """How many steps the nearest goal is away from every cell.

    Every other step may go across corners, which measures distance nearly as a ruler does.

    Args:
      free: bool [n, C], the cells that can be entered.
      goals: bool [n, C], some of them.
      stride: cells of a row.

    Returns:
      int16 [n, C], FAR where no way leads to a goal.
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
    """Where to go from every cell on the way to the nearest goal.

    Args:
      free: bool [n, C], the cells that can be entered.
      distance: int16 [n, C], from `distances`.
      stride: cells of a row.

    Returns:
      int16 [n, C], neighbours of the cells; the cells themselves at goals and where no way leads.
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
    """Numbers the parts of the ground that no way connects.

    Args:
      free: bool [C], the cells that can be entered.
      stride: cells of a row.

    Returns:
      int16 [C], the same number for all cells of a part, 0 where it is not free.
    """
    number = np.where(free, np.arange(1, len(free) + 1), 0).astype(np.int16)
    before = None
    while before is None or (number != before).any():
        before = number
        for offset in (1, -1, stride, -stride):
            number = np.where(free, np.maximum(number, _shift(number, offset)), 0)
    return number


def follow(tables: np.ndarray, rows: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The ways from some cells.

    Args:
      tables: int16 [r, C], from `next_cells`.
      rows: int [n], the tables to use.
      cells: int [n], where the ways begin.

    Returns:
      int [l, n], the cells of the ways in turn, both ends included; those that are shorter than
      the longest stay at their ends.
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
    """Whether both cells beside the corner are free across which one enters by such an offset."""
    along = stride if offset > 0 else -stride
    return _shift(free, along) & _shift(free, offset - along)


def _shift(array: np.ndarray, offset: int, fill: int = 0) -> np.ndarray:
    """The array [..., C], so that what stood at a cell stands `offset` cells further on."""
    shifted = np.full_like(array, fill)
    if offset > 0:
        shifted[..., offset:] = array[..., :-offset]
    elif offset < 0:
        shifted[..., :offset] = array[..., -offset:]
    else:
        shifted[...] = array
    return shifted

"""Ways between cells that avoid those that are taken.

A set of cells is one integer, a bit for each cell of a rectangle with a rim that is never free, so
that all neighbours of a set are found by a few shifts. From a cell one can go to its four
neighbours, and across a corner where both neighbours beside it are free.
"""

import functools
from typing import List, Optional, Tuple

import numpy as np


class Lattice:
    """Numbers the cells of a rectangle of the map.

    Attributes:
      stride: number of bits of a row, rim included.
    """

    def __init__(self, area: np.ndarray):
        """area: bool [64, 64] by y and x, a filled rectangle."""
        rows, columns = np.flatnonzero(area.any(1)), np.flatnonzero(area.any(0))
        self._rows = slice(int(rows[0]), int(rows[-1]) + 1)
        self._columns = slice(int(columns[0]), int(columns[-1]) + 1)
        self.stride = len(columns) + 2
        self._rim = np.zeros([len(rows) + 2, self.stride], bool)

    def pack(self, cells: np.ndarray) -> int:
        """The set of those cells bool [64, 64] that lie in the rectangle."""
        self._rim[1:-1, 1:-1] = cells[self._rows, self._columns]
        return int.from_bytes(np.packbits(self._rim.ravel(), bitorder='little').tobytes(), 'little')

    def bit(self, point: np.ndarray) -> int:
        """Number of the cell of the rectangle that is nearest to a point, float64 [2]."""
        x = min(max(int(point[0]), self._columns.start), self._columns.stop - 1)
        y = min(max(int(point[1]), self._rows.start), self._rows.stop - 1)
        return (y - self._rows.start + 1) * self.stride + x - self._columns.start + 1

    def middles(self, bits: Tuple[int, ...]) -> np.ndarray:
        """The middles of n cells: float64 [2, n]."""
        rows, columns = np.divmod(np.array(bits), self.stride)
        x, y = columns - 1 + self._columns.start, rows - 1 + self._rows.start
        return np.stack([x, y]) + 0.5


@functools.lru_cache(maxsize=4096)
def path(free: int, stride: int, start: int, goals: int) -> Tuple[int, ...]:
    """A short way to the nearest of some cells.

    Args:
      free: the set of cells that can be entered.
      stride: bits of a row.
      start: number of the cell to start from, which is one of them.
      goals: the set of cells to reach.

    Returns:
      The cells of the way in turn, both ends included; empty if there is none.
    """
    waves = [1 << start]
    # Every other step may go across corners, which measures distance nearly as a ruler does.
    while not waves[-1] & goals:
        wider = _widen(waves[-1], free, stride, diagonally=len(waves) % 2 == 0)
        if wider == waves[-1]:
            return ()
        waves.append(wider)
    here = _lowest(waves[-1] & goals)
    way = [here]
    for index in range(len(waves) - 2, -1, -1):
        if waves[index] >> here & 1:
            continue
        before = _widen(1 << here, free, stride, diagonally=index % 2 == 1) & waves[index]
        here = _lowest(before)
        way.append(here)
    return tuple(reversed(way))


def reachable(free: int, stride: int, start: int) -> int:
    """The set of cells that can be reached from a cell."""
    reached, before = 1 << start, 0
    while reached != before:
        before, reached = reached, _widen(reached, free, stride, diagonally=False)
    return reached


def members(cells: int) -> List[int]:
    """The numbers of the cells in a set."""
    found = []
    while cells:
        found.append(_lowest(cells))
        cells &= cells - 1
    return found


def nearest(lattice: Lattice, cells: int, point: np.ndarray) -> Optional[int]:
    """The cell of a set whose middle is nearest to a point, float64 [2]; None of an empty set."""
    bits = members(cells)
    if not bits:
        return None
    middles = lattice.middles(tuple(bits))
    return bits[int(np.square(middles - point[:, None]).sum(0).argmin())]


def _widen(cells, free, stride, diagonally):
    """The set with all neighbours of its cells."""
    across = (cells << 1 | cells >> 1) & free
    along = (cells << stride | cells >> stride) & free
    wide = cells | across | along
    if diagonally:
        right, left = (cells << 1) & free, (cells >> 1) & free
        up, down = (cells << stride) & free, (cells >> stride) & free
        wide |= (right << stride & up << 1) & free | (left << stride & up >> 1) & free
        wide |= (right >> stride & down << 1) & free | (left >> stride & down >> 1) & free
    return wide


def _lowest(cells):
    return (cells & -cells).bit_length() - 1

"""The marines and enemies of K games on a screen that shows the whole map, in cells."""

from typing import Tuple

import numpy as np

from sc2impala.envs.players import sight

SCREEN_CELLS = 24
"""Width and height of the screen."""

LOW, HIGH = np.array([1.4, 1.4]), np.array([22.6, 16.6])
"""Corners of the region in which the centre of a marine can be, (x, y) from the top left."""

_FAR = 99.0


class Battle:
    """Marines and enemies with their distances; M and E are the most that any game has, at least 1.

    marines: bool [K, M], enemies: bool [K, E], which entries are units.
    marines_at: float64 [K, M, 2], enemies_at: float64 [K, E, 2], their centres (x, y) in cells.
    distance: float64 [K, M, E], between their centres; 99 where one of both is no unit.
    army_at, horde_at: float64 [K, 2], the mean positions of marines and of enemies.
    """

    def __init__(self, rows: np.ndarray, seen_size: Tuple[int, int]):
        """Args: rows: int32 [K, N, 46], feature_units. seen_size: the screen of their pixels."""
        self._units = sight.Units(rows)
        self._scale = np.array(seen_size) / SCREEN_CELLS
        self._mine, self.marines = _first(self._units.mine)
        self._foes, self.enemies = _first(self._units.enemy)
        self.marines_at = self._positions(self._mine)
        self.enemies_at = self._positions(self._foes)
        self.army_at = _mean(self.marines_at, self.marines)
        self.horde_at = self.middle(self.enemies)
        both = self.marines[:, :, np.newaxis] & self.enemies[:, np.newaxis]
        offset = self.marines_at[:, :, np.newaxis] - self.enemies_at[:, np.newaxis]
        self.distance = np.where(both, sight.length(offset), _FAR)

    def read_marines(self, column: str) -> np.ndarray:
        """Returns a column of feature_units: int32 [K, M]."""
        return np.take_along_axis(self._units.column(column), self._mine, 1)

    def read_enemies(self, column: str) -> np.ndarray:
        """Returns a column of feature_units: int32 [K, E]."""
        return np.take_along_axis(self._units.column(column), self._foes, 1)

    def all_selected(self) -> np.ndarray:
        """Returns in which games all marines are selected: bool [K]."""
        return ((self.read_marines('is_selected') == 1) | ~self.marines).all(axis=1)

    def target(self, among: np.ndarray, cells_per_health: float) -> np.ndarray:
        """Returns the position of the enemy with the least sum of two terms: float64 [K, 2].

        Args:
          among: bool [K, E], the enemies to choose from.
          cells_per_health: weight of a point of health; the other term is the distance to the
            middle of the army in cells.
        """
        offset = sight.length(self.enemies_at - self.army_at[:, np.newaxis])
        cost = np.where(among, offset + cells_per_health * self.read_enemies('health'), np.inf)
        return at(self.enemies_at, cost.argmin(axis=1))

    def middle(self, among: np.ndarray) -> np.ndarray:
        """Returns the mean position of some enemies, bool [K, E]: float64 [K, 2], 0 if none is."""
        return _mean(self.enemies_at, among)

    def pixel(self, point: np.ndarray) -> np.ndarray:
        """Returns the pixels that points of the map, [K, 2] in cells, are in: int64 [K, 2]."""
        return np.floor(point * self._scale).astype(np.int64)

    def _positions(self, index: np.ndarray) -> np.ndarray:
        pixel = np.take_along_axis(self._units.pixel, index[:, :, np.newaxis], 1)
        return (pixel + 0.5) / self._scale


def at(values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Returns one entry of each game: values [K, n, ...], index int [K] -> [K, ...]."""
    return values[np.arange(len(index)), index]


def away(start: np.ndarray, danger: np.ndarray, cells: float) -> np.ndarray:
    """Returns points on the map, this number of cells farther from a danger: all float64 [K, 2]."""
    offset = start - danger
    length = np.maximum(np.linalg.norm(offset, axis=1, keepdims=True), 0.1)
    return np.clip(start + cells * offset / length, LOW, HIGH)


def _first(among: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the indices of the true entries of each row, and which of them exist: [K, most]."""
    most = max(int(among.sum(axis=1).max()), 1)
    index = np.argsort(~among, axis=1, kind='stable')[:, :most]
    return index, np.take_along_axis(among, index, 1)


def _mean(positions: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Returns the mean of some positions of each game: [K, n, 2], bool [K, n] -> [K, 2]."""
    number = np.maximum(among.sum(axis=1, keepdims=True), 1)
    return (positions * among[:, :, np.newaxis]).sum(axis=1) / number

"""Neighbour lists: finds touching units without testing every pair in every frame.

Pairs of nearby units are listed, and the pairs of a unit are listed again when it has moved by more
than MARGIN since. Units that are not listed as a pair are too far apart to touch. The lists depend
on the history; the result depends on the current state only.
"""

from typing import List, Tuple

import numpy as np

MARGIN = 0.5
"""Distance in cells that a unit can move before its pairs are listed again."""

FEW = 4
"""Up to this number of units per game, all pairs are listed permanently."""

TOUCH = 1e-6
"""Units that overlap by less do not touch; rounding errors are far smaller."""

_SLACK = 0.01  # Lists are computed in single precision.
_BITS = 32
"""A pair is one integer: the flat index [K, M] of its lower unit, shifted by this number of bits,
plus that of its higher unit."""
_NO_PAIRS = np.zeros([2, 0], np.int64)


class Neighbours:
    """The pairs of nearby units among the M mobile units of each of K games."""

    def __init__(self, num_games: int, num_units: int, num_mobile: int):
        """Args:
        num_games, num_units: K and U.
        num_mobile: M.
        """
        self._num_units, self._num_mobile = num_units, num_mobile
        self._few = num_mobile <= FEW
        self._listed_at = np.full([2, num_games, num_mobile], np.inf)
        self._listed_type = np.full([num_games, num_mobile], -1, np.int8)
        self._num_listed = num_mobile
        self._reach = 0.0
        self._higher = np.triu(np.ones([num_mobile, num_mobile], bool), 1)
        low, high = np.triu_indices(num_mobile if self._few else 0, 1)
        game = num_mobile * np.arange(num_games)[:, None]
        self._keep(((game + low) << _BITS | (game + high)).reshape(-1))

    def touching(
        self,
        position: np.ndarray,
        unit_type: np.ndarray,
        radius: np.ndarray,
        present: np.ndarray,
        running: np.ndarray,
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Finds the pairs of units that overlap.

        Args:
          position: float64 [2, K, U].
          unit_type: int8 [K, U].
          radius: float64 [T], by type.
          present: bool [K, m], the units that can touch others; slots m to M are unused. With at
            most FEW units m is M.
          running: bool [K], the games to process.

        Returns:
          games and slots, int64 [2, pairs] each; row 0 is the higher and row 1 the lower unit of
          each pair. Pairs are sorted by game, lower unit and higher unit.
        """
        self._bring_up_to_date(position, unit_type, radius, present)
        flat = position.reshape(2, -1)
        x, y = flat.take(self._low, axis=1) - flat.take(self._high, axis=1)
        square = x * x + y * y
        close = (square < self._reach * self._reach).nonzero()[0]
        if not close.size:
            return _NO_PAIRS, _NO_PAIRS
        units = np.array([self._high.take(close), self._low.take(close)])
        one, other = radius.take(unit_type.reshape(-1).take(units))
        reach = one + other - TOUCH
        units = units.compress(square.take(close) < reach * reach, axis=1)
        one, other = self._of_all(present & running[:, None]).take(units)
        touching = one & other
        if not touching.all():
            units = units.compress(touching, axis=1)
        games = units // self._num_units
        return games, units - games * self._num_units

    def _bring_up_to_date(
        self, position: np.ndarray, unit_type: np.ndarray, radius: np.ndarray, present: np.ndarray
    ) -> None:
        """Lists again the pairs of units that have moved too far, changed type or are new."""
        last = present.shape[1]
        if last < self._num_listed:
            self._leave_out(last)
        self._num_listed = last
        changed = unit_type[:, :last] != self._listed_type[:, :last]
        listed_at = self._listed_at[:, :, :last]
        if not self._few:
            x, y = position[:, :, :last] - listed_at
            changed |= x * x + y * y > MARGIN * MARGIN
            changed &= present
        if not np.count_nonzero(changed):
            return
        np.copyto(self._listed_type[:, :last], unit_type[:, :last], where=changed)
        if self._few:
            self._reach = 2 * radius.take(unit_type[:, :last]).max()
            return
        self._reach = 2 * radius.take(unit_type[:, :last][present]).max()
        np.copyto(listed_at, position[:, :, :last], where=changed)
        np.copyto(listed_at, np.inf, where=~present)
        stays = self._of_all(present & ~changed)
        kept = self._pairs[stays.take(self._low) & stays.take(self._high)]
        # All of these are sorted, or nearly so, which makes a stable sort quick.
        self._keep(np.sort(np.concatenate([kept] + self._pairs_of(changed)), kind='stable'))

    def _of_all(self, mobile: np.ndarray) -> np.ndarray:
        """Pads bool [K, m] to all slots and flattens it: bool [K * U]."""
        values = np.zeros([len(mobile), self._num_units], bool)
        values[:, : mobile.shape[1]] = mobile
        return values.reshape(-1)

    def _leave_out(self, last: int) -> None:
        """Removes the pairs of all slots from `last` on."""
        self._listed_at[:, :, last:] = np.inf
        self._keep(self._pairs[self._high % self._num_units < last])

    def _pairs_of(self, changed: np.ndarray) -> List[np.ndarray]:
        """Returns the pairs of the units bool [K, m] with higher units, and with lower units."""
        last = changed.shape[1]
        games, slots = changed.nonzero()
        square = 0
        for listed_at in self._listed_at[:, :, :last].astype(np.float32):
            offset = listed_at.take(games, axis=0)
            offset -= listed_at[games, slots][:, None]
            offset *= offset
            square += offset
        near = square < (self._reach + 2 * MARGIN + _SLACK) ** 2
        higher = self._higher[:, :last].take(slots, axis=0)
        # If both units of a pair have changed, the lower one lists it.
        lower = ~(higher | changed.take(games, axis=0))
        return [self._pack(games, slots, near & others) for others in (higher, lower)]

    def _pack(self, games: np.ndarray, slots: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Encodes the pairs of units int [n] with the other slots bool [n, m]: int64 [p]."""
        row, other = near.nonzero()
        game, slot = games.take(row) * self._num_mobile, slots.take(row)
        return game + np.minimum(slot, other) << _BITS | game + np.maximum(slot, other)

    def _keep(self, pairs: np.ndarray) -> None:
        """Sets the listed pairs, int64 [p]."""
        self._pairs = pairs
        self._low, self._high = (
            units + units // self._num_mobile * (self._num_units - self._num_mobile)
            for units in (pairs >> _BITS, pairs & (1 << _BITS) - 1)
        )

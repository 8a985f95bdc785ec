"""Finds the units that touch each other without looking at every pair at every loop.

Pairs of units that are near each other are listed, and those of a unit listed anew when it has
strayed from where it was then. Units that are not listed as a pair are too far apart to touch. What
is listed depends on what happened before; what is found does not, it follows from the units as they
are.
"""

from typing import List, Tuple

import numpy as np

MARGIN = 0.5
"""How far a unit can stray before its neighbours are listed anew."""

FEW = 4
"""Up to that many units in a game, all pairs are listed for good."""

TOUCH = 1e-6
"""Units that overlap by less are side by side; rounding errors stay far below it."""

_SLACK = 0.01  # Lists are made in single precision.
_BITS = 32
"""A pair is listed as one number: the place of its lower unit, then so many bits for the higher, in
arrays [K, M] that are flattened."""
_NO_PAIRS = np.zeros([2, 0], np.int64)


class Neighbours:
    """Which of the M units of each of K games that can move are near each other."""

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
          present: bool [K, m], the units that touch others: none in the slots from m to M. Up to
            FEW units m is M.
          running: bool [K], the games to look at.

        Returns:
          int64 [2, pairs] twice, games and slots: first of the higher, then of the lower unit of
          each pair. The pairs are sorted by game, by their lower, then by their higher unit.
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
        """Lists the pairs of units that have strayed, changed or are new."""
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
        """What is known of the first slots, bool [K, m], for all of them: flattened [K, U]."""
        values = np.zeros([len(mobile), self._num_units], bool)
        values[:, : mobile.shape[1]] = mobile
        return values.reshape(-1)

    def _leave_out(self, last: int) -> None:
        """Lists nobody from a slot on."""
        self._listed_at[:, :, last:] = np.inf
        self._keep(self._pairs[self._high % self._num_units < last])

    def _pairs_of(self, changed: np.ndarray) -> List[np.ndarray]:
        """The pairs of the units bool [K, m] with higher ones, and with lower ones."""
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
        # Of two that have changed, the lower one lists the other.
        lower = ~(higher | changed.take(games, axis=0))
        return [self._pack(games, slots, near & others) for others in (higher, lower)]

    def _pack(self, games: np.ndarray, slots: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The pairs of units int [n] with the other slots bool [n, m]: int64 [p]."""
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

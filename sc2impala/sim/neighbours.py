"""Finds the units that touch each other without looking at every pair at every loop.

Pairs of units that are near each other are listed, and those of a unit listed anew when it has
strayed from where it was then. Units that are not listed as a pair are too far apart to touch. What
is listed depends on what happened before; what is found does not, it follows from the units as they
are.
"""

import numpy as np

MARGIN = 0.3
"""How far a unit can stray before its neighbours are listed anew."""

FEW = 4
"""Up to that many units in a game, all pairs are listed for good."""

TOUCH = 1e-6
"""Units that overlap by less are side by side; rounding errors stay far below it."""

_SLACK = 0.01  # Lists are made in single precision.
_BITS = 32
"""A pair is listed as one number: the place of its lower unit, then so many bits for the higher."""
_NOBODY = np.zeros([2, 0], np.int64)


class Neighbours:
    """Which of the M units of each of K games are near each other."""

    def __init__(self, num_games: int, num_mobile: int):
        """Args:
        num_games: K.
        num_mobile: M.
        """
        self._few = num_mobile <= FEW
        self._listed_at = np.full([2, num_games, num_mobile], np.inf)
        self._listed_type = np.full([num_games, num_mobile], -1, np.int8)
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
    ) -> np.ndarray:
        """Finds the pairs of units that overlap.

        Args:
          position: float64 [2, K * M].
          unit_type: int8 [K, M].
          radius: float64 [T], by type.
          present: bool [K, M], the units that touch others.
          running: bool [K], the games to look at.

        Returns:
          int64 [2, pairs], places in the flattened [K, M]: first the higher, then the lower unit of
          each pair. The pairs are sorted by their lower, then by their higher unit.
        """
        self._bring_up_to_date(position, unit_type, radius, present)
        x, y = position.take(self._low, axis=1) - position.take(self._high, axis=1)
        square = x * x + y * y
        close = (square < self._reach * self._reach).nonzero()[0]
        if not close.size:
            return _NOBODY
        pairs = np.array([self._high.take(close), self._low.take(close)])
        one, other = radius.take(unit_type.reshape(-1).take(pairs))
        reach = one + other - TOUCH
        touching = square.take(close) < reach * reach
        one, other = (present & running[:, None]).reshape(-1).take(pairs)
        touching &= one & other
        return pairs if touching.all() else pairs.compress(touching, axis=1)

    def _bring_up_to_date(self, position, unit_type, radius, present):
        """Lists the pairs of units that have strayed, changed or are new."""
        changed = unit_type != self._listed_type
        if not self._few:
            x, y = position.reshape(self._listed_at.shape) - self._listed_at
            changed |= x * x + y * y > MARGIN * MARGIN
            changed &= present
        if not changed.any():
            return
        np.copyto(self._listed_type, unit_type, where=changed)
        if self._few:
            self._reach = 2 * radius.take(unit_type).max()
            return
        self._reach = 2 * radius.take(unit_type[present]).max()
        np.copyto(self._listed_at, position.reshape(self._listed_at.shape), where=changed)
        np.copyto(self._listed_at, np.inf, where=~present)
        stays = (present & ~changed).reshape(-1)
        kept = self._pairs[stays.take(self._low) & stays.take(self._high)]
        # All of these are sorted, or nearly so, which makes a stable sort quick.
        self._keep(np.sort(np.concatenate([kept] + self._pairs_of(changed)), kind='stable'))

    def _pairs_of(self, changed):
        """The pairs of the units bool [K, M] with higher ones, and with lower ones."""
        num_mobile = changed.shape[1]
        games, slots = np.divmod(changed.reshape(-1).nonzero()[0], num_mobile)
        square = 0
        for listed_at in self._listed_at.astype(np.float32):
            way = listed_at.take(games, axis=0)
            way -= listed_at[games, slots][:, None]
            way *= way
            square += way
        near = square < (self._reach + 2 * MARGIN + _SLACK) ** 2
        higher = self._higher.take(slots, axis=0)
        # Of two that have changed, the lower one lists the other.
        lower = ~(higher | changed.take(games, axis=0))
        return [self._pack(games, slots, near & others) for others in (higher, lower)]

    def _pack(self, games, slots, near):
        """The pairs of units int [n] with the other slots bool [n, M]: int64 [p]."""
        num_mobile = near.shape[1]
        row, other = np.divmod(near.reshape(-1).nonzero()[0], num_mobile)
        game, slot = games.take(row) * num_mobile, slots.take(row)
        return game + np.minimum(slot, other) << _BITS | game + np.maximum(slot, other)

    def _keep(self, pairs):
        """Sets the listed pairs, int64 [p]."""
        self._pairs = pairs
        self._low, self._high = pairs >> _BITS, pairs & (1 << _BITS) - 1

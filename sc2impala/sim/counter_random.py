"""Batched counter-based random numbers: a function of (seed, episode, number of previous draws).

Every game counts its own draws and is therefore independent of the other games of the batch: a
batch of K games gives the same results as K batches of one game. The n-th number of an episode is
the n-th output of splitmix64 (Steele, Lea and Flood, 2014), started from a hash of seed and
episode.
"""

from typing import Callable, Sequence

import numpy as np

from sc2impala.sim.geometry import Rectangle

_GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_TO_UNIT_INTERVAL = 2.0**-53
_CANDIDATES = 8
"""Candidates drawn for one point at once; almost always one of them is accepted."""


class CounterRandom:
    """One stream of random numbers per game.

    Attributes:
      seed, key, counter: uint64 [K]; `key` is a hash of (seed, episode), `counter` the number of
        draws in this episode.
    """

    FIELDS = ('seed', 'key', 'counter')

    def __init__(self, seeds: Sequence[int]):
        """Creates the streams; `restart` must be called before the first draw.

        Args:
          seeds: K ints in 0..2**64 - 1.

        Raises:
          ValueError: if `seeds` is empty, or a seed is not an integer in that range.
        """
        seeds = list(seeds)
        if not seeds:
            raise ValueError('seeds is empty; expected one non-negative integer per game.')
        for seed in seeds:
            if not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < 2**64:
                raise ValueError(f'seeds holds {seed!r}; expected integers in 0..2**64 - 1.')
        self.seed = np.array([int(seed) for seed in seeds], np.uint64)
        self.key = np.zeros_like(self.seed)
        self.counter = np.zeros_like(self.seed)

    def restart(self, games: np.ndarray, episode: np.ndarray) -> None:
        """Starts the streams of the given episodes.

        Args:
          games: int [n], indices of games.
          episode: int [n], the episode index of each game.
        """
        self.key[games] = _mix(_mix(self.seed[games]) + _GOLDEN_GAMMA * episode.astype(np.uint64))
        self.counter[games] = 0

    def uniform(self, games: np.ndarray, size: int) -> np.ndarray:
        """Draws `size` numbers in [0, 1) for each of the n games: float64 [n, size]."""
        ticks = self.counter[games][:, None] + np.arange(1, size + 1, dtype=np.uint64)
        self.counter[games] += np.uint64(size)
        bits = _mix(self.key[games][:, None] + ticks * _GOLDEN_GAMMA)
        return (bits >> np.uint64(11)) * _TO_UNIT_INTERVAL

    def each(self, games: np.ndarray) -> np.ndarray:
        """Draws one number in [0, 1) for every entry of games: float64 [n].

        Args:
          games: int [n], ascending; a game may occur several times.
        """
        count = np.bincount(games, minlength=len(self.counter))
        first = count.cumsum() - count
        rank = np.arange(len(games)) - first[games]
        ticks = self.counter[games] + (rank + 1).astype(np.uint64)
        self.counter += count.astype(np.uint64)
        bits = _mix(self.key[games] + ticks * _GOLDEN_GAMMA)
        return (bits >> np.uint64(11)) * _TO_UNIT_INTERVAL

    def points(self, games: np.ndarray, rectangle: Rectangle, size: int) -> np.ndarray:
        """Draws `size` points of the rectangle for each of the n games: float64 [2, n, size]."""
        x, y = np.split(self.uniform(games, 2 * size), 2, axis=1)
        return np.stack(
            [
                rectangle.left + (rectangle.right - rectangle.left) * x,
                rectangle.bottom + (rectangle.top - rectangle.bottom) * y,
            ]
        )

    def points_where(
        self,
        games: np.ndarray,
        rectangle: Rectangle,
        size: int,
        accept: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """Draws points of the rectangle by rejection sampling.

        Args:
          games: int [n].
          rectangle: the region; it must contain accepted points.
          size: points per game.
          accept: function of points [2, m, p] and of the indices [m] of their games; returns
            bool [m, p], the accepted points.

        Returns:
          float64 [2, n, size].
        """
        found = np.zeros([2, len(games), size])
        missing = np.ones([len(games), size], bool)
        rows = np.arange(len(games))
        while rows.size:
            drawn = self.points(games[rows], rectangle, size * _CANDIDATES)
            accepted = accept(drawn, games[rows]).reshape(-1, size, _CANDIDATES)
            drawn = drawn.reshape(2, -1, size, _CANDIDATES)
            chosen = accepted.argmax(-1)[None, :, :, None]
            first = np.take_along_axis(drawn, chosen, axis=-1)[..., 0]
            newly = missing[rows] & accepted.any(-1)
            found[:, rows] = np.where(newly, first, found[:, rows])
            missing[rows] &= ~newly
            rows = np.flatnonzero(missing.any(-1))
        return found


def _mix(bits: np.ndarray) -> np.ndarray:
    """Applies the finaliser of splitmix64, a bijection of uint64."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))

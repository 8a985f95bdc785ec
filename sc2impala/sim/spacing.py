"""Random points that keep their distance from each other."""

from typing import Callable, Optional

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.counter_random import CounterRandom

_FEWEST_CANDIDATES = 256
_MOST_CANDIDATES = 4096
"""How many points are drawn for an arrangement: at first, and at most when it is drawn again."""


def points_apart(
    random: CounterRandom,
    games: np.ndarray,
    rectangle: geometry.Rectangle,
    size: int,
    spacing: float,
    accept: Callable[[np.ndarray, np.ndarray], np.ndarray],
    others: Optional[np.ndarray] = None,
) -> np.ndarray:
    """Draws points of the rectangle one after the other, each again until it is fine.

    Points that lie badly can leave no room for the last ones; then all are drawn again.

    Args:
      random: the streams of the games.
      games: int [n].
      rectangle: where the points lie; it must have room for them.
      size: points per game.
      spacing: the least distance between two points, and from the others.
      accept: function of points [2, m, p] and of the indices [m] of their games; says bool [m, p]
        which points are fine as far as anything but spacing goes.
      others: float64 [2, n, o], points that are there already; None for none.

    Returns:
      float64 [2, n, size].
    """
    found = np.zeros([2, len(games), size])
    rows = np.arange(len(games))
    num_candidates = _FEWEST_CANDIDATES
    while rows.size:
        drawn = random.points(games[rows], rectangle, num_candidates)
        free = accept(drawn, games[rows])
        if others is not None:
            for index in range(others.shape[2]):
                free &= _distance(drawn, others[:, rows, index]) >= spacing
        complete = np.ones([len(rows)], bool)
        for index in range(size):
            complete &= free.any(1)
            point = drawn[:, np.arange(len(rows)), free.argmax(1)]
            found[:, rows, index] = point
            free &= _distance(drawn, point) >= spacing
        rows = rows[~complete]
        num_candidates = min(4 * num_candidates, _MOST_CANDIDATES)
    return found


def _distance(points: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Of points [2, n, p] from one point per game, [2, n]: [n, p]."""
    return geometry.length(points - point[:, :, None])

"""Random points with a minimum distance from each other."""

from typing import Callable, Optional

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.counter_random import CounterRandom

_FEWEST_CANDIDATES = 256
_MOST_CANDIDATES = 4096
"""Number of candidate points per attempt: of the first attempt, and the maximum of later ones."""


def points_apart(
    random: CounterRandom,
    games: np.ndarray,
    rectangle: geometry.Rectangle,
    size: int,
    spacing: float,
    accept: Callable[[np.ndarray, np.ndarray], np.ndarray],
    others: Optional[np.ndarray] = None,
) -> np.ndarray:
    """Draws points of the rectangle one after the other by rejection sampling.

    If the first points leave no room for the last ones, all points are drawn again.

    Args:
      random: the streams of the games.
      games: int [n].
      rectangle: the region; it must have room for the points.
      size: points per game.
      spacing: minimum distance between two points, and from the others.
      accept: function of points [2, m, p] and of the indices [m] of their games; returns bool
        [m, p], the points that are accepted apart from their spacing.
      others: float64 [2, n, o], existing points; None for none.

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
    """Distances of points [2, n, p] from one point per game, [2, n]: [n, p]."""
    return geometry.length(points - point[:, :, None])

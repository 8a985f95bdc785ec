"""Orders of units: giving them, queueing them, and what follows when one has been carried out.

An order begins when it comes to the front of its unit's queue. A patrol's other end is where its
unit stood then; when it arrives and nothing else waits it turns back. Holding the position lasts
until something else is ordered, queued or not.
"""

from typing import Tuple

import numpy as np

from sc2impala.sim.world import MAX_ORDERS, Units

IDLE = 0
HOLD = 1
MOVE = 2
ATTACK = 3
PATROL = 4
"""Kinds of order; those greater than HOLD walk. To stop is to be ordered to be idle."""


def give(
    units: Units,
    games: np.ndarray,
    chosen: np.ndarray,
    kind: np.ndarray,
    point: np.ndarray,
    queued: np.ndarray,
) -> np.ndarray:
    """Orders units to do something, at once or after what they do already.

    Args:
      units: changed in place.
      games: int [n], indices of games.
      chosen: bool [n, M], which of their units.
      kind: int [n], one of the kinds above.
      point: float64 [2, n, M], where each of them goes.
      queued: bool [n].

    Returns:
      bool [n], whether the queue of one of the chosen units was too full for the order.
    """
    rows, slots = np.nonzero(chosen)
    queue = units.order_kind[games[rows], slots]
    # What is queued behind holding a position takes its place.
    waiting = (queue != IDLE).sum(-1) - (queue == HOLD).sum(-1)
    place = np.where(queued[rows], waiting, 0)
    fits = place < MAX_ORDERS
    full = np.zeros([len(games)], bool)
    full[rows[~fits]] = True

    rows, slots, place = rows[fits], slots[fits], place[fits]
    at = games[rows], slots
    units.order_kind[at + (place,)] = kind[rows]
    units.order_point[(slice(None),) + at + (place,)] = point[:, rows, slots]
    first = place == 0
    at = at[0][first], at[1][first]
    units.order_kind[at + (slice(1, None),)] = IDLE
    _begin(units, at)
    return full


def finish(units: Units, at: Tuple[np.ndarray, np.ndarray]) -> None:
    """Ends the walks of units that have arrived.

    Args:
      units: changed in place.
      at: int [n] twice, indices of games and of slots.
    """
    kind = units.order_kind[at]
    turning = (kind[:, 0] == PATROL) & (kind[:, 1] == IDLE)
    back = at[0][turning], at[1][turning]
    on = at[0][~turning], at[1][~turning]
    _turn(units, back)
    _shift(units, on)
    _begin(units, on)


def _turn(units, at):
    points = (slice(None),) + at
    goal = units.goal[points]
    units.goal[points] = units.patrol_origin[points]
    units.patrol_origin[points] = goal


def _shift(units, at):
    rest, next_rest = (slice(None, -1),), (slice(1, None),)
    points = (slice(None),) + at
    units.order_kind[at + rest] = units.order_kind[at + next_rest]
    units.order_kind[at + (-1,)] = IDLE
    units.order_point[points + rest] = units.order_point[points + next_rest]


def _begin(units, at):
    points = (slice(None),) + at
    position = units.position[points]
    walking = units.order_kind[at + (0,)] > HOLD
    units.goal[points] = np.where(walking, units.order_point[points + (0,)], position)
    units.patrol_origin[points] = position

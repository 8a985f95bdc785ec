"""Order queues of units: giving orders, queueing them, and finishing them.

An order begins when it reaches the front of its unit's queue. The second end of a patrol is the
position of the unit at that time; on arrival the unit turns back if no other order is queued.
Holding the position lasts until another order is given, queued or not.
"""

from typing import Optional, Tuple

import numpy as np

from sc2impala.sim.units import MAX_ORDERS, NO_UNIT, Units

IDLE = 0
HOLD = 1
MOVE = 2
ATTACK = 3
PATROL = 4
GATHER = 5
RETURN = 6
BUILD = 7
"""Order kinds; units walk for those greater than HOLD. Stop gives the order IDLE."""

NUM_KINDS = 8


def give(
    units: Units,
    games: np.ndarray,
    chosen: np.ndarray,
    order_kind: np.ndarray,
    point: np.ndarray,
    queued: np.ndarray,
    target: Optional[np.ndarray] = None,
    built: Optional[np.ndarray] = None,
) -> np.ndarray:
    """Gives an order to units, replacing their queue or appended to it.

    Units that are `bound` accept queued orders only.

    Args:
      units: changed in place.
      games: int [n], indices of games.
      chosen: bool [n, M], which of their units; M may be smaller than the number of slots.
      order_kind: int [n, M] or [n, 1], one of the constants above.
      point: float64 [2, n, M], the target point of each unit.
      queued: bool [n].
      target: like `order_kind`, slot of the target unit, or NO_UNIT; None for no target unit.
      built: like `order_kind`, index into `units.types` of the building to build; None for none.

    Returns:
      bool [n], whether the queue of at least one chosen unit was full.
    """
    bound = units.bound[games, : chosen.shape[1]] & ~queued[:, None]
    rows, slots = np.nonzero(chosen & ~bound)
    queue = units.order_kind[games[rows], slots]
    # A queued order replaces HOLD.
    waiting = (queue != IDLE).sum(-1) - (queue == HOLD).sum(-1)
    place = np.where(queued[rows], waiting, 0)
    fits = place < MAX_ORDERS
    full = np.zeros([len(games)], bool)
    full[rows[~fits]] = True

    rows, slots, place = rows[fits], slots[fits], place[fits]
    at = games[rows], slots
    shape = chosen.shape
    units.order_kind[at + (place,)] = np.broadcast_to(order_kind, shape)[rows, slots]
    units.order_point[(slice(None),) + at + (place,)] = point[:, rows, slots]
    units.order_target[at + (place,)] = (
        NO_UNIT if target is None else np.broadcast_to(target, shape)[rows, slots]
    )
    units.order_type[at + (place,)] = (
        0 if built is None else np.broadcast_to(built, shape)[rows, slots]
    )
    first = place == 0
    at = at[0][first], at[1][first]
    units.order_kind[at + (slice(1, None),)] = IDLE
    begin(units, at)
    return full


def finish(units: Units, at: Tuple[np.ndarray, np.ndarray]) -> None:
    """Ends the current orders of units, as on arrival, and starts the next ones.

    Args:
      units: changed in place.
      at: int [n] twice, indices of games and of slots.
    """
    order_kind = units.order_kind[at]
    turning = (order_kind[:, 0] == PATROL) & (order_kind[:, 1] == IDLE)
    back = at[0][turning], at[1][turning]
    on = at[0][~turning], at[1][~turning]
    if np.count_nonzero(turning):
        _turn(units, back)
    if not turning.all():
        _shift(units, on)
        begin(units, on)


def begin(units: Units, at: Tuple[np.ndarray, np.ndarray]) -> None:
    """Starts the first order in the queue of each unit; units without an order stand.

    Args:
      units: changed in place.
      at: int [n] twice, indices of games and of slots.
    """
    points = (slice(None),) + at
    position = units.position[points]
    walking = units.order_kind[at + (0,)] > HOLD
    units.goal[points] = np.where(walking, units.order_point[points + (0,)], position)
    units.patrol_origin[points] = position
    for values in (units.busy, units.bound, units.inside, units.detour):
        values[at] = False
    units.solid[at] = True


def resume(units: Units, at: Tuple[np.ndarray, np.ndarray]) -> None:
    """Returns control of `busy` units to their orders.

    Args:
      units: changed in place.
      at: int [n] twice, indices of games and of slots.
    """
    points = (slice(None),) + at
    walking = units.order_kind[at + (0,)] > HOLD
    units.goal[points] = np.where(walking, units.order_point[points + (0,)], units.position[points])
    units.busy[at] = False


def drop_target(units: Units, games: np.ndarray, slots: np.ndarray) -> None:
    """Removes the orders that target the units in slots, int [n] each, from all queues."""
    if not (units.order_target[games] == slots[:, None, None]).any():
        return
    rows, row_of = np.unique(games, return_inverse=True)
    gone = np.zeros([len(rows), units.alive.shape[1] + 1], bool)
    gone[row_of, slots] = True
    target = units.order_target[rows]
    aimed = gone[np.arange(len(rows))[:, None, None], target] & (target != NO_UNIT)
    aimed &= units.order_kind[rows] != IDLE
    row, slot = np.nonzero(aimed.any(-1))
    if not row.size:
        return
    dropped = aimed[row, slot]
    at = rows[row], slot
    # A stable sort of "is dropped or empty" closes the gaps.
    units.order_kind[at] = np.where(dropped, IDLE, units.order_kind[at])
    order = np.argsort(units.order_kind[at] == IDLE, axis=-1, kind='stable')
    places = at[0][:, None], at[1][:, None], order
    for values in (units.order_kind, units.order_target, units.order_type):
        values[at] = values[places]
    points = (slice(None),) + at
    units.order_point[points] = units.order_point[(slice(None),) + places]
    current = dropped[:, 0]
    begin(units, (at[0][current], at[1][current]))


def _turn(units: Units, at: Tuple[np.ndarray, ...]) -> None:
    points = (slice(None),) + at
    end = units.order_point[points + (0,)]
    units.order_point[points + (0,)] = units.goal[points] = units.patrol_origin[points]
    units.patrol_origin[points] = end


def _shift(units: Units, at: Tuple[np.ndarray, ...]) -> None:
    rest, next_rest = (slice(None, -1),), (slice(1, None),)
    points = (slice(None),) + at
    for values in (units.order_kind, units.order_target, units.order_type):
        values[at + rest] = values[at + next_rest]
    units.order_kind[at + (-1,)] = IDLE
    units.order_point[points + rest] = units.order_point[points + next_rest]

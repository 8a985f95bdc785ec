"""Walking and bumping into each other, one game loop at a time.

Units turn and get up to speed at once. [S] GD
"""

import numpy as np

from sc2impala.sim import geometry, orders
from sc2impala.sim.units import MAX_ORDERS, Units

_TINY = 1e-9
_FIRST_OR_SECOND = np.array([[1], [-1]])
"""Of two that are parted, who is pushed along the way from the second to the first, or against."""
_STAYS, _BUSY_STANDS, _WALKS, _STANDS = range(4)
"""Ranks; the higher of two is pushed. Who stands because it is busy, such as to fire, is no less
in the way of those who walk than who holds its position."""
_GIVES_WAY = np.full([orders.NUM_KINDS], _WALKS)
_GIVES_WAY[[orders.IDLE, orders.HOLD]] = _STANDS, _STAYS
"""Rank by kind of order of a unit that is not busy."""


def walk(units: Units, running: np.ndarray) -> None:
    """Moves every unit towards its goal for one loop, and lets those that reach it go on.

    A unit on a detour walks to its waypoint, and stands there until it is told how to go on.

    Args:
      units: changed in place.
      running: bool [K], the games whose time passes.
    """
    num_mobile = units.num_mobile
    position = units.position[:, :, :num_mobile]
    follows = (units.order_kind[:, :, 0] > orders.HOLD) & ~units.busy
    away_x, away_y = units.goal != position
    moves = (follows | away_x | away_y) & running[:, None]
    at = moves.reshape(-1).nonzero()[0]
    if not at.size:
        return
    position = position.reshape(2, -1)
    kind = units.type[:, :num_mobile].reshape(-1).take(at)
    stride = units.stats.speed.take(kind)
    start = position.take(at, axis=1)
    goal = units.goal.reshape(2, -1).take(at, axis=1)
    around = units.detour.reshape(-1).take(at)
    if around.any():
        goal = np.where(around, units.waypoint.reshape(2, -1).take(at, axis=1), goal)
    way = goal - start
    distance = geometry.length(way)
    end = start + way * (stride / np.maximum(np.maximum(distance, stride), _TINY))

    arrived = (distance <= stride) & (stride > 0)
    finished = arrived & follows.reshape(-1).take(at) & ~around
    # The sum above may miss the goal by a rounding error.
    for along, there, where in zip(position, np.where(arrived, goal, end), units.position):
        along[at] = there
        where[:, :num_mobile] = along.reshape(follows.shape)
    if finished.any():
        orders.finish(units, np.divmod(at[finished], num_mobile))


def push_apart(units: Units, running: np.ndarray, playable: geometry.Rectangle) -> None:
    """Keeps the units that can move from standing in each other, for one loop. [U]

    Of two units that overlap, one that stands gives way to one that walks, and both give way to one
    that holds its position; two alike are pushed by half of the overlap each. A unit whose goal
    lies within a unit it touches has arrived: units with one goal come to rest around it.

    Args:
      units: changed in place.
      running: bool [K], the games whose time passes.
      playable: where units can be.
    """
    num_mobile = units.num_mobile
    if num_mobile < 2:
        return
    position = units.position[:, :, :num_mobile].reshape(2, -1)
    unit_type = units.type[:, :num_mobile]
    present = units.alive[:, :num_mobile] & units.solid
    # Each pair from both sides: int [2, pairs], where one row has the others of the other row.
    unit = units.neighbours.touching(position, unit_type, units.stats.radius, present, running)
    side = units.side.copy()
    units.side[running] = 0
    if not unit.size:
        return
    here = position.take(unit, axis=1)
    goal = units.goal.reshape(2, -1).take(unit, axis=1)
    order = units.order_kind.reshape(-1).take(unit * MAX_ORDERS)
    busy = units.busy.reshape(-1).take(unit)
    radius = units.stats.radius.take(unit_type.reshape(-1).take(unit))
    reach = radius[0] + radius[1]

    obeys = (order > orders.HOLD) & ~busy
    stands = ~obeys
    rank = _GIVES_WAY.take(order)
    blocked = obeys & (geometry.length(goal - here[:, ::-1]) < reach)

    apart = here[:, 0] - here[:, 1]
    overlap = reach / np.maximum(geometry.length(apart), _TINY) - 1
    # Units in the very same place are pushed apart along x.
    apart[0] += _TINY * (unit[0] - unit[1])
    if busy.any():
        way = goal - here
        at_goal = ~way.any(0)
        stands &= at_goal | ~busy
        rank = np.where(busy & (rank > _STAYS), np.where(at_goal, _BUSY_STANDS, _WALKS), rank)
        left = (way[0] * apart[1] - way[1] * apart[0]) * _FIRST_OR_SECOND
        jammed = busy & ~at_goal & (rank > rank[::-1])
        _choose_sides(units, side, unit[jammed], left[jammed])
    share = _SHARE.take(rank * len(_SHARE) + rank[::-1]) * overlap
    share[1] *= -1

    standing = unit[stands]
    pushed = unit.reshape(-1)
    borders = (playable.left, playable.right), (playable.bottom, playable.top)
    for axis, (low, high) in enumerate(borders):
        # The pushes of a unit add up in the order of the slots that they come from.
        push = np.bincount(pushed, (apart[axis] * share).reshape(-1))
        end = np.minimum(np.maximum(here[axis].reshape(-1) + push.take(pushed), low), high)
        position[axis][pushed] = end
        units.goal[axis].reshape(-1)[standing] = position[axis].take(standing)
    units.position[:, :, :num_mobile] = position.reshape(units.goal.shape)
    if blocked.any():
        orders.finish(units, np.divmod(np.unique(unit[blocked]), num_mobile))


def _choose_sides(units, before, unit, left):
    """Notes to which side units should go around those that stand in their way.

    Args:
      units: changed in place.
      before: int8 [K, M], the sides that were chosen in the loop before: who has one keeps it.
      unit: int [n], places in the flattened [K, M]; the last of several entries counts.
      left: float64 [n], positive where the unit is pushed to the left.
    """
    kept = before.reshape(-1).take(unit)
    slot = unit % units.num_mobile
    pushed = np.where(left == 0, np.where(slot % 2 == 0, 1, -1), np.sign(left))
    units.side.reshape(-1)[unit] = np.where(kept != 0, kept, pushed)


def _shares():
    """By rank of a unit and of one that it touches, the part of the overlap that it gives way."""
    rank = np.array([_STAYS, _BUSY_STANDS, _WALKS, _STANDS])
    return (1 + np.sign(rank[:, None] - rank)) / 2 * (rank > _STAYS)[:, None]


_SHARE = _shares()

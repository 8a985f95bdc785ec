"""Movement and collisions of units, one frame at a time.

Units turn and accelerate instantly. [S] GD
"""

import numpy as np

from sc2impala.sim import geometry, orders
from sc2impala.sim.units import MAX_ORDERS, Units

_TINY = 1e-9
_FIRST_OR_SECOND = np.array([[1], [-1]])
"""Sign of the push along the vector from the second to the first unit of a pair."""
_STAYS, _BUSY_STANDS, _WALKS, _STANDS = range(4)
"""Ranks: of two units that overlap, the one with the higher rank is pushed. A unit that stands
because it is busy, such as when firing, blocks walking units as one that holds its position
does."""
_GIVES_WAY = np.full([orders.NUM_KINDS], _WALKS)
_GIVES_WAY[[orders.IDLE, orders.HOLD]] = _STANDS, _STAYS
"""Order kind -> rank of a unit that is not busy."""


def walk(units: Units, running: np.ndarray) -> None:
    """Moves every unit towards its goal for one frame and finishes orders on arrival.

    A unit on a detour walks to its waypoint and waits there for the next waypoint.

    Args:
      units: changed in place.
      running: bool [K], the games that advance.
    """
    last = units.num_used()
    follows = (units.order_kind[:, :last, 0] > orders.HOLD) & ~units.busy[:, :last]
    away_x, away_y = units.goal[:, :, :last] != units.position[:, :, :last]
    games, slots = ((follows | away_x | away_y) & running[:, None]).nonzero()
    if not games.size:
        return
    unit, at = units.flat(games, slots)
    position = units.position.reshape(2, -1)
    stride = units.stats.speed.take(units.type.reshape(-1).take(unit))
    start = position.take(unit, axis=1)
    goal = units.goal.reshape(2, -1).take(at, axis=1)
    around = units.detour.reshape(-1).take(at)
    if np.count_nonzero(around):
        goal = np.where(around, units.waypoint.reshape(2, -1).take(at, axis=1), goal)
    offset = goal - start
    distance = geometry.length(offset)
    end = start + offset * (stride / np.maximum(np.maximum(distance, stride), _TINY))

    arrived = (distance <= stride) & (stride > 0)
    finished = arrived & follows[games, slots] & ~around
    # The sum above can miss the goal by a rounding error.
    for along, there in zip(position, np.where(arrived, goal, end)):
        along[unit] = there
    if np.count_nonzero(finished):
        orders.finish(units, (games[finished], slots[finished]))


def push_apart(units: Units, running: np.ndarray, playable: geometry.Rectangle) -> None:
    """Resolves overlaps of the units that can move, for one frame. [U]

    Of two units that overlap, a standing unit is pushed by a walking one, and both are pushed by a
    unit that holds its position; units of equal rank are pushed by half of the overlap each. A unit
    has arrived when its goal lies inside a unit that it touches, so that units with the same goal
    stop around it.

    Args:
      units: changed in place.
      running: bool [K], the games that advance.
      playable: the region that units cannot leave.
    """
    if units.num_mobile < 2:
        return
    last = units.num_used()
    present = units.alive[:, :last] & units.solid[:, :last]
    # Every pair in both orders: int [2, pairs], where row 1 lists the partners of row 0.
    games, slots = units.neighbours.touching(
        units.position, units.type, units.stats.radius, present, running
    )
    side = units.side.copy()
    units.side[running] = 0
    if not games.size:
        return
    unit, at = units.flat(games, slots)
    position, goals = units.position.reshape(2, -1), units.goal.reshape(2, -1)
    here = position.take(unit, axis=1)
    goal = goals.take(at, axis=1)
    order = units.order_kind.reshape(-1).take(at * MAX_ORDERS)
    busy = units.busy.reshape(-1).take(at)
    radius = units.stats.radius.take(units.type.reshape(-1).take(unit))
    reach = radius[0] + radius[1]

    obeys = (order > orders.HOLD) & ~busy
    stands = ~obeys
    rank = _GIVES_WAY.take(order)
    blocked = obeys & (geometry.length(goal - here[:, ::-1]) < reach)

    apart = here[:, 0] - here[:, 1]
    overlap = reach / np.maximum(geometry.length(apart), _TINY) - 1
    # Units at exactly the same point are pushed apart along x.
    apart[0] += _TINY * (unit[0] - unit[1])
    if np.count_nonzero(busy):
        offset = goal - here
        at_goal = ~offset.any(0)
        stands &= at_goal | ~busy
        rank = np.where(busy & (rank > _STAYS), np.where(at_goal, _BUSY_STANDS, _WALKS), rank)
        left = (offset[0] * apart[1] - offset[1] * apart[0]) * _FIRST_OR_SECOND
        jammed = busy & ~at_goal & (rank > rank[::-1])
        _choose_sides(units, side, at[jammed], left[jammed])
    share = _SHARE.take(rank * len(_SHARE) + rank[::-1]) * overlap
    share[1] *= -1

    standing, stood = unit[stands], at[stands]
    pushed, place = unit.reshape(-1), (games * last + slots).reshape(-1)
    borders = (playable.left, playable.right), (playable.bottom, playable.top)
    for axis, (low, high) in enumerate(borders):
        # The pushes on a unit are summed in the order of the slots of their sources.
        push = np.bincount(place, (apart[axis] * share).reshape(-1)).take(place)
        end = np.minimum(np.maximum(here[axis].reshape(-1) + push, low), high)
        position[axis][pushed] = end
        goals[axis][stood] = position[axis].take(standing)
    if np.count_nonzero(blocked):
        orders.finish(units, np.divmod(np.unique(at[blocked]), units.num_mobile))


def _choose_sides(units: Units, before: np.ndarray, unit: np.ndarray, left: np.ndarray) -> None:
    """Sets the side on which units walk around standing units that block them.

    Args:
      units: changed in place.
      before: int8 [K, M], the sides of the previous frame; a unit that has one keeps it.
      unit: int [n], indices into the flattened [K, M]; of duplicates the last one counts.
      left: float64 [n], positive if the unit is pushed to the left.
    """
    kept = before.reshape(-1).take(unit)
    slot = unit % units.num_mobile
    pushed = np.where(left == 0, np.where(slot % 2 == 0, 1, -1), np.sign(left))
    units.side.reshape(-1)[unit] = np.where(kept != 0, kept, pushed)


def _shares() -> np.ndarray:
    """Returns the fraction of an overlap that pushes a unit, by both ranks: [ranks, ranks]."""
    rank = np.array([_STAYS, _BUSY_STANDS, _WALKS, _STANDS])
    return (1 + np.sign(rank[:, None] - rank)) / 2 * (rank > _STAYS)[:, None]


_SHARE = _shares()

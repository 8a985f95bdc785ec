"""Movement and collisions of units, one frame at a time.

Units accelerate instantly [S] GD, and walk in any direction without having to turn. [S] replays
"""

from typing import Any

import numpy as np

from sc2impala.sim import orders, overlaps
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import clamp_x, clamp_y, length
from sc2impala.sim.state import Field
from sc2impala.sim.units import living, look

_TINY = 1e-9
_NONE, _ARRIVES, _SWERVES = range(3)
"""Roles: units that stand, those that have arrived when another one stands on their goal, and those
that walk around others."""

_STAYS, _BUSY_STANDS, _WALKS, _STANDS = range(4)
"""Ranks: of two units that overlap, the one with the higher rank is pushed. A unit that stands
because it is busy, such as when firing, blocks walking units as one that holds its position
does."""

FIELDS = (  # They last for one frame.
    Field('_side_before', np.int8, ('M',)),
    # Of the units that overlap others, in the order of `overlaps.find`: see above; the sum of the
    # pushes on a unit; whether it touches a unit that stands on its goal.
    Field('_rank', np.int8, ('M',)),
    Field('_role', np.int8, ('M',)),
    Field('_push_x', np.float64, ('M',)),
    Field('_push_y', np.float64, ('M',)),
    Field('_blocked', np.uint8, ('M',)),
)


@compiled
def walk(g: Any, rules: Any) -> None:
    """Moves every unit towards its goal for one frame and finishes orders on arrival.

    A unit on a detour walks to its waypoint and waits there for the next waypoint.
    """
    for place in range(living(g)):
        i = int(g._living[place])
        follows = g.order_kind[i, 0] > orders.HOLD and not g.busy[i]
        if not follows and g.goal_x[i] == g.x[i] and g.goal_y[i] == g.y[i]:
            continue
        stride = rules.speed[g.type[i]]
        to_x = g.waypoint_x[i] if g.detour[i] else g.goal_x[i]
        to_y = g.waypoint_y[i] if g.detour[i] else g.goal_y[i]
        x = to_x - g.x[i]
        y = to_y - g.y[i]
        distance = length(x, y)
        if stride > 0:
            look(g, i, x, y)
        if distance <= stride and stride > 0:
            g.x[i] = to_x
            g.y[i] = to_y
            if follows and not g.detour[i]:
                orders.finish(g, i)
        else:
            part = stride / max(max(distance, stride), _TINY)
            g.x[i] += x * part
            g.y[i] += y * part


@compiled
def push_apart(g: Any, rules: Any) -> None:
    """Resolves overlaps of the units that can move, for one frame. [U]

    Of two units that overlap, a standing unit is pushed by a walking one, and both are pushed by a
    unit that holds its position; units of equal rank are pushed by half of the overlap each. A unit
    has arrived when its goal lies inside a unit that it touches, so that units with the same goal
    stop around it.
    """
    for place in range(living(g)):
        i = int(g._living[place])
        g._side_before[i] = g.side[i]
        g.side[i] = 0
    count = overlaps.find(g, rules)
    if count == 0:
        return
    for place in range(count):
        i = overlaps.slot(g, place)
        walks_busily = g.busy[i] != 0 and not _is_at_goal(g, i)
        g._role[place] = _ARRIVES if _obeys(g, i) else _SWERVES if walks_busily else _NONE
        g._rank[place] = _rank(g, i)
        g._blocked[place] = False
        g._push_x[place] = 0.0
        g._push_y[place] = 0.0
    for first in range(count):
        for second in range(first + 1, count):
            if overlaps.do_overlap(g, first, second):
                _push_pair(g, first, second)
    for place in range(count):
        _move_pushed(g, rules, place)


@compiled
def _push_pair(g: Any, first: int, second: int) -> None:
    """Pushes the units at two places of `g._overlapping`, which overlap."""
    n = int(g._overlapping[first])
    other = int(g._overlapping[second])
    x = g._solid_x[other] - g._solid_x[n]
    y = g._solid_y[other] - g._solid_y[n]
    reach = g._solid_radius[other] + g._solid_radius[n]
    overlap = reach / max(length(x, y), _TINY) - 1
    # Units at exactly the same point are pushed apart along x.
    x += _TINY * (int(g._solid_slots[other]) - int(g._solid_slots[n]))
    _push(g, second, first, x, y, reach, overlap)
    _push(g, first, second, -x, -y, reach, overlap)


@compiled
def _push(g: Any, place: int, other: int, x: float, y: float, reach: float, overlap: float) -> None:
    """Adds the push on a unit by another one, x and y being its offset from that unit."""
    rank = g._rank[place]
    rank_of_other = g._rank[other]
    share = 0.0
    if rank > _STAYS:
        share = 1.0 if rank > rank_of_other else 0.5 if rank == rank_of_other else 0.0
    g._push_x[place] += x * (share * overlap)
    g._push_y[place] += y * (share * overlap)
    role = g._role[place]
    if role == _ARRIVES:
        if not g._blocked[place]:
            i = overlaps.slot(g, place)
            n = int(g._overlapping[other])
            from_goal = length(g.goal_x[i] - g._solid_x[n], g.goal_y[i] - g._solid_y[n])
            g._blocked[place] = from_goal < reach
    elif role == _SWERVES and rank > rank_of_other:
        _choose_side(g, overlaps.slot(g, place), x, y)


@compiled
def _choose_side(g: Any, i: int, x: float, y: float) -> None:
    """Sets the side on which a unit walks around a standing unit that blocks it.

    A unit that had a side in the previous frame keeps it.
    """
    if g._side_before[i] != 0:
        g.side[i] = g._side_before[i]
        return
    left = (g.goal_x[i] - g.x[i]) * y - (g.goal_y[i] - g.y[i]) * x
    if left == 0:
        g.side[i] = 1 if i % 2 == 0 else -1
    else:
        g.side[i] = 1 if left > 0 else -1


@compiled
def _move_pushed(g: Any, rules: Any, place: int) -> None:
    """Moves a unit that was pushed, inside the playable region."""
    i = overlaps.slot(g, place)
    g.x[i] = clamp_x(rules, g.x[i] + g._push_x[place])
    g.y[i] = clamp_y(rules, g.y[i] + g._push_y[place])
    if g._role[place] == _NONE:
        g.goal_x[i] = g.x[i]
        g.goal_y[i] = g.y[i]
    if g._blocked[place]:
        orders.finish(g, i)


@compiled
def _obeys(g: Any, i: int) -> bool:
    """Returns whether unit i walks for an order."""
    return g.order_kind[i, 0] > orders.HOLD and not g.busy[i]


@compiled
def _is_at_goal(g: Any, i: int) -> bool:
    return g.goal_x[i] == g.x[i] and g.goal_y[i] == g.y[i]


@compiled
def _rank(g: Any, i: int) -> int:
    order_kind = g.order_kind[i, 0]
    if order_kind == orders.HOLD:
        return _STAYS
    if g.busy[i]:
        return _BUSY_STANDS if _is_at_goal(g, i) else _WALKS
    return _STANDS if order_kind == orders.IDLE else _WALKS

"""Order queues of units: giving orders, queueing them, and finishing them.

An order begins when it reaches the front of its unit's queue. The second end of a patrol is the
position of the unit at that time; on arrival the unit turns back if no other order is queued.
Holding the position lasts until another order is given, queued or not.
"""

from typing import Any

from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import MAX_ORDERS

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


@compiled
def give(
    g: Any, i: int, order_kind: int, x: float, y: float, queued: bool, target: int, built: int
) -> bool:
    """Gives an order to unit i, which replaces its queue or is appended to it.

    A unit that is `bound` executes the order after its current one, which it finishes first. A
    constructing SCV does so in the game, see docs/concepts/simulator.md. [S]

    Args:
      g: the game.
      i: slot of the unit.
      order_kind: one of the constants above.
      x, y: the target point.
      queued: whether the order is appended.
      target: slot of the target unit, or NO_UNIT.
      built: type of the building to build, or 0.

    Returns:
      whether the queue was full, so that the order was dropped.
    """
    place = 1 if g.bound[i] else 0
    if queued:
        place = 0
        for waiting in range(MAX_ORDERS):
            # A queued order replaces HOLD.
            if g.order_kind[i, waiting] > HOLD:
                place += 1
        if place == MAX_ORDERS:
            return True
    g.order_kind[i, place] = order_kind
    g.order_x[i, place] = x
    g.order_y[i, place] = y
    g.order_target[i, place] = target
    g.order_type[i, place] = built
    if not queued:
        for later in range(place + 1, MAX_ORDERS):
            g.order_kind[i, later] = IDLE
    if place == 0:
        begin(g, i)
    return False


@compiled
def finish(g: Any, i: int) -> None:
    """Ends the current order of unit i, as on arrival, and starts the next one."""
    if g.order_kind[i, 0] == PATROL and g.order_kind[i, 1] == IDLE:
        end_x = g.order_x[i, 0]
        end_y = g.order_y[i, 0]
        g.order_x[i, 0] = g.patrol_x[i]
        g.order_y[i, 0] = g.patrol_y[i]
        g.goal_x[i] = g.patrol_x[i]
        g.goal_y[i] = g.patrol_y[i]
        g.patrol_x[i] = end_x
        g.patrol_y[i] = end_y
    else:
        for place in range(MAX_ORDERS - 1):
            _copy_order(g, i, place + 1, place)
        g.order_kind[i, MAX_ORDERS - 1] = IDLE
        begin(g, i)


@compiled
def begin(g: Any, i: int) -> None:
    """Starts the first order in the queue of unit i; without an order it stands."""
    _aim(g, i)
    g.patrol_x[i] = g.x[i]
    g.patrol_y[i] = g.y[i]
    g.busy[i] = False
    g.bound[i] = False
    g.inside[i] = False
    g.detour[i] = False
    g.solid[i] = True


@compiled
def resume(g: Any, i: int) -> None:
    """Returns control of a `busy` unit to its order."""
    _aim(g, i)
    g.busy[i] = False


@compiled
def drop_target(g: Any, target: int) -> None:
    """Removes the orders that target a unit from all queues."""
    for i in range(g.mobile_end):
        current = False
        kept = 0
        for place in range(MAX_ORDERS):
            is_order = g.order_kind[i, place] != IDLE
            if is_order and g.order_target[i, place] == target:
                g.order_kind[i, place] = IDLE
                current = current or place == 0
            elif is_order:
                if kept != place:
                    _copy_order(g, i, place, kept)
                    g.order_kind[i, place] = IDLE
                kept += 1
        if current:
            begin(g, i)


@compiled
def _aim(g: Any, i: int) -> None:
    """Sets the goal of unit i to the point of its order, or to its own position."""
    if g.order_kind[i, 0] > HOLD:
        g.goal_x[i] = g.order_x[i, 0]
        g.goal_y[i] = g.order_y[i, 0]
    else:
        g.goal_x[i] = g.x[i]
        g.goal_y[i] = g.y[i]


@compiled
def _copy_order(g: Any, i: int, source: int, place: int) -> None:
    g.order_kind[i, place] = g.order_kind[i, source]
    g.order_x[i, place] = g.order_x[i, source]
    g.order_y[i, place] = g.order_y[i, source]
    g.order_target[i, place] = g.order_target[i, source]
    g.order_type[i, place] = g.order_type[i, source]

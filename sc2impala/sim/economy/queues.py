"""The training queues and rally points of buildings, and supply."""

from typing import Any

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.limits import MAX_QUEUE
from sc2impala.sim.rules import MAX_TYPES
from sc2impala.sim.state import Field
from sc2impala.sim.units import NO_TYPE, NO_UNIT, is_own, num_mobile

QUEUE_LENGTH = MAX_QUEUE

MAX_SUPPLY = 200  # [S] GD

FIELDS = (
    Field('queue', np.int8, ('B', QUEUE_LENGTH), NO_TYPE),  # Types; NO_TYPE after the last unit.
    # Frame in which the first unit of the queue is complete; 0 while it waits for supply.
    Field('training_until', np.int32, ('B',)),
    Field('has_rally', np.uint8, ('B',)),
    Field('rally_x', np.float64, ('B',)),
    Field('rally_y', np.float64, ('B',)),
    Field('rally_target', np.int16, ('B',), NO_UNIT),  # A resource to harvest.
    Field('trained', np.int32, (MAX_TYPES,)),  # Number of trained units of every type.
)


@compiled
def length(g: Any, building: int) -> int:
    """Returns the number of units in the queue of the building in a slot."""
    fixed = building - num_mobile(g)
    count = 0
    for place in range(QUEUE_LENGTH):
        if g.queue[fixed, place] != NO_TYPE:
            count += 1
    return count


@compiled
def food(g: Any, rules: Any, building: int) -> int:
    """Returns the supply of the unit that a building trains; waiting units use none."""
    fixed = building - num_mobile(g)
    if g.training_until[fixed] == 0:
        return 0
    return rules.food[g.queue[fixed, 0]]


@compiled
def progress(g: Any, rules: Any, building: int) -> float:
    """Returns the progress of the first unit of a queue, in 0..1."""
    fixed = building - num_mobile(g)
    if g.training_until[fixed] == 0:
        return 0.0
    loops = max(rules.build_loops[g.queue[fixed, 0]], 1)
    left = g.training_until[fixed] - g.game_loop
    return 1 - left / loops


@compiled
def shift(g: Any, building: int, place: int) -> None:
    """Removes a unit that is complete or cancelled from a queue."""
    fixed = building - num_mobile(g)
    for later in range(place + 1, QUEUE_LENGTH):
        g.queue[fixed, later - 1] = g.queue[fixed, later]
    g.queue[fixed, QUEUE_LENGTH - 1] = NO_TYPE
    if place == 0:
        g.training_until[fixed] = 0
        g.active[building] = False


@compiled
def set_rally(g: Any, building: int, x: float, y: float, target: int) -> None:
    """Sets the rally point of a building; target is a resource to harvest, or NO_UNIT."""
    fixed = building - num_mobile(g)
    g.has_rally[fixed] = True
    g.rally_x[fixed] = x
    g.rally_y[fixed] = y
    g.rally_target[fixed] = target


@compiled
def forget(g: Any, building: int) -> None:
    """Clears queue and rally point of a building, and the rally points at it.

    Units in training are lost.
    """
    fixed = building - num_mobile(g)
    for place in range(QUEUE_LENGTH):
        g.queue[fixed, place] = NO_TYPE
    g.training_until[fixed] = 0
    g.has_rally[fixed] = False
    g.rally_x[fixed] = 0.0
    g.rally_y[fixed] = 0.0
    g.rally_target[fixed] = NO_UNIT
    for other in range(g.unit_end - num_mobile(g)):
        if g.rally_target[other] == building:
            g.rally_target[other] = NO_UNIT


@compiled
def supply_capacity(g: Any, rules: Any) -> int:
    """Returns the supply that complete buildings of player 1 provide."""
    provided = 0
    for building in range(num_mobile(g), g.unit_end):
        if is_own(g, building) and g.unfinished[building] == 0:
            provided += rules.food_provided[g.type[building]]
    return min(provided, MAX_SUPPLY)


@compiled
def supply_used(g: Any, rules: Any) -> int:
    """Returns the supply that player 1 uses, in training included."""
    total = 0
    for i in range(g.mobile_end):
        if is_own(g, i):
            total += rules.food[g.type[i]]
    for building in range(num_mobile(g), g.unit_end):
        total += food(g, rules, building)
    return total


@compiled
def supply_free(g: Any, rules: Any) -> int:
    """Returns the free supply; negative after buildings were lost."""
    return supply_capacity(g, rules) - supply_used(g, rules)

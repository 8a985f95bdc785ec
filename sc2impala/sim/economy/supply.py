"""Supply used by units and provided by buildings."""

from typing import Any

from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import queues
from sc2impala.sim.units import is_own, num_mobile

MAX_SUPPLY = 200  # [S] GD


@compiled
def capacity(g: Any, rules: Any) -> int:
    """Returns the supply that complete buildings of player 1 provide."""
    provided = 0
    for building in range(num_mobile(g), g.unit_end):
        if is_own(g, building) and g.unfinished[building] == 0:
            provided += rules.food_provided[g.type[building]]
    return min(provided, MAX_SUPPLY)


@compiled
def used(g: Any, rules: Any) -> int:
    """Returns the supply that player 1 uses, in training included."""
    food = 0
    for i in range(g.mobile_end):
        if is_own(g, i):
            food += rules.food[g.type[i]]
    for building in range(num_mobile(g), g.unit_end):
        food += queues.food(g, rules, building)
    return food


@compiled
def free(g: Any, rules: Any) -> int:
    """Returns the free supply; negative after buildings were lost."""
    return capacity(g, rules) - used(g, rules)

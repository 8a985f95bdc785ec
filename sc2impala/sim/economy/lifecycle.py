"""Slots of units on maps with an economy: creation and removal, where all rules forget the slot."""

from typing import Any

from sc2impala.sim import combat, orders, units
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import harvesters, navigation, queues
from sc2impala.sim.units import NO_UNIT, num_mobile


@compiled
def first_free(g: Any, start: int, stop: int) -> int:
    """Returns the first free slot in start..stop - 1, or NO_UNIT."""
    for i in range(start, stop):
        if not g.alive[i]:
            return i
    return NO_UNIT


@compiled
def first_building(g: Any, rules: Any) -> int:
    """Returns the first of the slots for buildings, which end before `rules.num_units`."""
    return num_mobile(g) + int(rules.num_resources)


@compiled
def is_worker(g: Any, rules: Any, i: int) -> bool:
    """Returns whether a slot holds a living worker of any player."""
    return g.alive[i] != 0 and g.type[i] == rules.worker


@compiled
def create(g: Any, rules: Any, i: int, type_index: int, owner: int, x: float, y: float) -> None:
    """Creates an idle unit of full health in slot i."""
    units.put(g, rules, i, type_index, owner, x, y)
    forget(g, i)


@compiled
def kill(g: Any, i: int) -> None:
    """Removes unit i from the game and marks it in `_died`.

    Orders that target it are dropped; a unit that was executing one starts its next order.
    """
    units.remove(g, i)
    orders.drop_target(g, i)
    forget(g, i)


@compiled
def bury(g: Any) -> None:
    """Removes all units that are dying, between `combat.fight` and `combat.respond`."""
    if not g._is_hurt:
        return
    for i in range(g.unit_end):
        if combat.is_dying(g, i):
            units.remove(g, i)
    for i in range(g.unit_end):
        if g._died[i] and not g.alive[i]:
            orders.drop_target(g, i)
            forget(g, i)


@compiled
def forget(g: Any, i: int) -> None:
    """Clears all state of a new or removed unit in slot i."""
    harvesters.forget(g, i)
    combat.forget(g, i)
    if i < num_mobile(g):
        navigation.forget(g, i)
    else:
        g.builder[i - num_mobile(g)] = NO_UNIT
        queues.forget(g, i)

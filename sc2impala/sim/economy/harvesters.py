"""The state of harvesters, and of what they harvest: mineral fields and refineries."""

from typing import Any

import numpy as np

from sc2impala.sim import orders, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.state import Field
from sc2impala.sim.units import NO_UNIT, num_mobile

NONE, TO_FIELD, WAITING, WORKING, TO_BASE, LEAVING = range(6)
"""Phases of a harvester."""

FIELDS = (
    Field('phase', np.int8, ('M',)),
    # Frame in which WORKING or LEAVING ends; while WAITING, the frame of arrival.
    Field('until', np.int32, ('M',)),
    # Slots of its field or refinery, which is kept when it stops harvesting, and of its town hall.
    Field('field', np.int16, ('M',), NO_UNIT),
    Field('base_slot', np.int16, ('M',), NO_UNIT),
    Field('cargo', np.int8, ('M',)),  # Carried amount.
    Field('cargo_is_gas', np.uint8, ('M',)),
    Field('looked', np.uint8, ('M',)),  # Whether it has looked for another field since its arrival.
    # End of the straight segment that it walks, and whether this is the edge of the field or base.
    Field('leg_x', np.float64, ('M',)),
    Field('leg_y', np.float64, ('M',)),
    Field('at_edge', np.uint8, ('M',)),
    Field('worker_speed', np.float64, ('M',)),  # Cells per frame.
    Field('occupant', np.int16, ('B',), NO_UNIT),  # The worker on a field or inside a refinery.
    Field('free_at', np.int32, ('B',)),  # First frame in which the next worker can start.
    Field('contents', np.int32, ('B',)),
    # Index of what holds the contents: of a refinery its geyser, of others the slot itself.
    Field('source', np.int16, ('B',)),
    Field('harvest_version', np.int32),  # Version of the ground for which the legs were computed.
    Field('_sent', np.uint8, ('M',)),  # Harvesters that are about to be sent to their fields.
    Field('_emptied', np.int16, ('M',)),  # Fields that are exhausted in this frame.
    # Longest waiting worker of a field.
    Field('_first', np.int16, ('B',), NO_UNIT),
)


@compiled
def fill(g: Any, rules: Any) -> None:
    """Sets the contents of all resources to those of their types."""
    first = num_mobile(g)
    for fixed in range(len(g.source)):
        g.source[fixed] = fixed
    for i in range(first, g.unit_end):
        g.contents[i - first] = rules.contents[g.type[i]] if g.alive[i] else 0


@compiled
def tap(g: Any, refinery: int, geyser: int) -> None:
    """Connects a refinery to the geyser below it; both are slots."""
    g.source[refinery - num_mobile(g)] = geyser - num_mobile(g)


@compiled
def contents(g: Any, i: int) -> int:
    """Returns what the resource or refinery in slot i contains; 0 for other units."""
    if i < num_mobile(g):
        return 0
    return g.contents[g.source[i - num_mobile(g)]]


@compiled
def can_harvest(g: Any, rules: Any, i: int) -> bool:
    """Returns whether slot i, which may be NO_UNIT, can be harvested."""
    if i < num_mobile(g) or not g.alive[i]:
        return False
    is_field = g.type[i] == rules.mineral_field
    is_refinery = g.type[i] == rules.refinery and g.unfinished[i] == 0
    return (is_field or is_refinery) and contents(g, i) > 0


@compiled
def is_idle(g: Any, rules: Any, i: int) -> bool:
    """Returns whether unit i, one that can move, is a worker of player 1 without orders."""
    mine = g.alive[i] != 0 and g.owner[i] == unit_types.SELF
    return mine and g.type[i] == rules.worker and g.order_kind[i, 0] == orders.IDLE


@compiled
def stop(g: Any, i: int) -> None:
    """Ends the phase of a harvester; a field on which it works becomes free."""
    if g.phase[i] == WORKING:
        g.occupant[g.field[i] - num_mobile(g)] = NO_UNIT
    g.phase[i] = NONE


@compiled
def forget(g: Any, i: int) -> None:
    """Clears the state of a new or removed unit in slot i."""
    if i >= num_mobile(g):
        fixed = i - num_mobile(g)
        g.occupant[fixed] = NO_UNIT
        g.free_at[fixed] = 0
        g.contents[fixed] = 0
        g.source[fixed] = fixed
        return
    stop(g, i)
    g.until[i] = 0
    g.field[i] = NO_UNIT
    g.base_slot[i] = NO_UNIT
    g.cargo[i] = 0
    g.cargo_is_gas[i] = False
    g.looked[i] = False
    g.leg_x[i] = 0.0
    g.leg_y[i] = 0.0
    g.at_edge[i] = False
    g.worker_speed[i] = 0.0

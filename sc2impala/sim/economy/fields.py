"""Users of mineral fields and refineries, and the choice of a field by harvesters."""

from typing import Any

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy.harvesters import NONE, can_harvest
from sc2impala.sim.geometry import length
from sc2impala.sim.units import NO_UNIT, num_mobile

SEARCH_RANGE = 10.0  # Between the centres of two fields. [S] GD, [A]
IDEAL_PER_FIELD = 2  # [S] GD
IDEAL_PER_REFINERY = 3  # [S] GD


@compiled
def num_users(g: Any, field: int) -> int:
    """Returns the number of harvesters assigned to the field or refinery in a slot."""
    count = 0
    for i in range(g.mobile_end):
        if g.phase[i] != NONE and g.field[i] == field:
            count += 1
    return count


@compiled
def num_assigned(g: Any, rules: Any, i: int) -> int:
    """Returns the number of harvesters assigned to a refinery or town hall; 0 for other units."""
    count = 0
    if g.type[i] == rules.refinery:
        count = num_users(g, i)
    elif g.type[i] == rules.town_hall:
        for worker in range(g.mobile_end):
            if g.phase[worker] != NONE and g.base_slot[worker] == i:
                count += 1
    return count


@compiled
def num_ideal(g: Any, rules: Any, i: int) -> int:
    """Returns the ideal number of harvesters of a refinery or town hall; 0 for other units."""
    if g.type[i] == rules.refinery:
        return IDEAL_PER_REFINERY
    ideal = 0
    if g.type[i] == rules.town_hall:
        for field in range(num_mobile(g), g.unit_end):
            if _is_near(g, rules, field, i):
                ideal += IDEAL_PER_FIELD
    return ideal


@compiled
def less_used(g: Any, rules: Any, i: int) -> int:
    """Finds a mineral field with fewer users than the one for which unit i waits.

    Returns:
      the nearest field with the fewest users in range, if it has at least two users less, so that
      the unit gains even after it is added; else NO_UNIT.
    """
    field = int(g.field[i])
    if g.type[field] != rules.mineral_field:
        return NO_UNIT
    fewest = num_users(g, field) - 2
    nearest = np.inf
    best = NO_UNIT
    for other in range(num_mobile(g), g.unit_end):
        if _is_near(g, rules, other, field):
            users = num_users(g, other)
            distance = length(g.x[other] - g.x[i], g.y[other] - g.y[i])
            if users < fewest or (users == fewest and distance < nearest):
                fewest = users
                nearest = distance
                best = other
    return best


@compiled
def replacement(g: Any, rules: Any, i: int) -> int:
    """Returns a replacement for the exhausted field of unit i, or NO_UNIT if none is in range.

    It has the same type and the fewest users; of ties it is the nearest one to the old field.
    """
    field = int(g.field[i])
    if field == NO_UNIT:
        return NO_UNIT
    best = NO_UNIT
    fewest = 0
    nearest = np.inf
    for other in range(num_mobile(g), g.unit_end):
        if g.type[other] == g.type[field] and can_harvest(g, rules, other):
            distance = length(g.x[other] - g.x[field], g.y[other] - g.y[field])
            if distance <= SEARCH_RANGE:
                users = num_users(g, other)
                fewer = users < fewest or (users == fewest and distance < nearest)
                if best == NO_UNIT or fewer:
                    best = other
                    fewest = users
                    nearest = distance
    return best


@compiled
def _is_near(g: Any, rules: Any, field: int, place: int) -> bool:
    """Returns whether a slot holds a mineral field in range of the unit in another slot."""
    if not g.alive[field] or g.type[field] != rules.mineral_field:
        return False
    return length(g.x[field] - g.x[place], g.y[field] - g.y[place]) <= SEARCH_RANGE

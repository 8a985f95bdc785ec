"""Ranges of slots, and free slots."""

from typing import Any

from sc2impala.sim.compiler import compiled
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

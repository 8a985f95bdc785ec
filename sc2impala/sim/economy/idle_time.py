"""Sums of the time in which workers and buildings of player 1 had nothing to do.

The protocol describes both as sums over units: three idle workers add three seconds in a second. A
worker that builds is not idle, and a building is idle while it could train a unit but does not.
"""

from typing import Any

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import harvesters
from sc2impala.sim.state import Field
from sc2impala.sim.units import is_own, num_mobile

FIELDS = (
    Field('idle_worker_time', np.int64),  # In frames, as the other one.
    Field('idle_production_time', np.int64),
)


@compiled
def add(g: Any, rules: Any) -> None:
    """Adds one frame for every idle worker and building."""
    for i in range(g.mobile_end):
        if harvesters.is_idle(g, rules, i):
            g.idle_worker_time += 1
    first = num_mobile(g)
    for building in range(first, g.unit_end):
        if g.training_until[building - first] == 0 and _can_train(g, rules, building):
            g.idle_production_time += 1


@compiled
def _can_train(g: Any, rules: Any, building: int) -> bool:
    if not is_own(g, building) or g.unfinished[building] > 0:
        return False
    card = rules.functions[g.type[building]]
    return card[functions.TRAIN_SCV_QUICK] != 0 or card[functions.TRAIN_MARINE_QUICK] != 0

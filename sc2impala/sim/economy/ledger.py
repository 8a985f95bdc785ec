"""Accounts of collected and spent resources, and of idle time.

The protocol describes idle times as sums over units: three idle workers add three seconds in a
second. A worker that builds is not idle, and a building is idle while it could train a unit but
does not.
"""

from typing import Any

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import harvesters
from sc2impala.sim.state import Field
from sc2impala.sim.units import is_own, num_mobile

RATE_LOOPS = 60 * 22.4  # Frames of a minute at "faster" speed. [S] OBS
RATE_MEMORY = 60 * 16.0  # Time constant of the collection rate in frames. [U]

FIELDS = (
    Field('collected_minerals', np.int64),
    Field('collected_vespene', np.int64),
    Field('spent_minerals', np.int64),  # Refunds reduce it.
    Field('spent_vespene', np.int64),
    # Exponential averages of the amounts collected per RATE_LOOPS.
    Field('rate_minerals', np.float64),
    Field('rate_vespene', np.float64),
)

_KEPT = 1 - 1 / RATE_MEMORY
_RATE_OF_ONE = RATE_LOOPS / RATE_MEMORY


@compiled
def decay(g: Any) -> None:
    """Decays the rates, once per frame."""
    g.rate_minerals *= _KEPT
    g.rate_vespene *= _KEPT


@compiled
def collect(g: Any, minerals: int, vespene: int) -> None:
    """Adds the amounts that are delivered in a frame to the resources of player 1."""
    g.minerals += minerals
    g.vespene += vespene
    g.collected_minerals += minerals
    g.collected_vespene += vespene
    g.rate_minerals += minerals * _RATE_OF_ONE
    g.rate_vespene += vespene * _RATE_OF_ONE


@compiled
def pay(g: Any, minerals: int, vespene: int) -> None:
    """Subtracts a cost from the resources of player 1; negative costs are refunds."""
    g.minerals -= minerals
    g.vespene -= vespene
    g.spent_minerals += minerals
    g.spent_vespene += vespene


IDLE_FIELDS = (
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

"""Harvesting: the cycle of workers between a field or refinery and a town hall.

One worker at a time works on a field or inside a refinery. A worker that arrives at an occupied
mineral field looks for one with fewer users. Workers do not collide while they harvest. [S] GD, [A]

Unlike other units, workers accelerate and slow down gradually, which takes a large part of a trip
of a few cells.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import orders, protocol_codes
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import fields, harvesters, ledger, lifecycle, trips
from sc2impala.sim.economy.harvesters import (
    LEAVING,
    NONE,
    TO_BASE,
    TO_FIELD,
    WAITING,
    WORKING,
    can_harvest,
)
from sc2impala.sim.geometry import length
from sc2impala.sim.unit_types import LOOPS_PER_SECOND
from sc2impala.sim.units import NO_UNIT, look, num_mobile

MINERALS_PER_TRIP = 5  # [S] GD
GAS_PER_TRIP = 4  # [S] GD
ACCELERATION = 2.5 / LOOPS_PER_SECOND**2  # Of a worker, in cells per frame squared. [S] GD
TURN_LOOPS = 3
"""Frames to turn before walking back: 180 degrees at about 1000 degrees per second. [A] GD"""

_TINY = 1e-9
_TURN_SPEED = -TURN_LOOPS * ACCELERATION
"""A worker that turns accelerates from a negative speed and moves once it is positive."""


@compiled
def step(g: Any, rules: Any) -> None:
    """Advances all harvesters by one frame."""
    _begin(g, rules)
    _leave_base(g, rules)
    _load(g, rules)
    _walk(g, rules)
    _serve(g, rules)


@compiled
def _begin(g: Any, rules: Any) -> None:
    """Starts the harvesting orders that have reached the front of queues, and ends other phases."""
    sends = False
    for i in range(g.mobile_end):
        order_kind = g.order_kind[i, 0]
        works = order_kind == orders.GATHER or order_kind == orders.RETURN
        if works and g.busy[i]:
            continue
        if g.phase[i] != NONE:
            harvesters.stop(g, i)
        if works:
            _begin_order(g, rules, i)
            sends = sends or g._sent[i] != 0
    if sends:
        trips.send(g, rules)


@compiled
def _begin_order(g: Any, rules: Any, i: int) -> None:
    g.busy[i] = True
    g.solid[i] = False
    g.goal_x[i] = g.x[i]
    g.goal_y[i] = g.y[i]
    g.worker_speed[i] = 0.0
    gathers = g.order_kind[i, 0] == orders.GATHER
    if gathers:
        g.field[i] = g.order_target[i, 0]
    if g.cargo[i] > 0:
        # A worker with cargo returns it first. [U]
        trips.to_base(g, rules, i)
    elif gathers:
        g._sent[i] = True
    else:
        trips.end(g, i)


@compiled
def _leave_base(g: Any, rules: Any) -> None:
    """Sends the workers that have delivered their cargo back to their fields."""
    sends = False
    for i in range(g.mobile_end):
        if g.phase[i] == LEAVING and g.until[i] == g.game_loop:
            g.worker_speed[i] = _TURN_SPEED
            g._sent[i] = True
            sends = True
    if sends:
        trips.send(g, rules)


@compiled
def _load(g: Any, rules: Any) -> None:
    """Ends the work of units and sets their cargo."""
    num_emptied = 0
    for i in range(g.mobile_end):
        if g.phase[i] == WORKING and g.until[i] == g.game_loop:
            g.worker_speed[i] = _TURN_SPEED
            if _load_one(g, rules, i):
                g._emptied[num_emptied] = g.field[i]
                num_emptied += 1
    for index in range(num_emptied):
        _remove_field(g, rules, int(g._emptied[index]))


@compiled
def _load_one(g: Any, rules: Any, i: int) -> bool:
    """Loads one unit; returns whether its mineral field is exhausted now."""
    fixed = int(g.field[i]) - num_mobile(g)
    is_gas = g.type[g.field[i]] == rules.refinery
    g.occupant[fixed] = NO_UNIT
    g.free_at[fixed] = g.game_loop + (0 if is_gas else rules.handover_loops)
    g.inside[i] = False
    source = g.source[fixed]
    amount = min(GAS_PER_TRIP if is_gas else MINERALS_PER_TRIP, g.contents[source])
    g.contents[source] -= amount
    g.cargo[i] = amount
    g.cargo_is_gas[i] = is_gas
    if g.order_kind[i, 1] != orders.IDLE:
        trips.end(g, i)
    else:
        trips.to_base(g, rules, i)
    if g.contents[source] > 0:
        return False
    if is_gas:
        g.alerts[protocol_codes.VESPENE_EXHAUSTED] = True
    return not is_gas


@compiled
def _remove_field(g: Any, rules: Any, field: int) -> None:
    """Removes an exhausted mineral field and reassigns its users."""
    g.alerts[protocol_codes.MINERALS_EXHAUSTED] = True
    for i in range(g.mobile_end):
        if g.order_kind[i, 0] == orders.GATHER and g.order_target[i, 0] == field:
            g._sent[i] = True
            g.field[i] = field
    for i in range(g.mobile_end):
        if g._sent[i]:
            trips.change_field(g, rules, i)
            if g.field[i] == field and g.cargo[i] > 0:
                g.order_kind[i, 0] = orders.RETURN
                g.order_target[i, 0] = NO_UNIT
    lifecycle.kill(g, field)
    for i in range(g.mobile_end):
        on_way = g.phase[i] == TO_FIELD or g.phase[i] == WAITING
        if g._sent[i] and not (on_way and g.busy[i]):
            g._sent[i] = False
    trips.send(g, rules)


@compiled
def _walk(g: Any, rules: Any) -> None:
    """Moves harvesters and handles arrivals."""
    walks = False
    new_ground = g.harvest_version != g.ground_version
    minerals = 0
    vespene = 0
    for i in range(g.mobile_end):
        if g.phase[i] == TO_FIELD or g.phase[i] == TO_BASE:
            walks = True
            if new_ground:
                trips.choose_leg(g, rules, i)
            if g.phase[i] != NONE and _advance(g, rules, i):
                cargo = _arrive(g, rules, i)
                if g.cargo_is_gas[i]:
                    vespene += cargo
                else:
                    minerals += cargo
    if walks:
        g.harvest_version = g.ground_version
        ledger.collect(g, minerals, vespene)


@compiled
def _advance(g: Any, rules: Any, i: int) -> bool:
    """Moves a harvester for one frame; returns whether it has reached the end of its leg."""
    x = g.leg_x[i] - g.x[i]
    y = g.leg_y[i] - g.y[i]
    look(g, i, x, y)
    left = length(x, y)
    speed = min(g.worker_speed[i] + ACCELERATION, rules.speed[g.type[i]])
    if g.at_edge[i]:
        # The fastest speed at which it can still stop at the edge.
        speed = min(speed, np.sqrt(2 * ACCELERATION * left))
    stride = max(speed, 0.0)
    arrives = left <= stride
    part = 1.0 if arrives else stride / max(left, _TINY)
    g.x[i] += x * part
    g.y[i] += y * part
    g.goal_x[i] = g.x[i]
    g.goal_y[i] = g.y[i]
    g.worker_speed[i] = speed
    return arrives


@compiled
def _arrive(g: Any, rules: Any, i: int) -> int:
    """Handles the arrival of a harvester at the end of a leg; returns what it delivers."""
    if not g.at_edge[i]:
        trips.choose_leg(g, rules, i)
    elif g.phase[i] == TO_FIELD:
        g.phase[i] = WAITING
        g.until[i] = g.game_loop
        g.worker_speed[i] = 0.0
    else:
        return _unload(g, rules, i)
    return 0


@compiled
def _unload(g: Any, rules: Any, i: int) -> int:
    """Delivers the cargo of a unit, if its base still exists; returns the amount."""
    base = g.base_slot[i]
    complete = g.alive[base] and g.unfinished[base] == 0
    if not (complete and g.type[base] == rules.town_hall):
        trips.to_base(g, rules, i)
        return 0
    amount = int(g.cargo[i])
    g.cargo[i] = 0
    g.worker_speed[i] = 0.0
    g.phase[i] = LEAVING
    g.until[i] = g.game_loop + rules.return_loops
    if g.order_kind[i, 0] == orders.RETURN:
        if g.order_kind[i, 1] != orders.IDLE or not can_harvest(g, rules, g.field[i]):
            trips.end(g, i)
        else:
            # After a return order the unit continues to gather.
            g.order_kind[i, 0] = orders.GATHER
            trips.aim_at(g, i, g.field[i])
    return amount


@compiled
def _serve(g: Any, rules: Any) -> None:
    """Starts the longest waiting worker of each free field; another looks elsewhere."""
    waits, gone = _waiting(g, rules)
    if gone:
        trips.send(g, rules)
    if not waits:
        return
    _start_first(g, rules)
    for i in range(g.mobile_end):
        if g.phase[i] == WAITING and not g.looked[i]:
            _look_around(g, rules, i)
            break


@compiled
def _waiting(g: Any, rules: Any) -> Tuple[bool, bool]:
    """Returns whether workers wait, and whether the fields of some are exhausted; marks these."""
    waits = False
    gone = False
    for i in range(g.mobile_end):
        if g.phase[i] == WAITING:
            if can_harvest(g, rules, g.field[i]):
                waits = True
            else:
                g._sent[i] = True
                gone = True
    return waits, gone


@compiled
def _start_first(g: Any, rules: Any) -> None:
    """Starts the work of the longest waiting worker of each free field."""
    first = num_mobile(g)
    for i in range(g.mobile_end):
        if g.phase[i] == WAITING:
            fixed = g.field[i] - first
            if g.occupant[fixed] == NO_UNIT and g.free_at[fixed] <= g.game_loop:
                other = g._first[fixed]
                if other == NO_UNIT or g.until[i] < g.until[other]:
                    g._first[fixed] = i
    for i in range(g.mobile_end):
        if g.phase[i] == WAITING and g._first[g.field[i] - first] == i:
            _start_work(g, rules, i)


@compiled
def _start_work(g: Any, rules: Any, i: int) -> None:
    field = int(g.field[i])
    fixed = field - num_mobile(g)
    g._first[fixed] = NO_UNIT
    g.occupant[fixed] = i
    is_gas = g.type[field] == rules.refinery
    g.phase[i] = WORKING
    g.until[i] = g.game_loop + (rules.gas_loops if is_gas else rules.mineral_loops)
    g.inside[i] = is_gas


@compiled
def _look_around(g: Any, rules: Any, i: int) -> None:
    """Sends a waiting unit to another field with fewer users, if there is one."""
    g.looked[i] = True
    field = fields.less_used(g, rules, i)
    if field != NO_UNIT:
        trips.aim_at(g, i, field)
        g._sent[i] = True
        trips.send(g, rules)

"""Construction: workers walk to the site, pay, and stay until the building is complete."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import orders, protocol_codes, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import ground, harvesters, ledger, lifecycle
from sc2impala.sim.state import Field
from sc2impala.sim.units import NO_TYPE, NO_UNIT, is_own, num_mobile

REACH = 0.75  # From the centre of a worker to the edge of its building site. [U]
FIRST_HEALTH = 0.1  # Fraction of its health that a new building has. [A]
REFUND = 0.75  # Fraction of the cost that is refunded for a cancelled building. [S] in the game

MAX_FAILURES = 8
"""Number of failed orders to build that are kept for an observer."""

FIELDS = (
    Field('builder', np.int16, ('B',), NO_UNIT),  # The worker that builds it.
    # Orders to build that failed on arrival since an observer cleared their number: the worker,
    # the type of the building, and a code of `protocol_codes`. Only the first ones are kept.
    Field('_num_failures', np.int32),
    Field('_failed_worker', np.int16, (MAX_FAILURES,)),
    Field('_failed_type', np.int8, (MAX_FAILURES,)),
    Field('_failed_code', np.int32, (MAX_FAILURES,)),
)


@compiled
def step(g: Any, rules: Any) -> None:
    """Starts construction where workers have arrived, and advances unfinished buildings."""
    for i in range(g.mobile_end):
        if g.order_kind[i, 0] == orders.BUILD and not g.bound[i] and _is_at_site(g, rules, i):
            _begin(g, rules, i)
            break  # One per frame.
    for building in range(num_mobile(g), g.unit_end):
        if g.builder[building - num_mobile(g)] != NO_UNIT:
            _grow(g, rules, building)


@compiled
def order_error(g: Any, rules: Any, type_index: int) -> int:
    """Checks cost and requirements of a building: a code of `protocol_codes`."""
    needed = rules.needs[type_index]
    if needed != NO_TYPE and not _has_complete(g, needed):
        return protocol_codes.BUILD_TECH_REQUIREMENTS_NOT_MET
    if g.minerals < rules.minerals[type_index]:
        return protocol_codes.NOT_ENOUGH_MINERALS
    if g.vespene < rules.vespene[type_index]:
        return protocol_codes.NOT_ENOUGH_VESPENE
    return protocol_codes.OK


@compiled
def cancel(g: Any, rules: Any, building: int) -> None:
    """Removes an unfinished building and refunds most of its cost."""
    type_index = g.type[building]
    minerals = int(REFUND * rules.minerals[type_index])
    vespene = int(REFUND * rules.vespene[type_index])
    ledger.pay(g, -minerals, -vespene)
    lifecycle.kill(g, building)
    ground.survey(g, rules)


@compiled
def halt(g: Any, i: int) -> None:
    """Stops builder i and makes it idle."""
    for place in range(orders.MAX_ORDERS):
        g.order_kind[i, place] = orders.IDLE
    orders.begin(g, i)


@compiled
def _has_complete(g: Any, type_index: int) -> bool:
    """Returns whether player 1 has a complete building of a type."""
    for building in range(num_mobile(g), g.unit_end):
        if g.type[building] == type_index and g.unfinished[building] == 0:
            if is_own(g, building):
                return True
    return False


@compiled
def _is_at_site(g: Any, rules: Any, i: int) -> bool:
    """Returns whether a worker is next to the site of its building."""
    type_index = g.order_type[i, 0]
    half_width = rules.footprint[type_index, 0] / 2 + REACH
    half_height = rules.footprint[type_index, 1] / 2 + REACH
    near = abs(g.x[i] - g.order_x[i, 0]) <= half_width
    return near and abs(g.y[i] - g.order_y[i, 0]) <= half_height


@compiled
def _begin(g: Any, rules: Any, i: int) -> None:
    """Starts construction by a worker that has arrived."""
    building = int(g.order_target[i, 0])
    code = protocol_codes.OK
    if building == NO_UNIT:
        code, building = _place(g, rules, i)
    elif not _can_continue(g, building):
        code = protocol_codes.ERROR
    if code != protocol_codes.OK:
        g.action_result = code
        _note_failure(g, i, code)
        orders.finish(g, i)
        return
    g.order_target[i, 0] = building
    g.goal_x[i] = g.x[i]
    g.goal_y[i] = g.y[i]
    g.busy[i] = True
    g.bound[i] = True
    g.detour[i] = False
    g.builder[building - num_mobile(g)] = i


@compiled
def _note_failure(g: Any, i: int, code: int) -> None:
    if g._num_failures < MAX_FAILURES:
        g._failed_worker[g._num_failures] = i
        g._failed_type[g._num_failures] = g.order_type[i, 0]
        g._failed_code[g._num_failures] = code
        g._num_failures += 1


@compiled
def _can_continue(g: Any, building: int) -> bool:
    """Returns whether the building is unfinished and has no builder."""
    return g.unfinished[building] > 0 and g.builder[building - num_mobile(g)] == NO_UNIT


@compiled
def _place(g: Any, rules: Any, i: int) -> Tuple[int, int]:
    """Pays for and creates the building of a worker's order: returns a code and its slot."""
    type_index = int(g.order_type[i, 0])
    x = g.order_x[i, 0]
    y = g.order_y[i, 0]
    code = ground.can_build(g, rules, type_index, x, y)
    if code == protocol_codes.OK:
        code = order_error(g, rules, type_index)
    free = lifecycle.first_free(g, lifecycle.first_building(g, rules), rules.num_units)
    if code == protocol_codes.OK and free == NO_UNIT:
        code = protocol_codes.CANT_BUILD_LOCATION_INVALID
    if code != protocol_codes.OK:
        return code, NO_UNIT
    beneath = ground.fixed_at(g, rules, x, y)
    ledger.pay(g, rules.minerals[type_index], rules.vespene[type_index])
    lifecycle.create(g, rules, free, type_index, unit_types.SELF, x, y)
    g.health[free] = FIRST_HEALTH * rules.health[type_index]
    g.unfinished[free] = rules.build_loops[type_index]
    if type_index == rules.refinery:
        harvesters.tap(g, free, beneath)
    ground.survey(g, rules)
    return code, free


@compiled
def _grow(g: Any, rules: Any, building: int) -> None:
    """Advances a building if it still has its builder."""
    builder = g.builder[building - num_mobile(g)]
    if not (g.bound[builder] and g.order_target[builder, 0] == building):
        g.builder[building - num_mobile(g)] = NO_UNIT
        return
    full = rules.health[g.type[building]]
    loops = rules.build_loops[g.type[building]]
    g.health[building] = min(g.health[building] + (1 - FIRST_HEALTH) * full / loops, full)
    g.unfinished[building] -= 1
    if g.unfinished[building] == 0:
        g.alerts[protocol_codes.BUILDING_COMPLETE] = True
        g.builder[building - num_mobile(g)] = NO_UNIT
        orders.finish(g, builder)

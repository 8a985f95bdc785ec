"""Executes PySC2 function calls on maps with an economy.

The functions of a command return a code of `protocol_codes`.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import actions, aiming, functions, geometry, orders, protocol_codes
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import construction, footprints, ground, harvesters, production, queues
from sc2impala.sim.units import NO_TYPE, NO_UNIT, is_own, num_mobile


@compiled
def execute(g: Any, rules: Any, call: Any, available: Any) -> None:
    """Executes a function call and records function and result; see `actions.execute`."""
    actions.clear_alerts(g)
    result = protocol_codes.NOT_SUPPORTED
    if actions.is_allowed(g, call, available):
        if actions.gives_order(call):
            result = _give_order(g, rules, call)
        else:
            result = _command(g, rules, call)
    actions.report(g, call, result)


@compiled
def _command(g: Any, rules: Any, call: Any) -> int:
    """Executes an allowed call that is none of `actions.ORDERS`."""
    function = call.function
    if rules.product[function] != NO_TYPE:
        if rules.is_structure[rules.product[function]]:
            return _build(g, rules, call)
        return _train(g, rules, call)
    if function == functions.HARVEST_GATHER_SCREEN:
        return _gather(g, rules, call)
    if function == functions.HARVEST_RETURN_QUICK:
        return _return_cargo(g, rules, call)
    if function == functions.RALLY_UNITS_SCREEN or function == functions.RALLY_WORKERS_SCREEN:
        target, x, y = aiming.on_screen(g, rules, call)
        return _rally(g, rules, call, target, x, y)
    if function == functions.RALLY_UNITS_MINIMAP or function == functions.RALLY_WORKERS_MINIMAP:
        target, x, y = aiming.on_minimap(g, rules, call)
        return _rally(g, rules, call, target, x, y)
    return _select_or_undo(g, rules, call)


@compiled
def _select_or_undo(g: Any, rules: Any, call: Any) -> int:
    function = call.function
    if function == functions.HALT_QUICK:
        return _halt(g, rules, call)
    if function == functions.CANCEL_QUICK:
        return _cancel(g, rules)
    if function == functions.CANCEL_LAST_QUICK:
        return _cancel_last(g, rules)
    if function == functions.BUILD_QUEUE:
        return _cancel_at(g, rules, call.build_queue_id)
    if function == functions.SELECT_IDLE_WORKER:
        return _select_idle_worker(g, rules, call.select_worker)
    return actions.select_or_look(g, rules, call)


@compiled
def _give_order(g: Any, rules: Any, call: Any) -> int:
    """Gives one of `actions.ORDERS`; a smart order sets the rally points of buildings."""
    target, x, y = actions.aim(g, rules, call)
    if actions.is_smart(call):
        _rally(g, rules, call, target, x, y)
    work = orders.MOVE
    work_type = 0
    if target != NO_UNIT:
        work_type = int(g.type[target])
        if harvesters.can_harvest(g, rules, target):
            work = orders.GATHER
        elif g.unfinished[target] > 0:
            # Workers continue a building. [A]
            work = orders.BUILD
    return actions.give_order(g, rules, call, target, x, y, work, work_type)


@compiled
def _build(g: Any, rules: Any, call: Any) -> int:
    """Orders the nearest of the selected workers to build something. [A]"""
    built = int(rules.product[call.function])
    clicked, x, y = aiming.on_screen(g, rules, call)
    x, y = _site(g, rules, built, clicked, x, y)
    code = ground.can_build(g, rules, built, x, y)
    if code == protocol_codes.OK:
        code = construction.order_error(g, rules, built)
    if code != protocol_codes.OK:
        return code
    queued = call.queued != 0
    worker = _nearest_builder(g, rules, call, x, y)
    if worker == NO_UNIT:
        return protocol_codes.NOT_SUPPORTED
    if orders.give(g, worker, orders.BUILD, x, y, queued, NO_UNIT, built):
        return protocol_codes.QUEUE_IS_FULL
    return protocol_codes.OK


@compiled
def _site(g: Any, rules: Any, built: int, clicked: int, x: float, y: float) -> Tuple[float, float]:
    """Returns the centre of a building that is ordered at a point, where a unit was clicked."""
    if built != rules.refinery:
        return footprints.snap(rules, built, x, y)
    if clicked != NO_UNIT and g.type[clicked] == rules.geyser:
        return g.x[clicked], g.y[clicked]
    return x, y


@compiled
def _nearest_builder(g: Any, rules: Any, call: Any, x: float, y: float) -> int:
    """Returns the nearest of the selected workers that offer to build, or NO_UNIT.

    Workers without a build order are preferred. Those that construct build it afterwards.
    """
    nearest = NO_UNIT
    least = np.inf
    builds = True
    for i in range(g.mobile_end):
        if _offers(g, rules, call, i):
            builds_now = g.order_kind[i, 0] == orders.BUILD
            distance = geometry.length(g.x[i] - x, g.y[i] - y)
            prefers = builds and not builds_now
            if prefers or (builds_now == builds and distance < least):
                nearest = i
                least = distance
                builds = builds_now
    return nearest


@compiled
def _gather(g: Any, rules: Any, call: Any) -> int:
    """Orders the selected workers to harvest the resource under the pixel."""
    target, _, _ = aiming.on_screen(g, rules, call)
    if not harvesters.can_harvest(g, rules, target):
        return _gather_error(g, rules, target)
    queued = call.queued != 0
    is_full = False
    for i in range(g.mobile_end):
        if _offers(g, rules, call, i):
            x, y = g.x[target], g.y[target]
            if orders.give(g, i, orders.GATHER, x, y, queued, target, 0):
                is_full = True
    return protocol_codes.QUEUE_IS_FULL if is_full else protocol_codes.OK


@compiled
def _gather_error(g: Any, rules: Any, target: int) -> int:
    """Returns why a unit, or NO_UNIT, cannot be harvested."""
    target_type = NO_TYPE
    if target != NO_UNIT:
        target_type = int(g.type[target])
    if target != NO_UNIT and target_type == rules.refinery and g.unfinished[target] > 0:
        return protocol_codes.BUILDING_IS_UNDER_CONSTRUCTION
    # On maps without geysers this is the error for the bare ground as well.
    if target_type == rules.geyser:
        return protocol_codes.MUST_BUILD_REFINERY_FIRST
    return protocol_codes.MUST_TARGET_RESOURCES


@compiled
def _return_cargo(g: Any, rules: Any, call: Any) -> int:
    """Orders the selected workers that carry resources to return them."""
    if not _has_town_hall(g, rules):
        return protocol_codes.CANT_FIND_DROP_OFF
    queued = call.queued != 0
    is_full = False
    for i in range(g.mobile_end):
        if _offers(g, rules, call, i) and g.cargo[i] > 0:
            if orders.give(g, i, orders.RETURN, g.x[i], g.y[i], queued, NO_UNIT, 0):
                is_full = True
    return protocol_codes.QUEUE_IS_FULL if is_full else protocol_codes.OK


@compiled
def _has_town_hall(g: Any, rules: Any) -> bool:
    found = False
    for i in range(num_mobile(g), g.unit_end):
        if is_own(g, i) and g.type[i] == rules.town_hall and g.unfinished[i] == 0:
            found = True
    return found


@compiled
def _halt(g: Any, rules: Any, call: Any) -> int:
    """Stops the construction work of the selected workers."""
    for i in range(g.mobile_end):
        if _offers(g, rules, call, i) and g.bound[i]:
            construction.halt(g, i)
    return protocol_codes.OK


@compiled
def _train(g: Any, rules: Any, call: Any) -> int:
    """Adds a unit to the shortest queue of the selected buildings. [A]"""
    building = NO_UNIT
    least = queues.QUEUE_LENGTH + 1
    for i in range(num_mobile(g), g.unit_end):
        if _is_selected_building(g, rules, call, i):
            length = queues.length(g, i)
            if length < least:
                building = i
                least = length
    if building == NO_UNIT:
        return protocol_codes.NOT_SUPPORTED
    return production.order(g, rules, building, int(rules.product[call.function]))


@compiled
def _rally(g: Any, rules: Any, call: Any, target: int, x: float, y: float) -> int:
    """Sets the rally points of the selected buildings to a point, or to a resource to harvest."""
    x = geometry.clamp_x(rules, x)
    y = geometry.clamp_y(rules, y)
    resource = NO_UNIT
    if harvesters.can_harvest(g, rules, target):
        resource = target
    for i in range(num_mobile(g), g.unit_end):
        if _is_selected_building(g, rules, call, i):
            queues.set_rally(g, i, x, y, resource)
    return protocol_codes.OK


@compiled
def _cancel(g: Any, rules: Any) -> int:
    """Cancels the selected buildings that are under construction."""
    for i in range(num_mobile(g), g.unit_end):
        if g.selected[i] and g.unfinished[i] > 0:
            construction.cancel(g, rules, i)
    return protocol_codes.OK


@compiled
def _cancel_last(g: Any, rules: Any) -> int:
    """Cancels the last unit in the queue of every selected building."""
    for i in range(num_mobile(g), g.unit_end):
        length = queues.length(g, i)
        if g.selected[i] and length > 0:
            production.cancel(g, rules, i, length - 1)
    return protocol_codes.OK


@compiled
def _cancel_at(g: Any, rules: Any, place: int) -> int:
    """Cancels the unit at an index of the queue of the selected building."""
    for i in range(num_mobile(g), g.unit_end):
        if g.selected[i]:
            if place < 0 or place >= queues.length(g, i):
                break
            production.cancel(g, rules, i, place)
            return protocol_codes.OK
    return protocol_codes.ERROR


@compiled
def _select_idle_worker(g: Any, rules: Any, act: int) -> int:
    """Selects an idle worker (act 0), adds it (1), selects all idle workers (2) or adds them (3).

    The next idle worker is the one after the last selected one, cyclically. [A]
    """
    if act < 0 or act > 3:
        return protocol_codes.ERROR
    turn = _next_idle_worker(g, rules)
    for i in range(g.unit_end):
        chosen = i == turn
        if act >= 2 and i < num_mobile(g):
            chosen = harvesters.is_idle(g, rules, i)
        g.selected[i] = chosen or (act % 2 == 1 and g.selected[i] != 0)
    return protocol_codes.OK


@compiled
def _next_idle_worker(g: Any, rules: Any) -> int:
    """Returns the idle worker after the last selected one, or the first one, or NO_UNIT."""
    first = NO_UNIT
    turn = NO_UNIT
    for i in range(g.mobile_end):
        if harvesters.is_idle(g, rules, i):
            if first == NO_UNIT:
                first = i
            if g.selected[i]:
                turn = NO_UNIT
            elif turn == NO_UNIT:
                turn = i
    return first if turn == NO_UNIT else turn


@compiled
def _offers(g: Any, rules: Any, call: Any, i: int) -> bool:
    """Returns whether unit i is selected and its type offers the function of the call."""
    return g.selected[i] != 0 and rules.functions[g.type[i], call.function] != 0


@compiled
def _is_selected_building(g: Any, rules: Any, call: Any, i: int) -> bool:
    return _offers(g, rules, call, i) and g.unfinished[i] == 0

"""Shared by CollectMineralsAndGas and BuildMarines: a summary of the base, and calls to run it."""

from typing import Any, NamedTuple

import numpy as np

from sc2impala.sim import functions, orders, picking, pixels, selection
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import footprints, ground, harvesters, queues
from sc2impala.sim.geometry import length
from sc2impala.sim.protocol_codes import OK
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.units import NO_UNIT, is_own, num_mobile

ONE, ALL = 0, 2
"""Values of select_worker; the latter also of select_point_act, for all units of a type."""

INCOME = 0.042
"""Minerals that a worker collects in a frame."""

_USERS = 3
"""Workers of a mineral field or refinery at most."""


class Base(NamedTuple):
    """Summary of a base.

    num_workers, num_idle, num_free: workers, those without orders, and those that can be ordered to
      build.
    num_selected, num_selected_idle, num_selected_free: the selected ones among these.
    num_queued: workers in the queues of town halls.
    minerals: those that are not needed by the workers that are on their way to a building site.
    supply: free supply that units in queues do not wait for.
    """

    num_workers: int
    num_idle: int
    num_free: int
    num_selected: int
    num_selected_idle: int
    num_selected_free: int
    num_queued: int
    minerals: int
    supply: int


@compiled
def look(g: Any, rules: Any) -> Base:
    """Returns a summary of the base."""
    workers, idle, free, selected, selected_idle, selected_free = 0, 0, 0, 0, 0, 0
    minerals = int(g.minerals)
    for i in range(g.mobile_end):
        if not g.alive[i] or g.type[i] != rules.worker:
            continue
        is_idle = g.order_kind[i, 0] == orders.IDLE
        is_free = not g.bound[i]
        workers += 1
        idle += is_idle
        free += is_free
        if g.selected[i]:
            selected += 1
            selected_idle += is_idle
            selected_free += is_free
        if _goes_to_build(g, i):
            minerals -= rules.minerals[g.order_type[i, 0]]
    queued, supply = 0, queues.supply_free(g, rules)
    for i in range(num_mobile(g), g.unit_end):
        if is_own(g, i) and g.unfinished[i] == 0:
            waiting = queues.length(g, i)
            if g.type[i] == rules.town_hall:
                queued += waiting
            supply -= waiting - (g.training_until[i - num_mobile(g)] > 0)
    return Base(
        workers, idle, free, selected, selected_idle, selected_free, queued, minerals, supply
    )


@compiled
def number(g: Any, rules: Any, type_index: int) -> int:
    """Returns the number of buildings of a type, with unfinished and ordered ones."""
    count = 0
    for i in range(num_mobile(g), g.unit_end):
        count += is_own(g, i) and g.type[i] == type_index
    for i in range(g.mobile_end):
        count += _goes_to_build(g, i) and g.order_type[i, 0] == type_index
    return count


@compiled
def num_complete(g: Any, type_index: int) -> int:
    """Returns the number of complete buildings of a type."""
    count = 0
    for i in range(num_mobile(g), g.unit_end):
        count += is_own(g, i) and g.type[i] == type_index and g.unfinished[i] == 0
    return count


@compiled
def num_open(g: Any, type_index: int, frames: int) -> int:
    """Returns the number of buildings of a type whose queue is empty within this many frames."""
    count = 0
    for i in range(num_mobile(g), g.unit_end):
        if is_own(g, i) and g.type[i] == type_index and g.unfinished[i] == 0:
            waiting = queues.length(g, i)
            left = g.training_until[i - num_mobile(g)] - g.game_loop
            count += waiting == 0 or (waiting == 1 and left < frames)
    return count


@compiled
def can_stand(g: Any, rules: Any, type_index: int, x: float, y: float) -> bool:
    """Returns whether a building can be ordered at a point, and is not ordered there yet."""
    for i in range(g.mobile_end):
        if _goes_to_build(g, i) and g.order_x[i, 0] == x and g.order_y[i, 0] == y:
            return False
    return ground.can_build(g, rules, type_index, x, y) == OK


@compiled
def choose_site(g: Any, rules: Any, type_index: int, sites: Any, call: Any) -> bool:
    """Points the call at the first site where a building of a type can stand.

    Args:
      g, rules: the game.
      type_index: of the building.
      sites: float [n, 2], points (x, y) of the world.
      call: its pixel is set.

    Returns:
      whether there is one.
    """
    for site in range(len(sites)):
        plans_lib.aim(g, rules, call, sites[site, 0], sites[site, 1])
        # The building will stand where the pixel says.
        x, y = footprints.snap(
            rules,
            type_index,
            pixels.screen_x(g, rules, call.screen_x),
            pixels.screen_y(g, rules, call.screen_y),
        )
        if can_stand(g, rules, type_index, x, y):
            return True
    return False


@compiled
def point_at(g: Any, rules: Any, i: int, call: Any) -> bool:
    """Points the call at a pixel that shows unit i above all others; returns if there is one."""
    left, top = pixels.disc_left(g, rules, i), pixels.disc_top(g, rules, i)
    for row in range(max(top, 0), min(top + rules.disc_height[g.type[i]], rules.screen_height)):
        for column in range(
            max(left, 0), min(left + rules.disc_width[g.type[i]], rules.screen_width)
        ):
            if picking.on_screen(g, rules, column, row) == i:
                call.screen_x = column
                call.screen_y = row
                return True
    return False


@compiled
def select_type(g: Any, rules: Any, type_index: int, call: Any) -> bool:
    """Selects all complete and unfinished own units of a type; returns if one can be clicked on."""
    for i in range(g.unit_end):
        if not is_own(g, i) or g.type[i] != type_index:
            continue
        if i < num_mobile(g) and g.inside[i]:
            continue
        plans_lib.aim(g, rules, call, g.x[i], g.y[i])
        if _is_on_top(g, rules, type_index, call):
            call.function = functions.SELECT_POINT
            call.select_point_act = ALL
            return True
    functions.clear(call)
    return False


@compiled
def build(g: Any, rules: Any, base: Base, type_index: int, function: int, call: Any) -> bool:
    """Selects all workers, or orders one to build if that has been done; see `choose_site`.

    The game chooses the nearest one. The call must point at the site.

    Returns:
      whether it has decided; not if workers are selected and the building is not affordable.
    """
    if 2 * base.num_selected_free < base.num_free:
        return select_type(g, rules, rules.worker, call)
    if base.minerals < rules.minerals[type_index]:
        functions.clear(call)
        return False
    call.function = function
    return True


@compiled
def train(g: Any, rules: Any, producer: int, function: int, call: Any) -> bool:
    """Selects all buildings of a type, or trains a unit if that has been done."""
    selected = 0
    for i in range(num_mobile(g), g.unit_end):
        selected += g.selected[i] != 0 and g.type[i] == producer and g.unfinished[i] == 0
    if selected < num_complete(g, producer):
        return select_type(g, rules, producer, call)
    call.function = function
    return True


@compiled
def count_users(g: Any, users: Any) -> None:
    """Sets the number of workers of each resource: int64 [U]."""
    users[:] = 0
    for i in range(g.mobile_end):
        works = orders.GATHER <= g.order_kind[i, 0] <= orders.RETURN
        if g.alive[i] and works and g.field[i] != NO_UNIT:
            users[g.field[i]] += 1


@compiled
def is_near(g: Any, rules: Any, field: int) -> bool:
    """Returns whether a resource is next to a complete town hall."""
    for i in range(num_mobile(g), g.unit_end):
        if is_own(g, i) and g.type[i] == rules.town_hall and g.unfinished[i] == 0:
            if abs(g.x[i] - g.x[field]) < 10:
                return True
    return False


@compiled
def propose(g: Any, rules: Any, available: Any, plans: plans_lib.Plans) -> None:
    """Adds candidates: to wait, to select, to train, and to send idle workers to any resource."""
    plans_lib.add(plans, functions.NO_OP)
    base = look(g, rules)
    if base.num_idle > 0:
        plans_lib.add(plans, functions.SELECT_IDLE_WORKER)
    if base.num_idle > 1:
        call = plans_lib.add(plans, functions.SELECT_IDLE_WORKER)
        call.select_worker = ALL
    for function in (functions.TRAIN_SCV_QUICK, functions.TRAIN_MARINE_QUICK):
        product = rules.product[function]
        if product >= 0 and base.minerals >= rules.minerals[product] and base.supply > 0:
            plans_lib.add(plans, function)
    only_idle = base.num_selected > 0 and base.num_selected == base.num_selected_idle
    if only_idle or base.num_selected == 1:
        _gather(g, rules, plans)


@compiled
def _gather(g: Any, rules: Any, plans: plans_lib.Plans) -> None:
    """Adds the resources that have few users."""
    users = np.zeros(len(g.alive), np.int64)
    count_users(g, users)
    for field in range(num_mobile(g), g.unit_end):
        if users[field] < _USERS and harvesters.can_harvest(g, rules, field):
            call = plans_lib.add(plans, functions.HARVEST_GATHER_SCREEN)
            if not point_at(g, rules, field, call):
                plans_lib.drop(plans)


@compiled
def propose_move(g: Any, rules: Any, field: int, plans: plans_lib.Plans) -> None:
    """Adds a plan that selects the nearest worker without cargo and sends it to a resource."""
    nearest, least = NO_UNIT, np.inf
    for i in range(g.mobile_end):
        gathers = g.alive[i] != 0 and g.order_kind[i, 0] == orders.GATHER and g.cargo[i] == 0
        if gathers and g.phase[i] != harvesters.WORKING and g.field[i] != field:
            distance = length(g.x[i] - g.x[field], g.y[i] - g.y[field])
            if distance < least:
                nearest, least = i, distance
    if nearest == NO_UNIT:
        return
    call = plans_lib.add(plans, functions.SELECT_POINT)
    plans_lib.aim(g, rules, call, g.x[nearest], g.y[nearest])
    call = plans_lib.then(plans, functions.HARVEST_GATHER_SCREEN)
    if not point_at(g, rules, field, call):
        plans_lib.drop(plans)


@compiled
def propose_building(
    g: Any,
    rules: Any,
    base: Base,
    function: int,
    column: int,
    row: int,
    plans: plans_lib.Plans,
) -> None:
    """Adds the building of a function at a pixel of the screen; selects all workers before."""
    product = rules.product[function]
    if base.minerals < rules.minerals[product]:
        return
    if 2 * base.num_selected_free >= base.num_free:
        call = plans_lib.add(plans, function)
    else:
        if not select_type(g, rules, rules.worker, plans_lib.add(plans, functions.NO_OP)):
            plans_lib.drop(plans)
            return
        call = plans_lib.then(plans, function)
    call.screen_x, call.screen_y = column, row


@compiled
def _goes_to_build(g: Any, i: int) -> bool:
    return g.alive[i] != 0 and g.order_kind[i, 0] == orders.BUILD and not g.bound[i]


@compiled
def _is_on_top(g: Any, rules: Any, type_index: int, call: Any) -> bool:
    top = selection.topmost_own(g, rules, call.screen_x, call.screen_y)
    return top != NO_UNIT and g.type[top] == type_index

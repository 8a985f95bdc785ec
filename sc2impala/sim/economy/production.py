"""Production: buildings train the units in their queues and send them to their rally points."""

from typing import Any

from sc2impala.sim import alerts, orders, results, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import exits, harvesters, ledger, lifecycle, queues, slots, supply
from sc2impala.sim.units import NO_TYPE, NO_UNIT, num_mobile


@compiled
def step(g: Any, rules: Any) -> None:
    """Creates complete units and starts the next ones of the queues."""
    first = num_mobile(g)
    for building in range(first, g.unit_end):
        if g.training_until[building - first] == g.game_loop:
            _complete(g, rules, building)
    for building in range(first, g.unit_end):
        if _waits(g, building):
            _begin(g, rules)
            break


@compiled
def order_error(g: Any, rules: Any, type_index: int) -> int:
    """Checks cost and supply of a unit: a code of `results`."""
    if g.minerals < rules.minerals[type_index]:
        return results.NOT_ENOUGH_MINERALS
    if g.vespene < rules.vespene[type_index]:
        return results.NOT_ENOUGH_VESPENE
    if supply.free(g, rules) < rules.food[type_index]:
        return results.NOT_ENOUGH_FOOD
    return results.OK


@compiled
def order(g: Any, rules: Any, building: int, type_index: int) -> int:
    """Adds a unit to the queue of a building and pays for it.

    Returns:
      a code of `results`.
    """
    place = queues.length(g, building)
    if place == queues.QUEUE_LENGTH:
        return results.QUEUE_IS_FULL
    code = order_error(g, rules, type_index)
    if code == results.OK:
        ledger.pay(g, rules.minerals[type_index], rules.vespene[type_index])
        g.queue[building - num_mobile(g), place] = type_index
    return code


@compiled
def cancel(g: Any, rules: Any, building: int, place: int) -> None:
    """Cancels a unit in the queue of a building and refunds its cost."""
    type_index = g.queue[building - num_mobile(g), place]
    ledger.pay(g, -rules.minerals[type_index], -rules.vespene[type_index])
    queues.shift(g, building, place)


@compiled
def _waits(g: Any, building: int) -> bool:
    """Returns whether the first unit of a queue waits for supply."""
    fixed = building - num_mobile(g)
    return g.queue[fixed, 0] != NO_TYPE and g.training_until[fixed] == 0


@compiled
def _begin(g: Any, rules: Any) -> None:
    """Starts the first units of queues while there is supply; lower slots have priority."""
    left = supply.free(g, rules)
    for building in range(num_mobile(g), g.unit_end):
        if _waits(g, building):
            fixed = building - num_mobile(g)
            type_index = g.queue[fixed, 0]
            left -= rules.food[type_index]
            if left >= 0:
                g.training_until[fixed] = g.game_loop + rules.build_loops[type_index]
                g.active[building] = True


@compiled
def _complete(g: Any, rules: Any, building: int) -> None:
    """Creates the first unit of a queue next to its building."""
    slot = slots.first_free(g, 0, num_mobile(g))
    if slot == NO_UNIT:
        return  # The supply limit leaves a slot.
    fixed = building - num_mobile(g)
    type_index = int(g.queue[fixed, 0])
    x, y = exits.exit_of(
        g, rules, building, g.has_rally[fixed] != 0, g.rally_x[fixed], g.rally_y[fixed]
    )
    lifecycle.create(g, rules, slot, type_index, unit_types.SELF, x, y)
    is_worker = rules.is_worker[type_index]
    g.alerts[alerts.TRAIN_WORKER_COMPLETE if is_worker else alerts.TRAIN_UNIT_COMPLETE] = True
    g.trained[type_index] += 1
    queues.shift(g, building, 0)
    if g.has_rally[fixed]:
        _send(g, rules, slot, fixed)


@compiled
def _send(g: Any, rules: Any, i: int, fixed: int) -> None:
    """Orders a new unit to the rally point of its building."""
    target = int(g.rally_target[fixed])
    order_kind = orders.GATHER
    if not rules.is_worker[g.type[i]] or not harvesters.can_harvest(g, rules, target):
        order_kind = orders.MOVE
        target = NO_UNIT
    x = g.rally_x[fixed]
    y = g.rally_y[fixed]
    orders.give(g, i, order_kind, x, y, False, target, 0)

"""Production: buildings train the units in their queues and send them to their rally points."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import orders, protocol_codes, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import footprints, ground, harvesters, ledger, lifecycle, queues
from sc2impala.sim.units import NO_TYPE, NO_UNIT, num_mobile


@compiled
def exit_of(
    g: Any, rules: Any, building: int, has_toward: bool, toward_x: float, toward_y: float
) -> Tuple[float, float]:
    """Returns a free point next to a building.

    Args:
      g, rules: the game.
      building: slot of the building.
      has_toward: whether a direction is preferred; otherwise it is the bottom left corner. [U]
      toward_x, toward_y: a point in that direction.

    Returns:
      x, y: the centre of a cell next to the building that is free of buildings, and of units if
      possible; without one, the centre of the nearest free cell of the map.
    """
    left, right, bottom, top = footprints.cells(
        rules, g.type[building], g.x[building], g.y[building], 1
    )
    to_x = toward_x if has_toward else float(left)
    to_y = toward_y if has_toward else float(bottom)
    best_x = 0.0
    best_y = 0.0
    best_distance = np.inf
    best_is_crowded = True
    # The cells inside of the ring are covered by the building itself.
    for row in range(bottom, top):
        for column in range(left, right):
            if g.taken[row, column] or not rules.playable_cell[row, column]:
                continue
            x = column + 0.5
            y = row + 0.5
            distance = (x - to_x) * (x - to_x) + (y - to_y) * (y - to_y)
            crowded = ground.is_crowded(g, x, y)
            if crowded == best_is_crowded and distance >= best_distance:
                continue
            if crowded and not best_is_crowded:
                continue
            best_x = x
            best_y = y
            best_distance = distance
            best_is_crowded = crowded
    if best_distance == np.inf:
        return ground.nearest_free_cell(g, rules, to_x, to_y)
    return best_x, best_y


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
    """Checks cost and supply of a unit: a code of `protocol_codes`."""
    if g.minerals < rules.minerals[type_index]:
        return protocol_codes.NOT_ENOUGH_MINERALS
    if g.vespene < rules.vespene[type_index]:
        return protocol_codes.NOT_ENOUGH_VESPENE
    if queues.supply_free(g, rules) < rules.food[type_index]:
        return protocol_codes.NOT_ENOUGH_FOOD
    return protocol_codes.OK


@compiled
def order(g: Any, rules: Any, building: int, type_index: int) -> int:
    """Adds a unit to the queue of a building and pays for it.

    Returns:
      a code of `protocol_codes`.
    """
    place = queues.length(g, building)
    if place == queues.QUEUE_LENGTH:
        return protocol_codes.QUEUE_IS_FULL
    code = order_error(g, rules, type_index)
    if code == protocol_codes.OK:
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
    left = queues.supply_free(g, rules)
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
    slot = lifecycle.first_free(g, 0, num_mobile(g))
    if slot == NO_UNIT:
        return  # The supply limit leaves a slot.
    fixed = building - num_mobile(g)
    type_index = int(g.queue[fixed, 0])
    x, y = exit_of(g, rules, building, g.has_rally[fixed] != 0, g.rally_x[fixed], g.rally_y[fixed])
    lifecycle.create(g, rules, slot, type_index, unit_types.SELF, x, y)
    is_worker = rules.is_worker[type_index]
    g.alerts[
        protocol_codes.TRAIN_WORKER_COMPLETE if is_worker else protocol_codes.TRAIN_UNIT_COMPLETE
    ] = True
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

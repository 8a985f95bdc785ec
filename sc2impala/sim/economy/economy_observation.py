"""Observations of games with an economy: vectors, feature units, layers, available functions."""

from typing import Any

import numpy as np

from sc2impala.sim import drawing, feature_units, functions, observation, protocol_codes, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import (
    construction,
    fields,
    harvesters,
    production,
    queues,
    unit_roles,
)
from sc2impala.sim.feature_units import (
    COLUMNS,
    ORDER_COLUMNS,
    ORDERS_SHOWN,
)
from sc2impala.sim.limits import MAX_QUEUE
from sc2impala.sim.observation import UNIT_COLUMNS
from sc2impala.sim.units import NO_TYPE, NO_UNIT, is_own, num_mobile

_MINERAL_CONTENTS = COLUMNS.index('mineral_contents')
_VESPENE_CONTENTS = COLUMNS.index('vespene_contents')
_CARGO_SPACE_MAX = COLUMNS.index('cargo_space_max')
_ASSIGNED_HARVESTERS = COLUMNS.index('assigned_harvesters')
_IDEAL_HARVESTERS = COLUMNS.index('ideal_harvesters')
_ORDER_LENGTH = COLUMNS.index('order_length')
_ORDER_PROGRESS = COLUMNS.index('order_progress_0')


CARGO_SPACE = 5  # Of a command centre. [S] OBS


@compiled
def fill_feature_units(g: Any, rules: Any, rows: Any) -> None:
    """Writes the units on the screen; see `feature_units.fill_feature_units`."""
    num_listed = feature_units.list_units(g, rules, True)
    for row in range(min(num_listed, len(rows))):
        describe(g, rules, g._listed[row], rows[row])
        feature_units.place(g, rules, g._listed[row], rows[row])
    feature_units.clear(rows, num_listed)


@compiled
def describe(g: Any, rules: Any, i: int, row: Any) -> None:
    """Writes all columns of unit i but its position, [46] of any dtype."""
    feature_units.describe(g, rules, i, row)
    if i >= num_mobile(g):
        _describe_harvest(g, rules, i, row)
        _describe_queue(g, rules, i, row)


@compiled
def _describe_harvest(g: Any, rules: Any, i: int, row: Any) -> None:
    """Writes contents and harvesters of a resource or building."""
    contents = harvesters.contents(g, i)
    if g.type[i] == rules.mineral_field:
        row[_MINERAL_CONTENTS] = contents
    else:
        row[_VESPENE_CONTENTS] = contents
    if g.type[i] == rules.town_hall:
        row[_CARGO_SPACE_MAX] = CARGO_SPACE
    row[_ASSIGNED_HARVESTERS] = fields.num_assigned(g, rules, i)
    row[_IDEAL_HARVESTERS] = fields.num_ideal(g, rules, i)


@compiled
def _describe_queue(g: Any, rules: Any, i: int, row: Any) -> None:
    """Writes the units in training of a building."""
    for place in range(ORDERS_SHOWN):
        type_index = g.queue[i - num_mobile(g), place]
        if type_index != NO_TYPE:
            function = feature_units.product_function(rules, type_index)
            row[ORDER_COLUMNS[place]] = function
    row[_ORDER_LENGTH] = queues.length(g, i)
    row[_ORDER_PROGRESS] = 100 * queues.progress(g, rules, i)


@compiled
def draw(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Updates all layers; see `drawing.draw`."""
    if drawing.has_changed(g):
        pathable = _free(rules.pathable_cell, g.taken)
        buildable = _free(rules.buildable_cell, g.taken)
        drawing.draw_terrain(g, rules, k, buffers, pathable, buildable)
    drawing.draw_units(g, rules, k, buffers)


@compiled
def _free(cells: Any, taken: Any) -> Any:
    """Returns the cells that are not taken: uint8 [64, 64]."""
    free = np.zeros(cells.shape, np.uint8)
    for y in range(cells.shape[0]):
        for x in range(cells.shape[1]):
            free[y, x] = cells[y, x] and not taken[y, x]
    return free


_PRODUCING = tuple(unit_roles.BUILT_BY) + tuple(unit_roles.TRAINED_BY)
"""Functions that build or train something."""

_MARINE = unit_types.MARINE.unit_type
_SCV = unit_types.SCV.unit_type
_TRAIN_MARINE = 560
_TRAIN_SCV = 524
"""Ids of the abilities that train units. [S] ACT"""


@compiled
def fill(g: Any, rules: Any, o: Any) -> None:
    """Writes the observation of a game; see `observation.fill`."""
    observation.fill(g, rules, o)
    _fill_supply(g, rules, o)
    _fill_score(g, rules, o)
    _fill_queue(g, rules, o)


@compiled
def _fill_supply(g: Any, rules: Any, o: Any) -> None:
    """Writes supply and idle workers of `player`; units in training count. [S] OBS"""
    food = 0
    food_of_army = 0
    food_of_workers = 0
    idle = 0
    first = num_mobile(g)
    for i in range(g.mobile_end):
        if is_own(g, i):
            food += rules.food[g.type[i]]
            food_of_army += rules.food[g.type[i]] * rules.is_army[g.type[i]]
            food_of_workers += rules.food[g.type[i]] * rules.is_worker[g.type[i]]
            if harvesters.is_idle(g, rules, i):
                idle += 1
    for i in range(first, g.unit_end):
        type_index = g.queue[i - first, 0]
        if type_index != NO_TYPE and g.training_until[i - first] > 0:
            food += rules.food[type_index]
            food_of_army += rules.food[type_index] * rules.is_army[type_index]
            food_of_workers += rules.food[type_index] * rules.is_worker[type_index]
    o.player[3] = food
    o.player[4] = queues.supply_capacity(g, rules)
    o.player[5] = food_of_army
    o.player[6] = food_of_workers
    o.player[7] = idle


@compiled
def _fill_score(g: Any, rules: Any, o: Any) -> None:
    """Writes accounts and values of complete units of `score_cumulative`."""
    of_units = 0
    of_buildings = 0
    first = num_mobile(g)
    for i in range(g.unit_end):
        if is_own(g, i) and g.unfinished[i] == 0:
            value = rules.minerals[g.type[i]] + rules.vespene[g.type[i]]
            if i < first:
                of_units += value
            else:
                of_buildings += value
    o.score_cumulative[1] = g.idle_production_time // unit_types.LOOPS_PER_SECOND
    o.score_cumulative[2] = g.idle_worker_time // unit_types.LOOPS_PER_SECOND
    o.score_cumulative[3] = of_units
    o.score_cumulative[4] = of_buildings
    o.score_cumulative[7] = g.collected_minerals
    o.score_cumulative[8] = g.collected_vespene
    o.score_cumulative[9] = g.rate_minerals
    o.score_cumulative[10] = g.rate_vespene
    o.score_cumulative[11] = g.spent_minerals
    o.score_cumulative[12] = g.spent_vespene


@compiled
def _fill_queue(g: Any, rules: Any, o: Any) -> None:
    """Writes the queue of a building that is the only selected unit."""
    for row in range(MAX_QUEUE):
        for column in range(UNIT_COLUMNS):
            o.build_queue[row, column] = 0
        o.production_queue[row, 0] = 0
        o.production_queue[row, 1] = 0
    o.build_queue_count = 0
    i = _only_selected(g)
    if i < num_mobile(g):
        return
    percent = int(100 * queues.progress(g, rules, i))
    for row in range(MAX_QUEUE):
        type_index = g.queue[i - num_mobile(g), row]
        if type_index != NO_TYPE:
            unit_type = rules.unit_type[type_index]
            progress = percent if row == 0 else 0
            o.build_queue[row, 0] = unit_type
            o.build_queue[row, 1] = 1
            o.build_queue[row, 2] = rules.health[type_index]
            o.build_queue[row, 6] = progress
            o.production_queue[row, 0] = _training_ability(unit_type)
            o.production_queue[row, 1] = progress
            o.build_queue_count += 1


@compiled
def _training_ability(unit_type: int) -> int:
    if unit_type == _MARINE:
        return _TRAIN_MARINE
    return _TRAIN_SCV if unit_type == _SCV else 0


@compiled
def _only_selected(g: Any) -> int:
    """Returns the slot of the only selected unit, or NO_UNIT."""
    if observation.num_selected(g) != 1:
        return NO_UNIT
    for i in range(g.unit_end):
        if g.selected[i]:
            return i
    return NO_UNIT


@compiled
def list_actions(g: Any, rules: Any, available: Any) -> None:
    """Writes which functions can be called: uint8 [573]. [S] ACT"""
    observation.list_actions(g, rules, available)
    _restrict_products(g, rules, available)
    _restrict_workers(g, rules, available)
    _offer_cancelling(g, available)


@compiled
def _restrict_products(g: Any, rules: Any, available: Any) -> None:
    """Restricts building and training to what is affordable and unlocked."""
    for function in _PRODUCING:
        if available[function] and rules.product[function] != NO_TYPE:
            type_index = rules.product[function]
            if rules.is_structure[type_index]:
                code = construction.order_error(g, rules, type_index)
            else:
                code = production.order_error(g, rules, type_index)
            if code != protocol_codes.OK:
                available[function] = False


@compiled
def _restrict_workers(g: Any, rules: Any, available: Any) -> None:
    """Restricts returning cargo to units with cargo, and halting to units that build."""
    carries = False
    builds = False
    has_idle_worker = False
    for i in range(g.mobile_end):
        if g.selected[i]:
            carries = carries or g.cargo[i] > 0
            builds = builds or g.bound[i] != 0
        has_idle_worker = has_idle_worker or harvesters.is_idle(g, rules, i)
    if not carries:
        available[functions.HARVEST_RETURN_QUICK] = False
    if not builds:
        available[functions.HALT_QUICK] = False
    available[functions.SELECT_IDLE_WORKER] = has_idle_worker


@compiled
def _offer_cancelling(g: Any, available: Any) -> None:
    """Offers to cancel unfinished buildings and units in training."""
    first = num_mobile(g)
    produces = False
    for i in range(first, g.unit_end):
        if g.selected[i]:
            produces = produces or g.queue[i - first, 0] != NO_TYPE
    for i in range(g.unit_end):
        if g.selected[i] and g.unfinished[i] > 0:
            available[functions.CANCEL_QUICK] = True
    if produces:
        available[functions.CANCEL_LAST_QUICK] = True
    available[functions.BUILD_QUEUE] = produces and observation.num_selected(g) == 1

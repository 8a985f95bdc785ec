"""The units on the screen of a game with an economy, as rows of `feature_units`."""

from typing import Any

from sc2impala.sim import feature_units
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import fields, harvesters, queues
from sc2impala.sim.feature_units import (
    COLUMNS,
    ORDER_COLUMNS,
    ORDERS_SHOWN,
)
from sc2impala.sim.units import NO_TYPE, num_mobile

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

"""PySC2's optional observation `feature_units`: the units on the screen as rows of numbers.

Columns of features that do not exist on these maps, such as shields, cargo and cloaks, have PySC2's
neutral value.
"""

from typing import Any

import numpy as np

from sc2impala.sim import observation, orders, pixels, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import rank
from sc2impala.sim.drawing.unit_layers import health_ratio, player_relative
from sc2impala.sim.units import MAX_ORDERS, facing, num_mobile
from sc2impala.sim.visibility import shown

COLUMNS = (
    'unit_type',
    'alliance',
    'health',
    'shield',
    'energy',
    'cargo_space_taken',
    'build_progress',
    'health_ratio',
    'shield_ratio',
    'energy_ratio',
    'display_type',
    'owner',
    'x',
    'y',
    'facing',
    'radius',
    'cloak',
    'is_selected',
    'is_blip',
    'is_powered',
    'mineral_contents',
    'vespene_contents',
    'cargo_space_max',
    'assigned_harvesters',
    'ideal_harvesters',
    'weapon_cooldown',
    'order_length',
    'order_id_0',
    'order_id_1',
    'tag',
    'hallucination',
    'buff_id_0',
    'buff_id_1',
    'addon_unit_type',
    'active',
    'is_on_screen',
    'order_progress_0',
    'order_progress_1',
    'order_id_2',
    'order_id_3',
    'is_in_cargo',
    'buff_duration_remain',
    'buff_duration_max',
    'attack_upgrade_level',
    'armor_upgrade_level',
    'shield_upgrade_level',
)
"""Names and order of the columns. [S] F"""

_UNIT_TYPE = COLUMNS.index('unit_type')
_ALLIANCE = COLUMNS.index('alliance')
_HEALTH = COLUMNS.index('health')
_BUILD_PROGRESS = COLUMNS.index('build_progress')
_HEALTH_RATIO = COLUMNS.index('health_ratio')
_DISPLAY_TYPE = COLUMNS.index('display_type')
_OWNER = COLUMNS.index('owner')
_X = COLUMNS.index('x')
_Y = COLUMNS.index('y')
_FACING = COLUMNS.index('facing')
_RADIUS = COLUMNS.index('radius')
_CLOAK = COLUMNS.index('cloak')
_IS_SELECTED = COLUMNS.index('is_selected')
_WEAPON_COOLDOWN = COLUMNS.index('weapon_cooldown')
_ORDER_LENGTH = COLUMNS.index('order_length')
_ACTIVE = COLUMNS.index('active')
_IS_ON_SCREEN = COLUMNS.index('is_on_screen')

ORDERS_SHOWN = 4
ORDER_COLUMNS = np.array([COLUMNS.index(f'order_id_{i}') for i in range(ORDERS_SHOWN)])
"""Columns of the ids of the first orders."""

_VISIBLE = 1
_NOT_CLOAKED = 3
_FINISHED = 100  # Per cent.

_RAW_FUNCTION_OF_ORDER = np.zeros([orders.NUM_KINDS], np.int32)
"""Order kind -> PySC2's id of the raw function of its ability. [S] ACT"""
for _order_kind, _function in {
    orders.HOLD: 543,
    orders.MOVE: 547,
    orders.ATTACK: 4,
    orders.PATROL: 551,
    orders.GATHER: 359,
    orders.RETURN: 362,
}.items():
    _RAW_FUNCTION_OF_ORDER[_order_kind] = _function

_RAW_FUNCTIONS_OF_PRODUCTS = np.array(
    [
        (unit_types.BARRACKS.unit_type, 185),
        (unit_types.COMMAND_CENTER.unit_type, 187),
        (unit_types.REFINERY.unit_type, 214),
        (unit_types.SUPPLY_DEPOT.unit_type, 222),
        (unit_types.MARINE.unit_type, 511),
        (unit_types.SCV.unit_type, 520),
    ]
)
"""Id of a unit type, and PySC2's id of the raw function that builds or trains it. [S] ACT"""


@compiled
def fill_feature_units(g: Any, rules: Any, rows: Any) -> None:
    """Writes the units that player 1 sees with their centre on the screen, one per row.

    For maps without an economy.

    Args:
      g: the game.
      rules: the record of its map.
      rows: int32 [n, 46] with COLUMNS for the first n units, zero or written here before.
        Unused rows are zero. Positions are pixels of the screen; orders and cooldowns are those of
        player 1's units only.
    """
    num_listed = list_units(g, rules, True)
    for row in range(min(num_listed, len(rows))):
        describe(g, rules, g._listed[row], rows[row])
        place(g, rules, g._listed[row], rows[row])
    clear(rows, num_listed)


@compiled
def list_units(g: Any, rules: Any, on_screen: bool) -> int:
    """Lists the units that player 1 sees in `_listed`, and returns their number.

    Every observation has another random order, as in the game: the fields of 61 successive
    observations are in 61 unrelated orders (saschaschramm/sc2-evals, CollectMineralsAndGas). [S]
    Own units, enemies and resources are mixed. [S] OBS The order depends on the frame alone, so
    that observing a game does not change it.

    Args:
      g: the game.
      rules: the record of its map.
      on_screen: whether only units with their centre on the screen are listed.
    """
    num_listed = 0
    for i in range(g.unit_end):
        if shown(g, rules, i) and (not on_screen or is_on_screen(g, rules, i)):
            row = num_listed
            while row > 0 and _rank(g, g._listed[row - 1]) > _rank(g, i):
                g._listed[row] = g._listed[row - 1]
                row -= 1
            g._listed[row] = i
            num_listed += 1
    return num_listed


@compiled
def _rank(g: Any, i: int) -> Any:
    """Returns a random number of unit i in this frame, uint64."""
    return rank(g, g.game_loop * len(g.alive) + i)


@compiled
def is_on_screen(g: Any, rules: Any, i: int) -> bool:
    """Returns whether the centre of unit i is on the screen."""
    column = int(np.floor(pixels.screen_column(g, rules, g.x[i])))
    row = int(np.floor(pixels.screen_row(g, rules, g.y[i])))
    return 0 <= column < rules.screen_width and 0 <= row < rules.screen_height


@compiled
def describe(g: Any, rules: Any, i: int, row: Any) -> None:
    """Writes all columns of unit i but its position, [46] of any dtype."""
    for column in range(len(row)):
        row[column] = 0
    type_index = g.type[i]
    row[_UNIT_TYPE] = rules.unit_type[type_index]
    row[_ALLIANCE] = player_relative(g.owner[i])
    row[_HEALTH] = g.health[i]
    row[_BUILD_PROGRESS] = _FINISHED
    if g.unfinished[i] > 0:
        row[_BUILD_PROGRESS] = observation.build_percent(g, rules, i)
    row[_HEALTH_RATIO] = health_ratio(g, rules, i)
    row[_DISPLAY_TYPE] = _VISIBLE
    row[_OWNER] = g.owner[i]
    row[_RADIUS] = rules.radius[type_index] * rules.screen_across
    row[_CLOAK] = _NOT_CLOAKED
    row[_IS_SELECTED] = g.selected[i]
    row[_IS_ON_SCREEN] = 1
    row[_ACTIVE] = g.active[i]
    if i < num_mobile(g):
        row[_FACING] = facing(g, rules, i)
    if i < num_mobile(g) and g.owner[i] == unit_types.SELF:
        row[_WEAPON_COOLDOWN] = max(g.ready_at[i] - g.game_loop, 0)
        _describe_orders(g, rules, i, row)


@compiled
def place(g: Any, rules: Any, i: int, row: Any) -> None:
    """Writes the position of unit i in pixels of the screen."""
    row[_X] = int(np.floor(pixels.screen_column(g, rules, g.x[i])))
    row[_Y] = int(np.floor(pixels.screen_row(g, rules, g.y[i])))


@compiled
def clear(rows: Any, first: int) -> None:
    """Clears the rows in use from `first` on."""
    for row in range(first, len(rows)):
        if rows[row, _UNIT_TYPE] == 0:
            break
        for column in range(len(rows[row])):
            rows[row, column] = 0


@compiled
def product_function(rules: Any, type_index: int) -> int:
    """Returns the id of the raw function that makes a unit type of the map, or 0."""
    for index in range(len(_RAW_FUNCTIONS_OF_PRODUCTS)):
        if _RAW_FUNCTIONS_OF_PRODUCTS[index, 0] == rules.unit_type[type_index]:
            return _RAW_FUNCTIONS_OF_PRODUCTS[index, 1]
    return 0


@compiled
def _describe_orders(g: Any, rules: Any, i: int, row: Any) -> None:
    """Writes number and ids of the orders of a unit that can move."""
    length = 0
    for waiting in range(MAX_ORDERS):
        order_kind = g.order_kind[i, waiting]
        if order_kind != orders.IDLE:
            length += 1
        if waiting < ORDERS_SHOWN:
            function = int(_RAW_FUNCTION_OF_ORDER[order_kind])
            if order_kind == orders.BUILD:
                function = product_function(rules, g.order_type[i, waiting])
            row[ORDER_COLUMNS[waiting]] = function
    row[_ORDER_LENGTH] = length

"""PySC2's optional observation `feature_units`: the units on the screen as rows of numbers.

Columns of features that do not exist on these maps, such as shields, cargo and cloaks, have PySC2's
neutral value.
"""

from typing import Any, Dict, Tuple, Union

import numpy as np

from sc2impala.sim import appearance, geometry, observation, orders, unit_types
from sc2impala.sim.units import Units
from sc2impala.sim.world import World

MAX_FEATURE_UNITS = 256
"""Rows of `feature_units`: more units than the supply limit and the room for buildings allow."""

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

_COLUMN = {name: index for index, name in enumerate(COLUMNS)}
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

_RAW_FUNCTION_OF_PRODUCT = {
    unit_types.BARRACKS: 185,
    unit_types.COMMAND_CENTER: 187,
    unit_types.REFINERY: 214,
    unit_types.SUPPLY_DEPOT: 222,
    unit_types.MARINE: 511,
    unit_types.SCV: 520,
}
"""Unit type -> PySC2's id of the raw function that builds or trains it. [S] ACT"""

_ORDERS_SHOWN = 4


def feature_units(world: World) -> np.ndarray:
    """Returns the units that player 1 sees with their centre on the screen, one per row.

    Args:
      world: not changed.

    Returns:
      int32 [K, MAX_FEATURE_UNITS, 46] with COLUMNS; unused rows are zero. Positions are pixels of
      the screen; orders and cooldowns are those of player 1's units only.
    """
    corner = geometry.screen_corner(world.camera)[:, :, None]
    pixels = np.floor(world.screen.to_pixels(world.units.position, corner)).astype(np.int64)
    size = np.reshape(world.screen.size, [2, 1, 1])
    listed = appearance.shown(world) & ((pixels >= 0) & (pixels < size)).all(0)
    row = listed.cumsum(1) - 1
    listed &= row < MAX_FEATURE_UNITS
    games, slots = np.nonzero(listed)
    at = games, slots

    values = np.zeros([len(at[0]), len(COLUMNS)], np.int32)
    for name, column in columns_of(world, at).items():
        values[:, _COLUMN[name]] = column
    values[:, _COLUMN['x']], values[:, _COLUMN['y']] = pixels[(slice(None),) + at]
    result = np.zeros([world.num_games, MAX_FEATURE_UNITS, len(COLUMNS)], np.int32)
    result[at[0], row[at]] = values
    return result


def columns_of(world: World, at: Tuple[np.ndarray, np.ndarray]) -> Dict[str, Any]:
    """Returns the columns of units: scalars, or arrays [n], by name; the caller truncates to int.

    Args:
      world: not changed.
      at: games and slots, int [n] each.
    """
    units = world.units
    unit_type, owner, health = units.type[at], units.owner[at], units.health[at]
    unfinished = units.unfinished[at]
    columns = {
        'unit_type': units.stats.unit_type[unit_type],
        'alliance': appearance.PLAYER_RELATIVE[owner],
        'health': health,
        'build_progress': np.where(
            unfinished > 0, observation.build_percent(units, *at), _FINISHED
        ),
        'health_ratio': appearance.FULL_RATIO * health / units.stats.health[unit_type],
        'display_type': _VISIBLE,
        'owner': owner,
        'radius': units.stats.radius[unit_type] * world.screen.scale[0],
        'cloak': _NOT_CLOAKED,
        'is_selected': units.selected[at],
        'is_on_screen': 1,
        'active': units.active[at],
    }
    columns.update(_orders(world, at))
    columns['weapon_cooldown'] = _cooldown(world, at)
    for mechanic in world.mechanics.values():
        for name, values in mechanic.columns(world, *at).items():
            columns[name] = columns.get(name, 0) + values
    return columns


def _orders(world: World, at: Tuple[np.ndarray, ...]) -> Dict[str, Any]:
    """Returns number and ids of the orders of player 1's units; for buildings, of their queue."""
    units = world.units
    products = _products(units)
    can_move = (at[1] < units.num_mobile) & (units.owner[at] == unit_types.SELF)
    slots = np.where(can_move, at[1], 0)
    queue = units.order_kind[at[0], slots] * can_move[:, None]
    function = np.where(
        queue == orders.BUILD,
        products[units.order_type[at[0], slots]],
        _RAW_FUNCTION_OF_ORDER[queue],
    )[:, :_ORDERS_SHOWN]
    production = world.mechanics.get('production')
    if production is not None:
        fixed = at[1] - units.num_mobile
        trained = production.queue[at[0], np.maximum(fixed, 0)][:, :_ORDERS_SHOWN]
        trains = (fixed >= 0)[:, None] & (trained >= 0)
        function = np.where(trains, products[trained], function)
    columns = {f'order_id_{i}': function[:, i] for i in range(_ORDERS_SHOWN)}
    columns['order_length'] = (queue != orders.IDLE).sum(1)
    return columns


def _products(units: Units) -> np.ndarray:
    """Returns the id of the order that makes each unit type of the map, or 0: int [T]."""
    known = {unit_type.unit_type: number for unit_type, number in _RAW_FUNCTION_OF_PRODUCT.items()}
    return np.array([known.get(unit_type.unit_type, 0) for unit_type in units.types])


def _cooldown(world: World, at: Tuple[np.ndarray, ...]) -> Union[int, np.ndarray]:
    """Returns the remaining weapon cooldown of player 1's units in frames."""
    combat = world.mechanics.get('combat')
    if combat is None:
        return 0
    fights = (at[1] < world.units.num_mobile) & (world.units.owner[at] == unit_types.SELF)
    left = combat.ready_at[at[0], np.where(fights, at[1], 0)] - world.game_loop[at[0]]
    return np.maximum(left, 0) * fights

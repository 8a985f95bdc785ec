"""Conversion between the game's abilities and PySC2's functions. [S] ACT

PySC2 has a function for each pair of an ability and a target type. It sends the general ability,
such as Attack; the game lists the special abilities of the selected units.
"""

from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from sc2impala.sim import functions, orders, unit_types

QUICK, SCREEN, MINIMAP = 'quick', 'screen', 'minimap'
"""Target types of functions: no target, a pixel of the screen, or a pixel of the minimap."""

ATTACK, HOLD, MOVE, PATROL, STOP, SMART = 23, 18, 16, 17, 4, 1
GATHER, RETURN, HALT, CANCEL, CANCEL_LAST = 295, 296, 348, 314, 306
RALLY_UNITS, RALLY_WORKERS = 195, 203
BUILD_BARRACKS, BUILD_COMMAND_CENTER, BUILD_REFINERY, BUILD_SUPPLY_DEPOT = 321, 318, 320, 319
TRAIN_MARINE, TRAIN_SCV = 560, 524

OF_PRODUCT = {
    unit_types.BARRACKS.unit_type: BUILD_BARRACKS,
    unit_types.COMMAND_CENTER.unit_type: BUILD_COMMAND_CENTER,
    unit_types.REFINERY.unit_type: BUILD_REFINERY,
    unit_types.SUPPLY_DEPOT.unit_type: BUILD_SUPPLY_DEPOT,
    unit_types.MARINE.unit_type: TRAIN_MARINE,
    unit_types.SCV.unit_type: TRAIN_SCV,
}
"""Id of a unit type -> ability that produces it."""

_OF_ORDER = np.zeros([orders.NUM_KINDS], np.int64)
_OF_ORDER[[orders.HOLD, orders.MOVE, orders.ATTACK, orders.PATROL]] = HOLD, MOVE, ATTACK, PATROL
_OF_ORDER[[orders.GATHER, orders.RETURN]] = GATHER, RETURN

_FUNCTIONS = {
    ATTACK: {SCREEN: functions.ATTACK_SCREEN, MINIMAP: functions.ATTACK_MINIMAP},
    HOLD: {QUICK: functions.HOLD_POSITION_QUICK},
    MOVE: {SCREEN: functions.MOVE_SCREEN, MINIMAP: functions.MOVE_MINIMAP},
    PATROL: {SCREEN: functions.PATROL_SCREEN, MINIMAP: functions.PATROL_MINIMAP},
    STOP: {QUICK: functions.STOP_QUICK},
    SMART: {SCREEN: functions.SMART_SCREEN, MINIMAP: functions.SMART_MINIMAP},
    GATHER: {SCREEN: functions.HARVEST_GATHER_SCREEN},
    RETURN: {QUICK: functions.HARVEST_RETURN_QUICK},
    HALT: {QUICK: functions.HALT_QUICK},
    CANCEL: {QUICK: functions.CANCEL_QUICK},
    CANCEL_LAST: {QUICK: functions.CANCEL_LAST_QUICK},
    RALLY_UNITS: {SCREEN: functions.RALLY_UNITS_SCREEN, MINIMAP: functions.RALLY_UNITS_MINIMAP},
    RALLY_WORKERS: {
        SCREEN: functions.RALLY_WORKERS_SCREEN,
        MINIMAP: functions.RALLY_WORKERS_MINIMAP,
    },
    BUILD_BARRACKS: {SCREEN: functions.BUILD_BARRACKS_SCREEN},
    BUILD_COMMAND_CENTER: {SCREEN: functions.BUILD_COMMAND_CENTER_SCREEN},
    BUILD_REFINERY: {SCREEN: functions.BUILD_REFINERY_SCREEN},
    BUILD_SUPPLY_DEPOT: {SCREEN: functions.BUILD_SUPPLY_DEPOT_SCREEN},
    TRAIN_MARINE: {QUICK: functions.TRAIN_MARINE_QUICK},
    TRAIN_SCV: {QUICK: functions.TRAIN_SCV_QUICK},
}
"""Special ability -> target type -> function."""

GENERAL = {
    ATTACK: 3674,
    HOLD: 3793,
    MOVE: 3794,
    PATROL: 3795,
    STOP: 3665,
    GATHER: 3666,
    RETURN: 3667,
    HALT: 3660,
    CANCEL: 3659,
    CANCEL_LAST: 3671,
    RALLY_UNITS: 3673,
    RALLY_WORKERS: 3690,
}
"""Special ability -> general ability, for those that have one."""

_SPECIAL = {general: special for special, general in GENERAL.items()}
_ABILITY_OF_FUNCTION = {
    function: (ability, target_type != QUICK)
    for ability, by_target in _FUNCTIONS.items()
    for target_type, function in by_target.items()
}


def function_of(ability: int, target_type: str) -> Optional[int]:
    """Returns the function for a general or special ability and a target type, or None."""
    return _FUNCTIONS.get(special_of(ability), {}).get(target_type)


def special_of(ability: int) -> int:
    """Returns the special ability for a general or special one."""
    return _SPECIAL.get(ability, ability)


def offered(available: np.ndarray) -> List[Tuple[int, bool]]:
    """Returns (special ability, whether it needs a point) for available functions, bool [573]."""
    found = {
        _ABILITY_OF_FUNCTION[function]
        for function in available.nonzero()[0].tolist()
        if function in _ABILITY_OF_FUNCTION
    }
    return sorted(found)


def find_orders(order_kinds: np.ndarray, products: np.ndarray) -> List[int]:
    """Returns the abilities of n orders.

    Args:
      order_kinds: int [n], constants of `orders`.
      products: int [n], for orders to build, the ability that builds the unit.
    """
    return np.where(order_kinds == orders.BUILD, products, _OF_ORDER[order_kinds]).tolist()


def find_products(types: Sequence[unit_types.UnitType]) -> np.ndarray:
    """Returns the abilities that produce units of T types: int [T], 0 for those without."""
    return np.array([OF_PRODUCT.get(product.unit_type, 0) for product in types])


def known() -> Dict[int, bool]:
    """Returns all abilities, and whether each needs a point."""
    special = {ability: set(targets) != {QUICK} for ability, targets in _FUNCTIONS.items()}
    return {**special, **{GENERAL[ability]: special[ability] for ability in GENERAL}}

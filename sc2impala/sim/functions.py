"""PySC2 functions that simulated units offer, their arguments, and records of their calls.

The ids are those of `pysc2.lib.actions.FUNCTIONS`; a test compares them. [S] ACT Calls are one
structured record per game; values are not validated.
"""

from typing import Any, Mapping, Optional, Tuple

import numpy as np

from sc2impala.sim.compiler import compiled

NUM_FUNCTIONS = 573

NO_OP = 0
MOVE_CAMERA = 1
SELECT_POINT = 2
SELECT_RECT = 3
SELECT_CONTROL_GROUP = 4
SELECT_UNIT = 5
SELECT_IDLE_WORKER = 6
SELECT_ARMY = 7
BUILD_QUEUE = 11
ATTACK_SCREEN = 12
ATTACK_MINIMAP = 13
BUILD_BARRACKS_SCREEN = 42
BUILD_COMMAND_CENTER_SCREEN = 44
BUILD_REFINERY_SCREEN = 79
BUILD_SUPPLY_DEPOT_SCREEN = 91
CANCEL_QUICK = 140
CANCEL_LAST_QUICK = 168
HALT_QUICK = 261
HARVEST_GATHER_SCREEN = 264
HARVEST_RETURN_QUICK = 269
HOLD_POSITION_QUICK = 274
MOVE_SCREEN = 331
MOVE_MINIMAP = 332
PATROL_SCREEN = 333
PATROL_MINIMAP = 334
RALLY_UNITS_SCREEN = 335
RALLY_UNITS_MINIMAP = 336
RALLY_WORKERS_SCREEN = 343
RALLY_WORKERS_MINIMAP = 344
SMART_SCREEN = 451
SMART_MINIMAP = 452
STOP_QUICK = 453
TRAIN_MARINE_QUICK = 477
TRAIN_SCV_QUICK = 490

ALWAYS_AVAILABLE = (NO_OP, MOVE_CAMERA, SELECT_POINT, SELECT_RECT, SELECT_CONTROL_GROUP)

MARINE_CARD = (
    ATTACK_SCREEN,
    ATTACK_MINIMAP,
    HOLD_POSITION_QUICK,
    MOVE_SCREEN,
    MOVE_MINIMAP,
    PATROL_SCREEN,
    PATROL_MINIMAP,
    SMART_SCREEN,
    SMART_MINIMAP,
    STOP_QUICK,
)
"""Functions of a marine; PySC2 hides their specific variants. [S] #302, [A]"""

SCV_CARD = MARINE_CARD + (
    BUILD_BARRACKS_SCREEN,
    BUILD_COMMAND_CENTER_SCREEN,
    BUILD_REFINERY_SCREEN,
    BUILD_SUPPLY_DEPOT_SCREEN,
    HALT_QUICK,
    HARVEST_GATHER_SCREEN,
    HARVEST_RETURN_QUICK,
)
COMMAND_CENTER_CARD = (
    RALLY_WORKERS_SCREEN,
    RALLY_WORKERS_MINIMAP,
    SMART_SCREEN,
    SMART_MINIMAP,
    TRAIN_SCV_QUICK,
)
BARRACKS_CARD = (
    RALLY_UNITS_SCREEN,
    RALLY_UNITS_MINIMAP,
    SMART_SCREEN,
    SMART_MINIMAP,
    TRAIN_MARINE_QUICK,
)
"""Functions of the units of a standard game, limited to simulated features. [A]"""

POINT_ARGUMENTS = ('screen', 'minimap', 'screen2')
SCALAR_ARGUMENTS = (
    'queued',
    'control_group_act',
    'control_group_id',
    'select_point_act',
    'select_add',
    'select_unit_act',
    'select_unit_id',
    'select_worker',
    'build_queue_id',
    'unload_id',
)


CALL = np.dtype(
    (
        np.record,
        [('function', np.int64)]
        + [(name + axis, np.int64) for name in POINT_ARGUMENTS for axis in ('_x', '_y')]
        + [(name, np.int64) for name in SCALAR_ARGUMENTS]
        # A target that overrides the pixels of screen and minimap: a point of the world, and the
        # slot of the unit there, or NO_UNIT.
        + [('has_place', np.int64), ('place_x', np.float64), ('place_y', np.float64)]
        + [('place_target', np.int64)],
    )
)
"""A function call; missing arguments are 0. Pixels may lie outside of the image."""


@compiled
def clear(call: Any) -> None:
    """Makes a call no_op, without arguments."""
    call.function = NO_OP
    call.screen_x = 0
    call.screen_y = 0
    call.minimap_x = 0
    call.minimap_y = 0
    call.screen2_x = 0
    call.screen2_y = 0
    call.queued = 0
    call.control_group_act = 0
    call.control_group_id = 0
    call.select_point_act = 0
    call.select_add = 0
    call.select_unit_act = 0
    call.select_unit_id = 0
    call.select_worker = 0
    call.build_queue_id = 0
    call.unload_id = 0
    call.has_place = 0


def calls(
    function_id: np.ndarray,
    arguments: Mapping[str, Any],
    num_games: int,
    place: Optional[Tuple[np.ndarray, np.ndarray]] = None,
) -> np.ndarray:
    """Returns the calls of K games: CALL [K].

    Args:
      function_id: int [K].
      arguments: int [K, 2] as (x, y) pixels for screen, minimap and screen2, int [K] for all
        others.
      num_games: K.
      place: points of the world, float64 [2, K], and slots of units, int [K].

    Raises:
      ValueError: if a name is unknown, or a value has another shape or is not an array of integers.
    """
    table = np.zeros([num_games], CALL)
    table['function'] = integers('function_id', function_id, (num_games,))
    for name, value in arguments.items():
        if name in SCALAR_ARGUMENTS:
            table[name] = integers(f'arguments[{name!r}]', value, (num_games,))
        elif name in POINT_ARGUMENTS:
            points = integers(f'arguments[{name!r}]', value, (num_games, 2))
            table[name + '_x'], table[name + '_y'] = points[:, 0], points[:, 1]
        else:
            known = sorted(SCALAR_ARGUMENTS + POINT_ARGUMENTS)
            raise ValueError(f'arguments has {name!r}; expected names among {known}.')
    if place is not None:
        table['has_place'] = True
        (table['place_x'], table['place_y']), table['place_target'] = place
    return table


def integers(name: str, value: Any, shape: Tuple[int, ...]) -> np.ndarray:
    """Returns the value as an array, or raises ValueError unless it holds integers of a shape."""
    array = np.asarray(value)
    if array.shape != shape or array.dtype.kind not in 'iu':
        raise ValueError(
            f'{name} is an array of {array.dtype} {list(array.shape)}; '
            f'expected integers {list(shape)}.'
        )
    return array

"""The PySC2 functions that the simulated units have, by id, and their kinds of argument.

The ids are those of `pysc2.lib.actions.FUNCTIONS`; a test compares them. [S] ACT
"""

NUM_FUNCTIONS = 573

NO_OP = 0
MOVE_CAMERA = 1
SELECT_POINT = 2
SELECT_RECT = 3
SELECT_CONTROL_GROUP = 4
SELECT_UNIT = 5
SELECT_ARMY = 7
ATTACK_SCREEN = 12
ATTACK_MINIMAP = 13
HOLD_POSITION_QUICK = 274
MOVE_SCREEN = 331
MOVE_MINIMAP = 332
PATROL_SCREEN = 333
PATROL_MINIMAP = 334
SMART_SCREEN = 451
SMART_MINIMAP = 452
STOP_QUICK = 453

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
"""What a marine offers; the specific variants of these functions are hidden. [S] #302, [A]"""

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

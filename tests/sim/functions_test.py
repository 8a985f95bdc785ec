import pytest

from sc2impala.sim import actions, functions, layers

try:
    from pysc2_evolved.lib import actions as pysc2_actions
    from pysc2_evolved.lib import features as pysc2_features
except ImportError:
    pysc2_actions = pytest.importorskip('pysc2.lib.actions')
    pysc2_features = pytest.importorskip('pysc2.lib.features')

NAMES = {
    'NO_OP': 'no_op',
    'MOVE_CAMERA': 'move_camera',
    'SELECT_POINT': 'select_point',
    'SELECT_RECT': 'select_rect',
    'SELECT_CONTROL_GROUP': 'select_control_group',
    'SELECT_UNIT': 'select_unit',
    'SELECT_ARMY': 'select_army',
    'ATTACK_SCREEN': 'Attack_screen',
    'ATTACK_MINIMAP': 'Attack_minimap',
    'HOLD_POSITION_QUICK': 'HoldPosition_quick',
    'MOVE_SCREEN': 'Move_screen',
    'MOVE_MINIMAP': 'Move_minimap',
    'PATROL_SCREEN': 'Patrol_screen',
    'PATROL_MINIMAP': 'Patrol_minimap',
    'SMART_SCREEN': 'Smart_screen',
    'SMART_MINIMAP': 'Smart_minimap',
    'STOP_QUICK': 'Stop_quick',
    'SELECT_IDLE_WORKER': 'select_idle_worker',
    'BUILD_QUEUE': 'build_queue',
    'BUILD_BARRACKS_SCREEN': 'Build_Barracks_screen',
    'BUILD_COMMAND_CENTER_SCREEN': 'Build_CommandCenter_screen',
    'BUILD_REFINERY_SCREEN': 'Build_Refinery_screen',
    'BUILD_SUPPLY_DEPOT_SCREEN': 'Build_SupplyDepot_screen',
    'CANCEL_QUICK': 'Cancel_quick',
    'CANCEL_LAST_QUICK': 'Cancel_Last_quick',
    'HALT_QUICK': 'Halt_quick',
    'HARVEST_GATHER_SCREEN': 'Harvest_Gather_screen',
    'HARVEST_RETURN_QUICK': 'Harvest_Return_quick',
    'RALLY_UNITS_SCREEN': 'Rally_Units_screen',
    'RALLY_UNITS_MINIMAP': 'Rally_Units_minimap',
    'RALLY_WORKERS_SCREEN': 'Rally_Workers_screen',
    'RALLY_WORKERS_MINIMAP': 'Rally_Workers_minimap',
    'TRAIN_MARINE_QUICK': 'Train_Marine_quick',
    'TRAIN_SCV_QUICK': 'Train_SCV_quick',
}


def test_every_function_has_pysc2s_id():
    constants = {
        name: value
        for name, value in vars(functions).items()
        if isinstance(value, int) and name != 'NUM_FUNCTIONS'
    }
    assert constants == {
        name: int(getattr(pysc2_actions.FUNCTIONS, pysc2_name).id)
        for name, pysc2_name in NAMES.items()
    }
    assert len(pysc2_actions.FUNCTIONS) == functions.NUM_FUNCTIONS


def test_the_card_of_a_marine_holds_no_specific_function():
    for function_id in functions.MARINE_CARD:
        assert pysc2_actions.FUNCTIONS[function_id].general_id == 0


def test_arguments_are_pysc2s():
    names = functions.POINT_ARGUMENTS + functions.SCALAR_ARGUMENTS
    assert sorted(names) == sorted(argument_type.name for argument_type in pysc2_actions.TYPES)
    points = [
        argument_type.name for argument_type in pysc2_actions.TYPES if len(argument_type.sizes) == 2
    ]
    assert sorted(functions.POINT_ARGUMENTS) == sorted(points)


def test_orders_take_their_target_from_an_argument_of_the_function():
    for function_id in sorted(actions.ORDERS):
        function = pysc2_actions.FUNCTIONS[function_id]
        points = [
            argument_type.name
            for argument_type in function.args
            if argument_type.name in functions.POINT_ARGUMENTS
        ]
        target = actions.ORDERS[function_id].target
        assert points == ([] if target is None else [target])


@pytest.mark.parametrize(
    'scales, features',
    [
        (layers.SCREEN_SCALES, pysc2_features.SCREEN_FEATURES),
        (layers.MINIMAP_SCALES, pysc2_features.MINIMAP_FEATURES),
    ],
)
def test_layers_are_pysc2s_in_their_order(scales, features):
    assert list(scales.items()) == [(feature.name, feature.scale) for feature in features]


@pytest.mark.parametrize('scale, dtype', [(2, 'uint8'), (256, 'uint8'), (257, 'uint16')])
def test_layers_have_the_smallest_dtype(scale, dtype):
    assert layers.dtype_of_scale(scale) == dtype

import numpy as np
import pytest
from s2clientprotocol import sc2api_pb2

from sc2impala.envs import pysc2_api
from sc2impala.sim import functions
from sc2impala.sim.api import calls

actions = pysc2_api.actions
SIMULATED = sorted(
    value
    for name, value in vars(functions).items()
    if isinstance(value, int) and name != 'NUM_FUNCTIONS'
)
SPACE = actions.ActionSpace.FEATURES


def sent(function_id, values):
    """Returns the Action message that PySC2 sends for a call."""
    function = actions.FUNCTIONS[function_id]
    message = sc2api_pb2.Action()
    named = {kind.name: kind.fn(value) for kind, value in zip(function.args, values)}
    if function.ability_id:
        named['ability_id'] = function.ability_id
    function.function_type(action=message, action_space=SPACE, **named)
    return message


def values_of(function_id, seed):
    random = np.random.RandomState(seed)
    limits = {'screen': (84, 64), 'screen2': (84, 64), 'minimap': (48, 32)}
    return [
        [int(random.randint(size)) for size in limits.get(argument.name, argument.sizes)]
        for argument in actions.FUNCTIONS[function_id].args
    ]


def test_every_call_arrives_as_it_was_made():
    for function_id in SIMULATED:
        for seed in range(5):
            values = values_of(function_id, seed)
            (call,) = calls.read(sent(function_id, values))
            assert call.function == function_id, function_id
            names = [argument.name for argument in actions.FUNCTIONS[function_id].args]
            assert sorted(call.arguments) == sorted(names), function_id
            for name, value in zip(names, values):
                expected = np.array(value) if len(value) == 1 else np.array([value])
                if name == 'select_point_act' and function_id == functions.SELECT_POINT:
                    assert 0 <= value[0] < 4, function_id
                corners = function_id == functions.SELECT_RECT and name in ('screen', 'screen2')
                if not corners:
                    np.testing.assert_array_equal(call.arguments[name], expected, err_msg=name)
            if function_id == functions.SELECT_RECT:
                # PySC2 sends the corners in order.
                both = np.array([values[names.index('screen')], values[names.index('screen2')]])
                found = np.concatenate([call.arguments['screen'], call.arguments['screen2']])
                assert sorted(found[:, 0]) == sorted(both[:, 0]), function_id
                assert sorted(found[:, 1]) == sorted(both[:, 1]), function_id


@pytest.mark.parametrize('function_id', [8, 9, 10])
def test_calls_that_are_never_available_are_read(function_id):
    (call,) = calls.read(sent(function_id, values_of(function_id, 0)))
    assert call.function == function_id


def test_nothing_is_a_no_op():
    assert calls.read(sc2api_pb2.Action()) == [calls.NO_OP]
    chat = sc2api_pb2.Action()
    chat.action_chat.message = 'gl hf'
    assert calls.read(chat) == [calls.NO_OP]


def test_raw_actions_are_no_calls():
    action = sc2api_pb2.Action()
    action.action_raw.camera_move.center_world_space.x = 1
    assert calls.read(action) == []


def test_parts_of_one_action_come_in_turn():
    action = sc2api_pb2.Action()
    action.action_ui.select_army.selection_add = True
    action.action_feature_layer.unit_command.ability_id = 3665
    first, second = calls.read(action)
    assert (first.function, second.function) == (functions.SELECT_ARMY, functions.STOP_QUICK)


def unknown_ability(action):
    action.action_feature_layer.unit_command.ability_id = 12345


def wrong_target(action):
    action.action_feature_layer.unit_command.ability_id = 3674


def no_corners(action):
    action.action_feature_layer.unit_selection_rect.selection_add = True


def autocast(action):
    action.action_ui.toggle_autocast.ability_id = 3755


@pytest.mark.parametrize('change', [unknown_ability, wrong_target, no_corners, autocast])
def test_what_cannot_be_done_is_known_as_such(change):
    action = sc2api_pb2.Action()
    change(action)
    assert calls.read(action) == [calls.UNKNOWN]

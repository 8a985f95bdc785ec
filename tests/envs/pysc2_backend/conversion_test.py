"""Conversion of hand-made observations to arrays, and of numbers to PySC2's calls."""

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs.actions import FUNCTIONS
from sc2impala.envs.pysc2_api import actions as pysc2_actions
from sc2impala.envs.pysc2_api import features
from sc2impala.envs.pysc2_backend import conversion
from sc2impala.envs.pysc2_backend.shared_arrays import SharedArrays

SCREEN, MINIMAP = (4, 3), (5, 2)


def make(functions='all', vectors='all', screen_layers='all', minimap_layers='all'):
    """A writer, and the arrays that it writes to, which contain other values before."""
    specs = envs.make_specs(
        'MoveToBeacon',
        functions,
        SCREEN,
        MINIMAP,
        screen_layers,
        minimap_layers,
        vectors,
        fixed_arguments={},
    )
    _, arrays, _ = SharedArrays(specs[0], 1).view_game(0)
    fill(arrays, 99)
    return conversion.ObservationWriter(*specs, arrays=arrays), arrays


def fill(arrays, value):
    for array in arrays.values():
        if isinstance(array, dict):
            fill(array, value)
        else:
            array[...] = value


def stack(table, size):
    """Layers of different small values, none of them uniform."""
    count, (width, height) = len(table), size
    return np.arange(count * width * height, dtype=np.int32).reshape(count, height, width) % 2


def observation(**changes):
    """An observation of PySC2 with two selected marines and a list of three units on the screen."""
    unit = [48, 1, 45, 0, 0, 0, 0]
    return dict(
        dict(
            available_actions=np.array([0, 7, 331], np.int32),
            feature_screen=stack(features.SCREEN_FEATURES, SCREEN),
            feature_minimap=stack(features.MINIMAP_FEATURES, MINIMAP),
            player=np.arange(11, dtype=np.int32),
            score_cumulative=np.arange(13, dtype=np.int32) - 5,
            game_loop=np.array([123], np.int32),
            control_groups=np.arange(20, dtype=np.int32).reshape(10, 2),
            single_select=np.zeros([0, 7], np.int32),
            multi_select=np.array([unit, unit], np.int32),
            action_result=np.array([], np.int32),
            alerts=np.array([17, 5], np.int32),
            build_queue=np.zeros([0, 7], np.int32),
            production_queue=np.zeros([0, 2], np.int32),
            feature_units=np.arange(3 * 46).reshape(3, 46),
        ),
        **changes,
    )


def test_vectors_are_filled_up_with_zeros():
    writer, arrays = make()
    writer.write(observation())
    assert arrays['player'].tolist() == list(range(11))
    assert arrays['score_cumulative'].tolist() == list(range(-5, 8))
    assert arrays['game_loop'].tolist() == [123]
    assert arrays['control_groups'].tolist() == np.arange(20).reshape(10, 2).tolist()
    assert arrays['single_select'].tolist() == [[0] * 7]
    assert arrays['multi_select'][:3].tolist() == [[48, 1, 45, 0, 0, 0, 0]] * 2 + [[0] * 7]
    assert not arrays['multi_select'][2:].any()
    assert arrays['action_result'].tolist() == [0]
    assert arrays['alerts'].tolist() == [17, 5, 0, 0, 0, 0, 0, 0]
    assert not arrays['build_queue'].any() and not arrays['production_queue'].any()
    assert arrays['feature_units'][:3].tolist() == np.arange(3 * 46).reshape(3, 46).tolist()
    assert not arrays['feature_units'][3:].any()


def test_lists_that_are_too_long_are_truncated():
    writer, arrays = make()
    many = np.arange(300 * 7, dtype=np.int32).reshape(300, 7)
    writer.write(
        observation(
            multi_select=many,
            build_queue=many[:8],
            production_queue=many[:8, :2],
            alerts=np.arange(1, 21),
            action_result=np.array([9, 3]),
            feature_units=np.arange(300 * 46).reshape(300, 46),
        )
    )
    np.testing.assert_array_equal(arrays['multi_select'], many[:64])
    np.testing.assert_array_equal(arrays['build_queue'], many[:5])
    np.testing.assert_array_equal(arrays['production_queue'], many[:5, :2])
    assert arrays['alerts'].tolist() == list(range(1, 9))
    assert arrays['action_result'].tolist() == [9]
    assert arrays['feature_units'][-1, -1] == 256 * 46 - 1


def test_lists_without_rows_may_have_no_columns():
    writer, arrays = make()
    writer.write(observation(feature_units=np.array([]), multi_select=np.array([], np.int64)))
    assert not arrays['feature_units'].any() and not arrays['multi_select'].any()


def test_layers_go_to_where_their_names_say():
    writer, arrays = make(screen_layers=['unit_type', 'selected', 'height_map'])
    given = observation()
    writer.write(given)
    assert set(arrays['screen']) == {'unit_type', 'selected', 'height_map'}
    for name, layer in arrays['screen'].items():
        index = features.SCREEN_FEATURES._fields.index(name)
        np.testing.assert_array_equal(layer, given['feature_screen'][index])
    for index, name in enumerate(features.MINIMAP_FEATURES._fields):
        np.testing.assert_array_equal(arrays['minimap'][name], given['feature_minimap'][index])


@pytest.mark.parametrize(
    'name, value, expected',
    [
        ('unit_type', 1961, 1961),
        ('unit_type', 1962, 0),  # A unit that the tables of this PySC2 do not know.
        ('unit_type', -1, 0),
        ('player_relative', 5, 0),
        ('unit_hit_points', 1600, 1600),
        ('unit_hit_points', 70000, 65535),
        ('unit_density', 200, 200),
        ('unit_density', 300, 255),
        ('height_map', 255, 255),
    ],
)
def test_unknown_labels_become_zero_and_amounts_are_clipped(name, value, expected):
    writer, arrays = make()
    given = observation()
    given['feature_screen'][features.SCREEN_FEATURES._fields.index(name), 1, 2] = value
    writer.write(given)
    assert arrays['screen'][name][1, 2] == expected
    assert (
        arrays['screen'][name][0, 1]
        == given['feature_screen'][features.SCREEN_FEATURES._fields.index(name), 0, 1]
    )


def test_available_functions_are_those_that_were_chosen():
    writer, arrays = make(functions=['Move_screen', 'no_op', 'select_rect', 'select_army'])
    writer.write(observation())
    assert arrays['available_actions'].tolist() == [True, True, False, True]
    assert np.flatnonzero(writer.available).tolist() == [0, 7, 331]
    writer.write(observation(available_actions=np.array([3])))
    assert arrays['available_actions'].tolist() == [False, False, True, False]
    assert np.flatnonzero(writer.available).tolist() == [3]


def test_a_result_of_our_own_replaces_that_of_pysc2():
    writer, arrays = make()
    writer.write(observation(action_result=np.array([9])), action_result=2)
    assert arrays['action_result'].tolist() == [2]


def test_nothing_is_looked_at_that_is_not_asked_for():
    writer, arrays = make(vectors=[], minimap_layers=[], screen_layers=['selected'])
    given = observation()
    kept = ('available_actions', 'feature_screen')
    writer.write({name: given[name] for name in kept})
    assert set(arrays) == {'available_actions', 'screen'}


@pytest.mark.parametrize('change', [{'feature_screen': np.zeros([27, 3, 5], np.int32)}, {}])
def test_an_invalid_observation_is_an_error(change):
    writer, _ = make()
    given = observation(**change)
    if not change:
        del given['player']
    with pytest.raises((ValueError, KeyError)):
        writer.write(given)


def test_selections_are_those_of_the_action_spec():
    functions = 'no_op', 'select_point+Attack_screen', 'Attack_screen', 'select_army+Attack_screen'
    spec = envs.make_specs('DefeatRoaches', functions, SCREEN, MINIMAP, fixed_arguments={})[1]
    width = SCREEN[0]
    actions = {head: np.zeros([4], np.int32) for head in spec.heads}
    actions['function'][:] = [1, 2, 0, 3]
    actions['screen2'][:] = 3 * width + 2
    actions['select_point_act'][:] = 2
    actions['select_add'][3] = 1
    packed = conversion.pack_selections(spec.decode_selections(actions), 4)
    calls = [conversion.selection_call(row) for row in packed]
    assert calls[1:3] == [None, None]
    assert (calls[0].function, calls[0].arguments) == (FUNCTIONS.select_point.id, [[2], [2, 3]])
    assert (calls[3].function, calls[3].arguments) == (FUNCTIONS.select_army.id, [[1]])
    worker = conversion.selection_call(np.array([FUNCTIONS.select_idle_worker.id, 2, 0, 0]))
    assert (worker.function, worker.arguments) == (FUNCTIONS.select_idle_worker.id, [[2]])
    none = conversion.pack_selections(None, 2)
    assert [conversion.selection_call(row) for row in none] == [None, None]


def test_calls_are_those_of_the_action_spec():
    spec = envs.make_specs('MoveToBeacon', 'all', SCREEN, MINIMAP, fixed_arguments={})[1]
    rng = np.random.RandomState(0)
    actions = {head: rng.randint(n, size=573, dtype=np.int32) for head, n in spec.heads.items()}
    actions['function'] = np.arange(573, dtype=np.int32)
    function_ids, arguments = spec.decode(actions)
    packed = np.zeros([573, len(pysc2_actions.TYPES), 2], np.int32)
    conversion.pack_arguments(arguments, packed)
    for k, function_id in enumerate(function_ids.tolist()):
        call = conversion.function_call(function_id, packed[k])
        one = {head: values[k] for head, values in actions.items()}
        assert (call.function, call.arguments) == spec.to_function_call(one)
        assert all(type(n) is int for values in call.arguments for n in values)
    assert conversion.NO_OP == FUNCTIONS.no_op.id == 0

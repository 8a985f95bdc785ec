import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions, layers, protocol_codes, unit_types
from tests.sim import maps, players

ALL_LAYERS = {
    'screen_layers': tuple(layers.SCREEN_SCALES),
    'minimap_layers': tuple(layers.MINIMAP_SCALES),
}
every_map = pytest.mark.parametrize('map_name', sim.MAP_NAMES)
every_map_with_marines = pytest.mark.parametrize(
    'map_name', sorted(set(sim.MAP_NAMES) - {'BuildMarines', 'CollectMineralsAndGas'})
)
"""Maps on which an episode starts with marines and without workers."""


def fill(game, value):
    return np.full([game.num_games], value)


def assert_same(one, other):
    """Asserts that two batches are in the same state and give the same observations."""
    expected = other.get_state()
    for name, array in one.get_state().items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
    seen, expected = one.observe(), other.observe()
    for name, array in seen.items():
        if name in ('screen', 'minimap'):
            for layer, picture in array.items():
                np.testing.assert_array_equal(picture, expected[name][layer], err_msg=layer)
        else:
            np.testing.assert_array_equal(array, expected[name], err_msg=name)


@every_map
def test_games_wait_for_their_first_reset(map_name):
    game = players.make(map_name, [1, 2], **ALL_LAYERS)
    assert game.num_games == 2
    assert game.ended.all() and (game.episode == -1).all()
    game.act(fill(game, functions.SELECT_POINT), {})
    game.advance(fill(game, 10))
    assert not game.game_loop.any()
    assert (game.observe()['action_result'] == protocol_codes.NOT_SUPPORTED).all()
    game.reset()
    assert not game.ended.any() and (game.episode == 0).all()


@every_map
def test_games_advance_and_restart_apart(map_name, monkeypatch):
    # Full episodes are played in other tests.
    maps.short_episodes(monkeypatch, map_name, 480)
    game = players.make(map_name, range(3))
    game.reset()
    assert game.episode_loops == 480
    game.advance(np.array([game.episode_loops, 0, 5]))
    np.testing.assert_array_equal(game.ended, [True, False, False])
    game.reset(np.array([True, False, True]))
    np.testing.assert_array_equal(game.game_loop, [0, 0, 0])
    np.testing.assert_array_equal(game.episode, [1, 0, 1])
    assert not game.ended.any()


def test_refuses_states_of_other_games():
    game = players.make('MoveToBeacon', range(2))
    with pytest.raises(ValueError, match=r"state\['.*'\] is .*\(3,.*expected .*\(2,"):
        game.set_state(players.make('MoveToBeacon', range(3)).get_state())
    state = game.get_state()
    del state['score']
    with pytest.raises(ValueError, match='state holds .* expected .*score'):
        game.set_state(state)


@every_map_with_marines
def test_functions_that_are_not_available_only_report_an_error(map_name):
    unavailable = [functions.MOVE_SCREEN, functions.SELECT_UNIT, 6, 264, -1, 573, 2**40]
    game = players.make(map_name, range(len(unavailable)))
    game.reset()
    before = game.get_state()
    game.act(np.array(unavailable), {})
    after = game.get_state()
    assert (after['action_result'] == protocol_codes.NOT_SUPPORTED).all()
    for name in set(before) - {'action_result'}:
        np.testing.assert_array_equal(before[name], after[name], err_msg=name)


def test_results_and_last_actions_are_those_of_the_last_call():
    game = players.make('CollectMineralShards', range(3))
    game.reset()
    game.act(fill(game, functions.SELECT_ARMY), {})
    index = np.array([1, 2, 0])
    game.act(fill(game, functions.SELECT_UNIT), {'select_unit_id': index})
    seen = game.observe()
    np.testing.assert_array_equal(seen['action_result'][:, 0], [0, protocol_codes.ERROR, 0])
    np.testing.assert_array_equal(seen['last_actions'][:, 0], [5, 0, 5])
    game.act(fill(game, functions.NO_OP), {})
    assert not game.observe()['action_result'].any()
    assert not game.observe()['last_actions'].any()


def test_a_full_queue_is_reported():
    game = players.make('MoveToBeacon', [1])
    game.reset()
    game.act(fill(game, functions.SELECT_ARMY), {})
    found = []
    for _ in range(9):
        game.act(fill(game, functions.PATROL_SCREEN), {'queued': fill(game, 1)})
        found.append(game.observe()['action_result'][0, 0])
    assert found == [0] * 8 + [protocol_codes.QUEUE_IS_FULL]


@pytest.mark.parametrize(
    'function_id, argument, pixel',
    [
        (functions.MOVE_SCREEN, 'screen', (42, 30)),
        (functions.ATTACK_SCREEN, 'screen', (42, 30)),
        (functions.SMART_SCREEN, 'screen', (42, 30)),
        (functions.MOVE_MINIMAP, 'minimap', (33, 35)),
        (functions.ATTACK_MINIMAP, 'minimap', (33, 35)),
        (functions.SMART_MINIMAP, 'minimap', (33, 35)),
    ],
)
def test_orders_lead_to_the_middle_of_the_pixel(function_id, argument, pixel):
    game = players.make('MoveToBeacon', range(4))
    game.reset()
    game.act(fill(game, functions.SELECT_ARMY), {})
    game.act(fill(game, function_id), {argument: np.array([pixel] * 4)})
    game.advance(fill(game, 400))
    x, y = game.games.x[:, 0], game.games.y[:, 0]
    scale, left, top = (3.5, 21, 37) if argument == 'screen' else (1, 0, 64)
    np.testing.assert_allclose(x, left + (pixel[0] + 0.5) / scale)
    np.testing.assert_allclose(y, top - (pixel[1] + 0.5) / scale)


def test_a_target_outside_the_playable_region_means_its_border():
    game = players.make('MoveToBeacon', range(2))
    game.reset()
    game.act(fill(game, functions.SELECT_ARMY), {})
    corners = np.array([[0, 83], [200, -1]])
    game.act(fill(game, functions.MOVE_SCREEN), {'screen': corners})
    game.advance(fill(game, 400))
    np.testing.assert_array_equal(game.games.x[:, 0], [22, 44])
    np.testing.assert_array_equal(game.games.y[:, 0], [20, 36])


def test_a_locked_camera_does_not_move():
    game = players.make('MoveToBeacon', [3], **ALL_LAYERS)
    game.reset()
    before = game.observe()['minimap']['camera'].copy()
    game.act(fill(game, functions.MOVE_CAMERA), {'minimap': np.array([[10, 10]])})
    seen = game.observe()
    assert seen['action_result'] == protocol_codes.OK
    np.testing.assert_array_equal(seen['minimap']['camera'], before)


@every_map_with_marines
def test_a_new_episode_forgets_selection_groups_orders_and_score(map_name):
    fresh, used = (players.make(map_name, [5]) for _ in range(2))
    used.reset()
    used.act(np.array([functions.SELECT_ARMY]), {})
    used.act(np.array([functions.SELECT_CONTROL_GROUP]), {'control_group_act': np.array([1])})
    used.act(np.array([functions.MOVE_SCREEN]), {'screen': np.array([[60, 40]])})
    used.advance(np.array([60]))
    assert used.observe()['control_groups'].any()
    used.reset()
    fresh.reset()
    fresh.reset()
    assert_same(used, fresh)


@every_map_with_marines
def test_observations(map_name):
    game = players.make(map_name, range(3), screen=20, minimap=16, **ALL_LAYERS)
    game.reset()
    game.act(fill(game, functions.SELECT_ARMY), {})
    game.advance(fill(game, 8))
    seen = game.observe()
    shapes = {name: value.shape for name, value in seen.items() if isinstance(value, np.ndarray)}
    assert shapes == {
        'available_actions': (3, 573),
        'player': (3, 11),
        'score_cumulative': (3, 13),
        'single_select': (3, 1, 7),
        'multi_select': (3, sim.MAX_SELECTED, 7),
        'single_select_count': (3,),
        'multi_select_count': (3,),
        'control_groups': (3, 10, 2),
        'game_loop': (3, 1),
        'action_result': (3, 1),
        'last_actions': (3, 1),
        'alerts': (3, sim.MAX_ALERTS),
        'build_queue': (3, sim.MAX_QUEUE, 7),
        'production_queue': (3, sim.MAX_QUEUE, 2),
        'build_queue_count': (3,),
    }
    for name in set(shapes) - {'available_actions'}:
        assert seen[name].dtype == np.int32
    assert (seen['game_loop'] == 8).all()
    assert (seen['last_actions'] == functions.SELECT_ARMY).all()
    assert seen['screen']['selected'].any((1, 2)).all()


@every_map_with_marines
def test_at_the_start_nothing_is_selected(map_name):
    game = players.make(map_name, range(50))
    game.reset()
    seen = game.observe()
    for row in seen['available_actions']:
        assert list(np.flatnonzero(row)) == [0, 1, 2, 3, 4, 7]
    assert not seen['single_select_count'].any() and not seen['multi_select_count'].any()


@every_map
def test_a_game_takes_less_than_a_mebibyte(map_name):
    game = sim.make(map_name, range(10), (84, 84), (64, 64), **ALL_LAYERS)
    game.reset()
    seen = game.observe()
    arrays = list(game.get_state().values()) + list(seen['screen'].values())
    arrays += list(seen['minimap'].values())
    assert sum(array.nbytes for array in arrays) / 10 < 2**19


@pytest.mark.parametrize(
    'change, message',
    [
        ({'map_name': 'Beacons'}, "'Beacons'.*'CollectMineralShards'.*'MoveToBeacon'"),
        ({'seeds': []}, 'seeds'),
        ({'seeds': [-1]}, 'seeds holds -1'),
        ({'screen_size': (84, 0)}, r'screen_size is \(84, 0\)'),
        ({'minimap_size': 64}, 'minimap_size is 64'),
        ({'screen_layers': ['camera']}, "'camera'.*'player_relative'"),
        ({'minimap_layers': ['unit_density']}, "'unit_density'.*'alerts'"),
    ],
)
def test_refuses_to_make_nonsense(change, message):
    arguments = {
        'map_name': 'MoveToBeacon',
        'seeds': [1],
        'screen_size': (84, 84),
        'minimap_size': (64, 64),
    }
    arguments.update(change)
    with pytest.raises(ValueError, match=message):
        sim.make(**arguments)


def test_refuses_arrays_of_other_shapes():
    game = players.make('MoveToBeacon', range(2))
    with pytest.raises(ValueError, match=r'loops .*\[3\].*\[2\]'):
        game.advance(np.zeros([3], int))
    with pytest.raises(ValueError, match='loops holds -1'):
        game.advance(np.array([1, -1]))
    with pytest.raises(ValueError, match='loops .*float64'):
        game.advance(np.array([1.0, 1.0]))
    with pytest.raises(ValueError, match=r'function_id .*\[\].*\[2\]'):
        game.act(0, {})
    with pytest.raises(ValueError, match=r'games .*int64 \[2\].*bool \[2\]'):
        game.reset(np.array([0, 1]))


def test_units_can_be_selected_from_outside():
    game = sim.make('DefeatRoaches', [1, 2], (16, 16), (16, 16))
    game.reset()
    chosen = np.zeros(game.games.alive.shape, bool)
    chosen[1, np.flatnonzero(game.games.owner[1] == unit_types.SELF)[:3]] = True
    chosen[:, -1] = True  # An empty slot.
    chosen[:, np.flatnonzero(game.games.owner[0] == unit_types.ENEMY)] = True
    game.select(chosen)
    assert game.games.selected.sum(1).tolist() == [0, 3]
    available = game.observe()['available_actions']
    assert available[:, functions.ATTACK_SCREEN].tolist() == [False, True]

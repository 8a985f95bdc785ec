import numpy as np

from sc2impala.sim import observation, protocol_codes
from tests.sim import views

NOTHING_SELECTED = [0, 1, 2, 3, 4, 7]
ONE_MARINE = [0, 1, 2, 3, 4, 7, 12, 13, 274, 331, 332, 333, 334, 451, 452, 453]
SEVERAL_MARINES = sorted(ONE_MARINE + [5])


def some_scene():
    """Three games with three marines each, of which none, the second, and all are selected."""
    scene = views.marines([[(30, 30), (32, 30), (35, 25)]] * 3)
    scene.games.selected[1, 1] = True
    scene.games.selected[2, :3] = True
    scene.games.health[:, 1] = 17.5
    return scene


def test_available_actions():
    assert some_scene().available() == [NOTHING_SELECTED, ONE_MARINE, SEVERAL_MARINES]


def test_without_an_army_it_cannot_be_selected():
    scene = some_scene()
    scene.games.alive[:] = False
    scene.games.selected[:] = False
    assert scene.available()[0] == [0, 1, 2, 3, 4]


def test_player():
    scene = some_scene()
    scene.games.minerals[1] = 300
    scene.games.alive[2, 0] = False
    np.testing.assert_array_equal(
        scene.observe()['player'],
        [
            [1, 0, 0, 3, 0, 3, 0, 0, 3, 0, 0],
            [1, 300, 0, 3, 0, 3, 0, 0, 3, 0, 0],
            [1, 0, 0, 2, 0, 2, 0, 0, 2, 0, 0],
        ],
    )


def test_score_cumulative():
    scene = some_scene()
    scene.games.score[:] = 0, 3, -1
    scene.games.minerals[1] = 300
    scores = scene.observe()['score_cumulative']
    assert scores.shape == (3, 13)
    np.testing.assert_array_equal(scores[:, 0], [0, 3, -1])
    assert not scores[:, 1:].any()


def test_selection_lists():
    found = some_scene().observe()
    marine, wounded = [48, 1, 45, 0, 0, 0, 0], [48, 1, 17, 0, 0, 0, 0]
    nothing = [0] * 7
    np.testing.assert_array_equal(found['single_select'], [[nothing], [wounded], [nothing]])
    np.testing.assert_array_equal(found['single_select_count'], [0, 1, 0])
    np.testing.assert_array_equal(found['multi_select'][2, :3], [marine, wounded, marine])
    np.testing.assert_array_equal(found['multi_select_count'], [0, 0, 3])
    assert found['multi_select'].shape == (3, observation.MAX_SELECTED, 7)
    assert not found['multi_select'][:2].any() and not found['multi_select'][2, 3:].any()


def test_records_are_written_again():
    scene = some_scene()
    scene.games.alerts[
        :, [protocol_codes.BUILDING_COMPLETE, protocol_codes.TRAIN_UNIT_COMPLETE]
    ] = True
    scene.games.control_groups[0, 3, 1] = True
    written = scene.observe()
    assert written['alerts'][0].tolist() == [5, 16, 0, 0, 0, 0, 0, 0]
    scene.games.selected[:] = False
    scene.games.alerts[:, protocol_codes.BUILDING_COMPLETE] = False
    scene.games.control_groups[:] = False
    expected = scene.observe()
    scene.observe(written)
    assert written.tobytes() == expected.tobytes()


def test_of_many_selected_units_the_first_are_listed():
    scene = views.marines([[(22 + 0.25 * i, 30) for i in range(70)]])
    scene.games.selected[:] = True
    scene.games.health[0, :70] = 1 + np.arange(70) % 45
    found = scene.observe()
    assert found['multi_select_count'] == observation.MAX_SELECTED
    assert (found['multi_select'][0, :, 0] == 48).all()
    np.testing.assert_array_equal(found['multi_select'][0, :, 2], scene.games.health[0, :64])


def test_control_groups():
    scene = some_scene()
    scene.games.control_groups[1, 4, [0, 2]] = True
    expected = np.zeros([3, 10, 2])
    expected[1, 4] = 48, 2
    np.testing.assert_array_equal(scene.observe()['control_groups'], expected)


def test_clock_and_action():
    scene = some_scene()
    scene.games.game_loop[:] = 7, 8, 9
    scene.games.last_action[1] = 331
    scene.games.action_result[2] = 3
    found = scene.observe()
    assert found['game_loop'].tolist() == [[7], [8], [9]]
    assert found['last_actions'].tolist() == [[0], [331], [0]]
    assert found['action_result'].tolist() == [[0], [0], [3]]


def test_everything_is_int32():
    types = {observation.OBSERVATION[name].base for name in observation.OBSERVATION.names}
    assert types == {np.dtype(np.int32)}

import numpy as np

from sc2impala.sim import functions, observation, selection
from tests.sim import helpers

NOTHING_SELECTED = [0, 1, 2, 3, 4, 7]
ONE_MARINE = [0, 1, 2, 3, 4, 7, 12, 13, 274, 331, 332, 333, 334, 451, 452, 453]
SEVERAL_MARINES = sorted(ONE_MARINE + [5])


def some_world():
    """Three games with three marines each, of which none, the second, and all are selected."""
    world = helpers.marines([[(30, 30), (32, 30), (35, 25)]] * 3)
    world.units.selected[1, 1] = True
    world.units.selected[2, :3] = True
    world.units.health[:, 1] = 17.5
    return world


def test_available_actions():
    available = observation.available_actions(some_world())
    assert available.shape == (3, functions.NUM_FUNCTIONS)
    lists = [list(np.flatnonzero(row)) for row in available]
    assert lists == [NOTHING_SELECTED, ONE_MARINE, SEVERAL_MARINES]


def test_without_an_army_it_cannot_be_selected():
    world = some_world()
    world.units.alive[:] = False
    world.units.selected[:] = False
    available = observation.available_actions(world)
    assert list(np.flatnonzero(available[0])) == [0, 1, 2, 3, 4]


def test_player():
    world = some_world()
    world.minerals[1] = 300
    world.units.alive[2, 0] = False
    np.testing.assert_array_equal(
        observation.player(world),
        [
            [1, 0, 0, 3, 0, 3, 0, 0, 3, 0, 0],
            [1, 300, 0, 3, 0, 3, 0, 0, 3, 0, 0],
            [1, 0, 0, 2, 0, 2, 0, 0, 2, 0, 0],
        ],
    )


def test_score_cumulative():
    world = some_world()
    world.score[:] = 0, 3, -1
    world.minerals[1] = 300
    scores = observation.score_cumulative(world)
    assert scores.shape == (3, 13)
    np.testing.assert_array_equal(scores[:, 0], [0, 3, -1])
    np.testing.assert_array_equal(scores[:, 7], [0, 300, 0])


def test_selection_lists():
    found = observation.selection(some_world())
    marine, wounded = [48, 1, 45, 0, 0, 0, 0], [48, 1, 17, 0, 0, 0, 0]
    nothing = [0] * 7
    np.testing.assert_array_equal(found['single_select'], [[nothing], [wounded], [nothing]])
    np.testing.assert_array_equal(found['single_select_count'], [0, 1, 0])
    np.testing.assert_array_equal(found['multi_select'][2, :3], [marine, wounded, marine])
    np.testing.assert_array_equal(found['multi_select_count'], [0, 0, 3])
    assert found['multi_select'].shape == (3, observation.MAX_SELECTED, 7)
    assert not found['multi_select'][:2].any() and not found['multi_select'][2, 3:].any()


def test_of_many_selected_units_the_first_are_listed():
    world = helpers.marines([[(22 + 0.25 * i, 30) for i in range(70)]])
    selection.select_army(world, np.array([0]), np.array([0]))
    found = observation.selection(world)
    assert found['multi_select_count'] == observation.MAX_SELECTED
    assert (found['multi_select'][0, :, 0] == 48).all()


def test_control_groups():
    world = some_world()
    world.units.control_groups[1, 4, [0, 2]] = True
    groups = observation.control_groups(world)
    expected = np.zeros([3, 10, 2])
    expected[1, 4] = 48, 2
    np.testing.assert_array_equal(groups, expected)


def test_everything_is_int32():
    world = some_world()
    found = [observation.player(world), observation.score_cumulative(world)]
    found += [observation.control_groups(world)] + list(observation.selection(world).values())
    assert {array.dtype for array in found} == {np.dtype(np.int32)}

import numpy as np

from sc2impala import envs
from sc2impala.envs import players


def make(functions='all', seed=0):
    _, action_spec = envs.make_specs('MoveToBeacon', functions, (5, 3), (4, 2))
    return players.RandomPlayer(action_spec, np.random.RandomState(seed)), action_spec


def test_actions_are_valid_and_available():
    player, action_spec = make()
    rng = np.random.RandomState(1)
    for _ in range(50):
        available = rng.uniform(size=[40, 573]) < 0.01
        available[:, 0] = True
        action = player.act({'available_actions': available})
        action_spec.decode(action)
        assert {index.dtype for index in action.values()} == {np.dtype(np.int32)}
        assert available[np.arange(40), action['function']].all()


def test_functions_and_arguments_are_uniform():
    player, action_spec = make(['no_op', 'select_army', 'Move_screen', 'Stop_quick'])
    available = np.tile([True, False, True, True], [60000, 1])
    action = player.act({'available_actions': available}, np.ones([60000], bool))
    # Five standard deviations of a count.
    for head, choices in action_spec.heads.items():
        expected = np.full([choices], 60000 / choices)
        if head == 'function':
            expected = np.array([20000, 0, 20000, 20000])
        counts = np.bincount(action[head], minlength=choices)
        np.testing.assert_array_less(np.abs(counts - expected), 5 * np.sqrt(expected) + 1)


def test_the_seed_decides():
    available = {'available_actions': np.ones([200, 573], np.bool_)}
    first, again, other = (make(seed=seed)[0].act(available) for seed in (1, 1, 2))
    for head in first:
        np.testing.assert_array_equal(first[head], again[head])
    assert (first['function'] != other['function']).any()

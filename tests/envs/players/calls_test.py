import numpy as np

from sc2impala import envs
from sc2impala.envs.players.calls import Calls

FUNCTIONS = ['Move_screen', 'no_op', 'select_army', 'Attack_minimap']


def make(available, screen_size=None):
    _, action_spec = envs.make_specs(
        'MoveToBeacon', FUNCTIONS, (8, 6), (5, 4), fixed_arguments={'select_add': 0}
    )
    return Calls(action_spec, np.array(available, bool), screen_size), action_spec


def spelt(calls, action_spec):
    action = calls.encode()
    return [
        action_spec.to_function_call({head: index[k] for head, index in action.items()})
        for k in range(len(calls.undecided))
    ]


def test_the_first_rule_that_applies_decides():
    calls, action_spec = make([[1, 1, 1, 1]] * 3)
    everywhere = np.ones([3], bool)
    first = calls.choose(np.array([True, False, False]), 'Move_screen', screen=(3, 2), queued=1)
    assert first.tolist() == [True, False, False]
    points = np.array([[0, 0], [4, 3], [1, 1]])
    second = calls.choose(np.array([True, True, False]), 'Attack_minimap', minimap=points)
    assert second.tolist() == [False, True, False]
    assert calls.undecided.tolist() == [False, False, True]
    assert spelt(calls, action_spec) == [(331, [[1], [3, 2]]), (13, [[0], [4, 3]]), (0, [])]
    assert calls.choose(everywhere, 'select_army').tolist() == [False, False, True]
    assert spelt(calls, action_spec)[2] == (7, [[0]])


def test_what_cannot_be_called_is_not_chosen():
    calls, action_spec = make([[0, 1, 1, 0], [1, 1, 0, 0]])
    assert calls.can('Move_screen').tolist() == [False, True]
    assert calls.can('select_army').tolist() == [True, False]
    everywhere = np.ones([2], bool)
    assert calls.choose(everywhere, 'Move_screen', screen=(1, 1)).tolist() == [False, True]
    assert calls.choose(everywhere, 'Attack_minimap', minimap=(1, 1)).tolist() == [False, False]
    assert spelt(calls, action_spec) == [(0, []), (331, [[0], [1, 1]])]


def test_points_are_moved_into_the_picture():
    calls, action_spec = make([[1, 1, 1, 1]] * 2)
    calls.choose(np.array([True, False]), 'Move_screen', screen=(8, -3))
    calls.choose(np.array([False, True]), 'Attack_minimap', minimap=np.array([[9, 9], [-1, 7]]))
    assert spelt(calls, action_spec) == [(331, [[0], [7, 0]]), (13, [[0], [0, 3]])]


def test_points_of_a_finer_screen_are_rounded_to_the_pixel_that_they_are_in():
    calls, action_spec = make([[1, 1, 1, 1]] * 5, screen_size=(80, 18))
    points = np.array([[0, 0], [9, 2], [10, 3], [79, 17], [-5, 40]])
    calls.choose(np.ones([5], bool), 'Move_screen', screen=points, queued=0)
    screen = calls.encode()['screen']
    expected = [(0, 0), (0, 0), (1, 1), (7, 5), (0, 5)]
    assert [(index % 8, index // 8) for index in screen] == expected


def test_points_of_the_minimap_are_not_rounded():
    calls, _ = make([[1, 1, 1, 1]], screen_size=(80, 18))
    calls.choose(np.ones([1], bool), 'Attack_minimap', minimap=(4, 3), queued=0)
    assert calls.encode()['minimap'].tolist() == [3 * 5 + 4]

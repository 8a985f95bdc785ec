import numpy as np
import pytest

from sc2impala import envs, sim
from sc2impala.envs import players
from tests.envs.players import boards


class Counter(players.ScriptedPlayer):
    """Counts its steps in an episode, and moves to that column of the screen."""

    functions = ('no_op', 'Move_screen', 'select_point')
    screen_layers = ('player_relative',)
    minimap_layers = ('camera',)
    vectors = ('player',)
    initial_state = {'step': 0, 'rows': (1, 2)}

    def decide(self, observation, calls):
        self.state['step'] += 1
        self.state['rows'][:, 1] += self.state['step']
        point = np.stack([self.state['step'], self.state['rows'][:, 1]], axis=1)
        calls.choose(calls.undecided, 'Move_screen', screen=point)


def turns(player, num_games, done=None):
    observation = {'available_actions': np.ones([num_games, 3], bool)}
    return [arguments[1] for _, arguments in boards.calls(player, observation, done)]


def test_state_is_reset_at_the_start_of_an_episode():
    player = boards.make(Counter)
    assert turns(player, 2) == [[1, 3], [1, 3]]
    assert turns(player, 2) == [[2, 5], [2, 5]]
    assert turns(player, 2, np.array([False, True])) == [[3, 8], [1, 3]]
    assert turns(player, 2, np.array([False, False])) == [[4, 12], [2, 5]]
    assert turns(player, 2, np.array([True, True])) == [[1, 3], [1, 3]]
    assert Counter.initial_state == {'step': 0, 'rows': (1, 2)}


def test_another_number_of_games_resets_the_state():
    player = boards.make(Counter)
    turns(player, 2)
    assert turns(player, 3) == [[1, 3]] * 3


@pytest.mark.parametrize(
    'kwargs,complaint',
    [
        ({'functions': ['no_op', 'select_point']}, 'functions is .*, expected Move_screen'),
        ({'functions': ['select_point', 'Move_screen']}, 'functions is .*, expected no_op'),
        ({'screen_layers': ['selected']}, 'screen_layers is .*, expected player_relative'),
        ({'minimap_layers': []}, 'minimap_layers is .*, expected camera'),
        ({'vectors': ['game_loop']}, 'vectors is .*, expected player'),
        (
            {'fixed_arguments': {'select_point_act': 2}},
            'fixed_arguments has 2 for select_point_act, expected 0',
        ),
    ],
)
def test_missing_requirements_are_errors(kwargs, complaint):
    with pytest.raises(ValueError, match=complaint):
        boards.make(Counter, **kwargs)


def test_arguments_fixed_to_zero_and_those_of_other_functions_do_no_harm():
    functions = list(Counter.functions) + ['select_control_group']
    fixed = {'select_point_act': 0, 'queued': 0, 'control_group_id': 4}
    player = boards.make(Counter, functions=functions, fixed_arguments=fixed)
    observation = {'available_actions': np.ones([1, 4], bool)}
    assert boards.calls(player, observation) == [('Move_screen', [[0], [1, 3]])]


@pytest.mark.parametrize('map_name', sorted(players.RULES))
def test_every_player_declares_what_it_uses(map_name):
    for player_class in players.RULES[map_name].values():
        player = boards.make(player_class)
        assert player.action_spec.function_names == player_class.functions
        with pytest.raises(ValueError, match='functions is .*, expected no_op'):
            boards.make(player_class, functions=['select_rect'])
    assert players.SCRIPTED_PLAYERS[map_name] is next(iter(players.RULES[map_name].values()))


def test_functions_may_come_in_any_order():
    functions = list(Counter.functions)[::-1]
    assert turns(boards.make(Counter, functions=functions), 1) == [[1, 3]]


@pytest.mark.parametrize('map_name', sorted(set(players.RULES) & set(sim.MAP_NAMES)))
@pytest.mark.parametrize('screen_size', [(84, 84), (5, 7)])
def test_every_player_plays_a_while_at_any_size(map_name, screen_size):
    for player_class in players.RULES[map_name].values():
        player = boards.make(
            player_class, map_name, screen_size=screen_size, minimap_size=screen_size
        )
        env = envs.SimulatedEnvironment(
            map_name, range(3), player.observation_spec, player.action_spec, max_step_mul=8
        )
        no_op = player.functions.index('no_op')
        acted = np.zeros([3], bool)
        observation, done = env.reset(), np.ones([3], bool)
        for _ in range(30):
            action = player.act(observation, done)
            acted |= action['function'] != no_op
            output = env.step(action, np.full([3], 8, np.int32))
            observation, done = output.observation, output.done
        assert acted.all(), player_class


@pytest.mark.parametrize('rule', ['LH', 'PySC2'])
def test_roaches_are_attacked_without_select_army(rule):
    script = players.RULES['DefeatRoaches'][rule]
    player = boards.make(script, 'DefeatRoaches', functions=['no_op', 'Attack_screen'])
    env = envs.SimulatedEnvironment(
        'DefeatRoaches', range(3), player.observation_spec, player.action_spec, max_step_mul=8
    )
    observation = env.reset()
    output = env.step(player.act(observation), np.full([3], 8, np.int32))
    assert (player.act(output.observation, output.done)['function'] == 1).all()
    with pytest.raises(ValueError, match='functions is .*, expected Attack_screen'):
        boards.make(script, 'DefeatRoaches', functions=['no_op', 'select_army'])
    with pytest.raises(ValueError, match='functions is .*, expected select_army'):
        boards.make(
            players.RULES['DefeatRoaches']['LZ'],
            'DefeatRoaches',
            functions=['no_op', 'Attack_screen'],
        )


@pytest.mark.parametrize('map_name', sorted(players.RULES))
def test_intentions_are_part_of_the_state(map_name):
    for script in players.RULES[map_name].values():
        assert set(script.intentions) <= set(script.initial_state)
        assert set(script.optional_functions) < set(script.functions)

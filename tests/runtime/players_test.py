"""The players of an evaluation, and what must hold for them to play."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.envs import players as envs_players
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import defaults, players
from sc2impala.runtime.errors import UserError
from tests.runtime import tiny

SMALL = dict(screen_size='4', minimap_size='4', agent='fully_conv_lstm', max_step_mul=6)


@pytest.fixture(scope='module')
def logdir(tmp_path_factory):
    """Of a run of an agent with a memory that chooses its step multiplier."""
    logdir = tmp_path_factory.mktemp('run')
    flags = '--agent=fully_conv_lstm', '--fixed_step_mul=no', '--max_step_mul=6', '--step_mul=8'
    assert tiny.main(logdir, '--total_environment_frames=100', *flags) == 0
    return str(logdir)


def observe(config, done, seed=0):
    """`EnvOutput` of two environments, with random layers."""
    observation_spec, _ = config_lib.make_specs(config)
    rng = np.random.RandomState(seed)

    def fill(structure):
        return {
            name: fill(spec)
            if isinstance(spec, dict)
            else (rng.uniform(size=(2,) + spec.shape) * 2).astype(spec.dtype)
            for name, spec in structure.items()
        }

    observation = fill(observation_spec.structure())
    observation['available_actions'][:] = True
    return structs.EnvOutput(None, None, np.array(done), observation)


def play(player, env_outputs):
    return [player(env_output) for env_output in env_outputs]


def same(plays, others):
    return all(
        np.array_equal(step_mul, other_mul) and tiny.same_arrays(action, other)
        for (action, step_mul), (other, other_mul) in zip(plays, others)
    )


@pytest.mark.parametrize('policy', ['sampled', 'greedy'])
def test_agent(policy, logdir):
    config = config_lib.Config(logdir=logdir, policy=policy, **SMALL)
    specs = config_lib.make_specs(config)
    start = observe(config, [True, True])
    steps = [start] + [observe(config, [False, False], seed) for seed in range(8)]
    plays = []
    for _ in range(2):
        player = players.make_player(config, specs, 2)
        plays.append(play(player, steps))
        player.close()
    assert same(plays[0], plays[1])
    for action, step_mul in plays[0]:
        assert {head: array.dtype for head, array in action.items()} == {
            head: np.dtype(np.int32) for head in specs[1].heads
        }
        assert step_mul.shape == (2,) and 1 <= step_mul.min() <= step_mul.max() <= 6


def test_agent_begins_anew_where_an_episode_ended(logdir):
    """Greedy on the same observations: what came before an end has no influence."""
    config = config_lib.Config(logdir=logdir, policy='greedy', **SMALL)
    player = players.make_player(config, config_lib.make_specs(config), 2)
    start = observe(config, [True, True])
    plays, states = [], []
    for env_output in [start, observe(config, [False, False], seed=1), start]:
        plays.append(player(env_output))
        states.append(tf.nest.flatten(player._state))
    player.close()
    assert same(plays[:1], plays[2:])
    assert all(np.array_equal(a, b) for a, b in zip(states[0], states[2]))
    assert not any(np.array_equal(a, b) for a, b in zip(states[0], states[1]))


@pytest.mark.parametrize('policy', ['random', 'scripted'])
def test_players_that_do_not_learn_keep_their_step_mul(policy, tmp_path):
    config = config_lib.Config(logdir=str(tmp_path), policy=policy, step_mul=30, **SMALL)
    player = players.make_player(config, config_lib.make_specs(config), 2)
    _, step_mul = player(observe(config, [True, True]))
    assert step_mul.tolist() == [30, 30] and step_mul.dtype == np.int32
    player.close()


def test_no_checkpoint(tmp_path):
    config = config_lib.Config(logdir=str(tmp_path), **SMALL)
    with pytest.raises(UserError, match='holds no checkpoint to evaluate'):
        players.make_player(config, config_lib.make_specs(config), 2)


class TestNeedsOfAScript:
    @pytest.mark.parametrize('map_name', sorted(envs_players.SCRIPTED_PLAYERS))
    def test_defaults_give_way(self, map_name):
        script = envs_players.SCRIPTED_PLAYERS[map_name]
        for given in ({}, defaults.of_map(map_name)):
            config = config_lib.Config(map_name=map_name, policy='scripted')._replace(**given)
            observation_spec, action_spec = config_lib.make_specs(players.with_needs(config))
            script(observation_spec, action_spec)
            assert action_spec.function_names == script.functions
            assert not action_spec.fixed_arguments
            assert observation_spec.screen_size == script.screen_size
            assert observation_spec.minimap_size == script.minimap_size

    def test_what_was_chosen_stays(self):
        chosen = dict(
            screen_size='20x30', functions='no_op,select_army', vectors='none', screen_layers='all'
        )
        config = config_lib.Config(policy='scripted', **chosen)
        result = players.with_needs(config)
        assert {name: getattr(result, name) for name in chosen} == chosen
        assert result.minimap_size == '64x64'

    @pytest.mark.parametrize('policy', ['random', 'sampled', 'greedy'])
    def test_other_players_need_nothing(self, policy):
        config = config_lib.Config(policy=policy)
        assert players.with_needs(config) == config

    def test_a_map_without_a_script(self, monkeypatch):
        monkeypatch.delitem(envs_players.SCRIPTED_PLAYERS, 'MoveToBeacon')
        config = config_lib.Config(policy='scripted', **SMALL)
        assert players.with_needs(config) == config
        complaint = '--policy=scripted has no script for --map_name=MoveToBeacon, expected one of: '
        with pytest.raises(UserError, match=complaint + 'BuildMarines, '):
            players.make_player(config, config_lib.make_specs(config), 2)


def test_a_script_is_told_where_episodes_begin(monkeypatch):
    seen = []

    class Script:
        def __init__(self, observation_spec, action_spec):
            pass

        def act(self, observation, done):
            seen.append(done.tolist())

    monkeypatch.setitem(envs_players.SCRIPTED_PLAYERS, 'MoveToBeacon', Script)
    config = config_lib.Config(policy='scripted', **SMALL)
    player = players.make_player(config, config_lib.make_specs(config), 2)
    play(player, [observe(config, [True, True]), observe(config, [False, True])])
    assert seen == [[True, True], [False, True]]

"""The players of an evaluation, and what must hold for them to play."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import players
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

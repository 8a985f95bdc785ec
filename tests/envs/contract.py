"""What every vector environment must do, as one check that any of them can be run through."""

import numpy as np
import pytest

from sc2impala import frames as frames_lib
from sc2impala.envs import players


def check_vector_environment(make_env, max_steps=400):
    """Plays randomly until every game has ended an episode and checks all that is promised.

    Args:
      make_env: makes the environment, the same one at every call.
      max_steps: number of agent steps within which every game must end an episode. The check
        fails if one has not: without an end it would not have seen what matters.
    """
    with make_env() as env:
        history = _play(env, max_steps)
        _check_bad_input(env)
        _check_reset(env)
    _check_totals(history)
    with make_env() as env:
        again = _play(env, len(history) - 1)
    check_equal(history, again)


def _play(env, max_steps):
    """Returns [(None, None, first observation), (step_mul, EnvOutput, its observation), ...].

    Also checks that the arrays of earlier steps were left alone by later ones.
    """
    rng = np.random.RandomState(3)
    player = players.RandomPlayer(env.action_spec, rng)
    observation = env.reset()
    _check_observation(env, observation)
    history, copies = [(None, None, observation)], [_copy(observation)]
    before = env.frames_played
    ended = np.zeros([env.num_envs], np.bool_)
    while len(history) <= max_steps and not ended.all():
        step_mul = rng.randint(1, env.max_step_mul + 1, size=env.num_envs, dtype=np.int32)
        output = env.step(player.act(observation), step_mul)
        _check_output(env, output)
        observation = output.observation
        history.append((step_mul, output, observation))
        copies.append(_copy(output))
        ended |= output.done
    played, totals = 0, np.zeros([env.num_envs], np.int64)
    for _, output, _ in history[1:]:
        played += (output.info.episode_frames - totals).sum()
        totals = np.where(output.done, 0, output.info.episode_frames)
    assert env.frames_played - before == played
    assert ended.all(), f'games {np.flatnonzero(~ended)} ended no episode in {max_steps} steps'
    kept = [history[0][2]] + [output for _, output, _ in history[1:]]
    check_equal(kept, copies)
    return history


def _check_output(env, output):
    dtypes = {
        'reward': (output.reward, np.float32),
        'done': (output.done, np.bool_),
        'episode_return': (output.info.episode_return, np.float32),
        'episode_frames': (output.info.episode_frames, np.int32),
        'episode_steps': (output.info.episode_steps, np.int32),
        'aborted': (output.info.aborted, np.bool_),
    }
    for name, (array, dtype) in dtypes.items():
        assert array.dtype == dtype, name
        assert array.shape == (env.num_envs,), name
    assert not (output.info.aborted & ~output.done).any()
    _check_observation(env, output.observation)


def _check_observation(env, observation):
    _check_structure(env.observation_spec.structure(), observation, env.num_envs)
    assert observation['available_actions'].any(axis=1).all()
    for group in ('screen', 'minimap'):
        for layer in getattr(env.observation_spec, group + '_layers'):
            if layer.categorical:
                assert observation[group][layer.name].max() < layer.scale, layer


def _check_structure(structure, observation, num_envs):
    assert observation.keys() == structure.keys()
    for name, spec in structure.items():
        if isinstance(spec, dict):
            _check_structure(spec, observation[name], num_envs)
        else:
            assert observation[name].shape == (num_envs,) + spec.shape, name
            assert observation[name].dtype == spec.dtype, name


def _check_totals(history):
    """The totals are sums over the episode, and the observation after an end is a first one."""
    num_envs = len(history[1][0])
    returns, frames, steps = np.zeros([3, num_envs])
    for (_, before, _), (step_mul, output, observation) in zip(history, history[1:]):
        resets = np.zeros([num_envs], bool)
        if before is not None:
            resets = frames_lib.is_reset(np, before, output)
        returns, steps = returns + output.reward, steps + ~resets
        played = output.info.episode_frames - frames
        frames = output.info.episode_frames
        np.testing.assert_allclose(output.info.episode_return, returns, rtol=1e-6)
        np.testing.assert_array_equal(output.info.episode_steps, steps)
        np.testing.assert_array_equal(played[~output.done], step_mul[~output.done])
        assert (played >= ~resets).all() and (played <= step_mul * ~resets).all()
        returns, frames, steps = (np.where(output.done, 0, t) for t in (returns, frames, steps))
        if 'game_loop' in observation:
            np.testing.assert_array_equal(observation['game_loop'][:, 0], frames)


def _check_reset(env):
    """In the middle of an episode `reset` starts all games and all totals anew."""
    for _ in range(2):
        _check_observation(env, env.reset())
        output = env.step(_no_choice(env), np.ones([env.num_envs], np.int32))
        np.testing.assert_array_equal(output.info.episode_steps, np.ones([env.num_envs]))
        np.testing.assert_array_equal(output.info.episode_frames, np.ones([env.num_envs]))
        np.testing.assert_array_equal(output.info.episode_return, output.reward)


def _check_bad_input(env):
    """Input of a wrong shape, kind or range raises ValueError, and no game moves on."""
    action, step_mul = _no_choice(env), np.ones([env.num_envs], np.int32)
    too_long = np.zeros([env.num_envs + 1], np.int32)
    bad_actions = [
        {},
        dict(action, unheard_of=action['function']),
        dict(action, function=too_long),
        dict(action, function=action['function'][:, np.newaxis]),
        dict(action, function=action['function'] + 0.5),
        dict(action, function=action['function'] - 1),
        dict(action, function=action['function'] + env.action_spec.num_functions),
        dict.fromkeys(action, too_long),
    ]
    bad_step_muls = [step_mul[:-1], step_mul[0], step_mul * 0, step_mul * (env.max_step_mul + 1)]
    before = env.step(action, step_mul)
    for bad_action in bad_actions:
        with pytest.raises(ValueError):
            env.step(bad_action, step_mul)
    for bad_step_mul in bad_step_muls + [step_mul * 1.0]:
        with pytest.raises(ValueError):
            env.step(action, bad_step_mul)
    after = env.step(action, step_mul)
    resets = frames_lib.is_reset(np, before, after)
    steps = np.where(before.done, 0, before.info.episode_steps) + ~resets
    np.testing.assert_array_equal(after.info.episode_steps, steps)


def _no_choice(env):
    return {head: np.zeros([env.num_envs], np.int32) for head in env.action_spec.heads}


def _copy(nest):
    if isinstance(nest, dict):
        return {name: _copy(value) for name, value in nest.items()}
    if isinstance(nest, tuple):
        return type(nest)(*(_copy(value) for value in nest))
    return nest.copy()


def check_equal(nest, other):
    if isinstance(nest, dict):
        assert nest.keys() == other.keys()
        nest, other = ([n[name] for name in sorted(n)] for n in (nest, other))
    if isinstance(nest, (list, tuple)):
        assert len(nest) == len(other)
        for value, other_value in zip(nest, other):
            check_equal(value, other_value)
    elif nest is not None:
        np.testing.assert_array_equal(nest, other)

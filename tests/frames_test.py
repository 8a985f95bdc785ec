"""Frames of steps from the totals of their episodes, against games that are played by hand."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import envs, frames, structs
from sc2impala.envs import players

EPISODE_FRAMES = 1920
"""Of MoveToBeacon."""


def played(max_step_mul, num_steps, num_envs=3):
    """`EnvOutput` of [K, T + 1] without observation, the multipliers, and the environment."""
    specs = envs.make_specs('MoveToBeacon', screen_size=(8, 8), minimap_size=(8, 8))
    env = envs.make_environment(
        'simulator', 'MoveToBeacon', range(num_envs), *specs, max_step_mul=max_step_mul
    )
    rng = np.random.RandomState(0)
    player = players.RandomPlayer(specs[1], rng)
    observation, zeros = env.reset(), np.zeros([num_envs], np.float32)
    outputs = [structs.EnvOutput(zeros, env.totals(), zeros == 0, ())]
    multipliers = [np.zeros([num_envs], np.int32)]
    for _ in range(num_steps):
        multipliers.append(rng.randint(1, max_step_mul + 1, size=num_envs).astype(np.int32))
        output = env.step(player.act(observation), multipliers[-1])
        observation = output.observation
        outputs.append(output._replace(observation=()))
    stacked = tf.nest.map_structure(lambda *steps: np.stack(steps, axis=1), *outputs)
    return stacked, np.stack(multipliers, axis=1), env


def in_graph(env_outputs, step_mul):
    """The same by TensorFlow."""
    outcomes = env_outputs._replace(reward=(), observation=())
    before, after = (
        tf.nest.map_structure(lambda array, part=part: array[:, part], outcomes)
        for part in (slice(None, -1), slice(1, None))
    )
    with tf.Graph().as_default(), tf.Session() as session:
        before, after = tf.nest.map_structure(tf.constant, (before, after))
        return session.run(frames.frames_between(tf, before, after, tf.constant(step_mul[:, 1:])))


@pytest.mark.parametrize('max_step_mul', [8, 100, 10000])
def test_the_last_step_of_an_episode_counts_what_was_played(max_step_mul):
    env_outputs, step_mul, env = played(max_step_mul, 20 + 4 * EPISODE_FRAMES // max_step_mul)
    found = frames.count(env_outputs, step_mul)
    done = env_outputs.done[:, 1:]
    assert found.dtype == np.int64 and done.any(axis=1).all()
    np.testing.assert_array_equal(found[~done], step_mul[:, 1:][~done])
    assert (found[done] < step_mul[:, 1:][done]).any()
    # All that was played is counted, and each finished episode has its length.
    assert found.sum() == env.frames_played
    for of_game, ends in zip(found, done):
        sums = [part.sum() for part in np.split(of_game, np.flatnonzero(ends) + 1)[:-1]]
        assert sums == [EPISODE_FRAMES] * len(sums)
    np.testing.assert_array_equal(in_graph(env_outputs, step_mul), found)


def test_special_steps():
    # Died at once, died later, entered in its middle, again, and not played at all.
    info = structs.EpisodeInfo(
        episode_return=np.zeros([5, 2], np.float32),
        episode_frames=np.array([[70, 0], [12, 12], [0, 500], [0, 3], [0, 0]], np.int32),
        episode_steps=np.array([[9, 1], [2, 3], [0, 60], [7, 60], [0, 0]], np.int32),
        aborted=np.zeros([5, 2], bool),
    )
    done = np.array([[True, True], [False, True], [True, False], [False, False], [False, False]])
    env_outputs = structs.EnvOutput((), info, done, ())
    step_mul = np.full([5, 2], 8, np.int32)
    assert frames.count(env_outputs, step_mul)[:, 0].tolist() == [0, 0, 8, 3, 0]
    assert in_graph(env_outputs, step_mul)[:, 0].tolist() == [0, 0, 8, 3, 0]


def test_steps_after_a_truncation_count_no_frames():
    # Reset, reset after one step, two terminal episodes of one step, an ordinary end.
    steps = np.array([[5, 5], [1, 1], [1, 1], [4, 5]], np.int32)
    info = structs.EpisodeInfo(
        episode_return=np.zeros([4, 2], np.float32),
        episode_frames=np.array([[40, 40], [8, 8], [7, 8], [32, 40]], np.int32),
        episode_steps=steps,
        aborted=np.zeros([4, 2], bool),
    )
    done = np.array([[False, True], [False, True], [True, True], [False, True]])
    env_outputs = structs.EnvOutput((), info, done, ())
    step_mul = np.full([4, 2], 8, np.int32)
    assert frames.count(env_outputs, step_mul)[:, 0].tolist() == [0, 0, 8, 8]
    assert in_graph(env_outputs, step_mul)[:, 0].tolist() == [0, 0, 8, 8]


def test_steps_of_another_sequence_do_not_count():
    env_outputs, step_mul, _ = played(100, 30)
    found = frames.count(env_outputs, step_mul, overlap=4)
    np.testing.assert_array_equal(found, frames.count(env_outputs, step_mul)[:, 4:])

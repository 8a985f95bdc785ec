"""What an actor plays with: the learner's variables by name, and games that start anew."""

import contextlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.cluster import run_info
from sc2impala.cluster.outbox import Identity
from sc2impala.cluster_actors.player import Player
from tests.runtime import tiny
from tests.training.built_training import built_training

FLAGS = '--backend=synthetic', '--num_actors=2'


def make_player(folder, stack, *flags, actor='0a'):
    """A player with the settings of `tiny`, and the names of its variables."""
    stack.enter_context(tf.Graph().as_default())
    settings = tiny.read_settings(folder, *FLAGS, *flags)
    player = Player(settings, 0, Identity(actor, -1, 'host'), stack)
    return player, {v.op.name: v for v in tf.global_variables() + tf.local_variables()}


@pytest.mark.long
def test_it_has_the_variables_of_the_learner_by_name(tmp_path):
    flags = (*FLAGS, '--num_actors=1', '--teacher_cost=0.5', '--value_normalisation=popart')
    with built_training(tmp_path, *flags) as (_, _, training):
        of_learner = run_info.describe_variables(tf.global_variables() + tf.local_variables())
        components = run_info.component_lines(training.actors.queue.spec)
    with contextlib.ExitStack() as stack:
        player, _ = make_player(tmp_path, stack, *flags)
        with tf.Graph().as_default():
            player.weights.build_remote(of_learner)
        run_info.check_components(components, run_info.component_lines(player.spec))


def test_it_plays_with_what_was_assigned(tmp_path):
    with contextlib.ExitStack() as stack:
        player, variables = make_player(tmp_path, stack)
        values = [
            np.full(v.shape.as_list(), 5 if v.dtype.is_integer else 0, v.dtype.as_numpy_dtype)
            for v in player.weights.variables
        ]
        player.weights.assign(player.session, values)
        player.start_games()
        assert player.session.run(variables['num_updates']) == 5
        first, second = (player.session.run(output) for output in player.outputs)
        assert set(first.sequence_info.policy_updates) == {5}
        assert set(first.sequence_info.policy_frames) == {5}
        # Weights of 0 give every choice the same probability.
        assert not np.any(first.agent_outputs.baseline[:, 1:])
        seen = zip(*(tf.nest.flatten(o.env_outputs.observation) for o in (first, second)))
        assert not all(np.array_equal(a, b) for a, b in seen), 'every thread has own games'
        more = player.session.run(player.outputs[0])
        assert more.env_outputs.info.episode_steps.max() == 10
        player.start_games()
        again = player.session.run(player.outputs[0])
        assert again.env_outputs.info.episode_steps.max() == 5
        specs = actors.component_specs(player.spec)
        for array, (shape, dtype) in zip(tf.nest.flatten(again), specs):
            assert array.shape == (4, *shape) and array.dtype == dtype
    # Another process has games and actions of its own.
    with contextlib.ExitStack() as stack:
        other, _ = make_player(tmp_path, stack, '--num_actors=1', actor='0b')
        other.weights.assign(other.session, values)
        other.start_games()
        elsewhere = other.session.run(other.outputs[0])
    played = [tf.nest.flatten(unroll.agent_outputs.action) for unroll in (first, elsewhere)]
    assert not all(np.array_equal(a, b) for a, b in zip(*played))


@pytest.mark.parametrize('flags, expected', [((), []), (('--demonstrator=PySC2',), [0.25, None])])
def test_the_demonstrator_is_switched_if_there_is_one(tmp_path, monkeypatch, flags, expected):
    seen = []
    with contextlib.ExitStack() as stack:
        player, _ = make_player(tmp_path, stack, '--backend=simulator', '--num_actors=1', *flags)
        for env in player.envs:
            monkeypatch.setattr(env, 'set_share', seen.append, raising=False)
            monkeypatch.setattr(
                env, 'enable', lambda on: None if on else seen.append(None), raising=False
            )
        player.set_share(0.25)
        player.set_share(run_info.NO_LABELS)
    assert seen == expected

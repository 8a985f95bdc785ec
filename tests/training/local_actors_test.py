"""What a training learns from."""

import contextlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.factories import environments
from sc2impala.training import build
from sc2impala.training.local_actors import LocalActors
from tests.runtime import tiny


@pytest.mark.long
def test_each_actor_has_games_of_its_own(tmp_path):
    settings = tiny.read_settings(tmp_path, *tiny.REPLAY, '--num_actors=2')
    specs = environments.make_specs(settings.environment)
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        actors = LocalActors(settings, stack)
        built = build.build_graph(settings, specs, actors)
        first, second = actors.envs
        assert first.num_envs == second.num_envs == 4
        assert len(actors.enqueue_ops) == 2 and actors.num_games == 8
        # The games of different actors differ.
        layers = [tf.nest.flatten(env.reset()) for env in (first, second)]
        assert not all(np.array_equal(a, b) for a, b in zip(*layers))
        assert built.table.capacity == 6


def test_without_replay_there_is_no_table(plain_training):
    assert plain_training[2].table is None


@pytest.mark.long
@pytest.mark.parametrize('asked_for, capacity', [(0, 4 + 4), (9, 9)])
def test_each_actor_fills_the_same_queue(tmp_path, asked_for, capacity):
    flags = ('--num_actors=2', f'--queue_capacity={asked_for}')
    settings = tiny.read_settings(tmp_path, *flags)
    specs = environments.make_specs(settings.environment)
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        actors = LocalActors(settings, stack)
        build.build_graph(settings, specs, actors)
        size, dequeued = actors.queue.size(), actors.queue.dequeue_many(8)
        session = stack.enter_context(tf.Session())
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for number, enqueue in enumerate(actors.enqueue_ops):
            session.run(enqueue)
            assert session.run(size) == 4 * (number + 1)
        played = session.run(dequeued)
        screens = played.env_outputs.observation['screen']['player_relative'][:, 0]
        assert len({screen.tobytes() for screen in screens}) > 1
        assert played.env_outputs.done.shape == (8, 6)
        assert played.sequence_info.actor.tolist() == [0] * 4 + [1] * 4
        assert not played.sequence_info.policy_updates.any()
        for _ in range(capacity // 4):
            session.run(actors.enqueue_ops[0])
        assert session.run(size) == capacity // 4 * 4
        blocked = session.make_callable(actors.enqueue_ops[1])
        session.run(actors.queue.queue.close(cancel_pending_enqueues=True))
        with pytest.raises(tf.errors.CancelledError):
            blocked()


def test_environments_are_closed_if_one_cannot_be_made(tmp_path, monkeypatch):
    tape, make_environment = [], environments.make_actor_environment

    def make(*args, **kwargs):
        if tape:
            raise UserError('StarCraft II does not run')
        env = make_environment(*args, **kwargs)
        tape.append('made')
        env.close = lambda: tape.append('closed')
        return env

    monkeypatch.setattr(environments, 'make_actor_environment', make)
    settings = tiny.read_settings(tmp_path, '--num_actors=2')
    specs = environments.make_specs(settings.environment)
    with pytest.raises(UserError, match='does not run'), contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        build.build_graph(settings, specs, LocalActors(settings, stack))
    assert tape == ['made', 'closed']


def test_recordings_are_optional_but_have_to_exist(tmp_path):
    settings = tiny.read_settings(tmp_path)
    specs = environments.make_specs(settings.environment)
    assert build.open_recordings(settings, specs, 0).recordings == []
    settings = tiny.read_settings(tmp_path, '--demonstrations=/no/such')
    with pytest.raises(UserError, match='--demonstrations=/no/such cannot be used'):
        build.open_recordings(settings, specs, 0)

"""Actors, their queue and the memory, as a run builds them."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.runtime import config as config_lib
from sc2impala.runtime import experience, graph
from sc2impala.runtime.errors import UserError

CONFIG = config_lib.Config(
    screen_size='4',
    minimap_size='4',
    agent='fully_conv',
    num_actors=2,
    num_envs=3,
    unroll_length=4,
    batch_size=4,
    replay_proportion=0.5,
    replay_buffer_size=7,
)


def build(config):
    specs = config_lib.make_specs(config)
    agent = graph.make_agent(config, *specs)
    return experience.build_experience(config, agent, specs, start=0)


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize('asked_for, capacity', [(0, 4 + 3), (9, 9)])
def test_each_actor_fills_the_same_queue(asked_for, capacity):
    source = build(CONFIG._replace(queue_capacity=asked_for))
    assert len(source.envs) == len(source.enqueue_ops) == 2
    size = source.queue.size()
    sequences = source.queue.dequeue_many(6)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for number, enqueue in enumerate(source.enqueue_ops):
            session.run(enqueue)
            assert session.run(size) == 3 * (number + 1)
        played = session.run(sequences)
        # Two actors play different games, and so do the environments of each.
        screens = played.env_outputs.observation['screen']['player_relative'][:, 0]
        assert len({screen.tobytes() for screen in screens}) > 1
        assert played.env_outputs.done.shape == (6, 5)
        for _ in range(capacity // 3):
            session.run(source.enqueue_ops[0])
        assert session.run(size) == capacity // 3 * 3
        blocked = session.make_callable(source.enqueue_ops[1])
        session.run(source.queue.queue.close(cancel_pending_enqueues=True))
        with pytest.raises(tf.errors.CancelledError):
            blocked()


def test_memory_holds_what_the_queue_carries():
    source = build(CONFIG)
    replay = experience.make_replay(CONFIG, source.queue)
    arrays = [np.zeros((2,) + shape, dtype) for shape, dtype in source.queue.component_specs()]
    replay.insert(arrays)
    assert (replay.capacity, replay.size) == (7, 2)
    assert experience.replay_bytes(CONFIG, source.queue) == 7 * sum(a.nbytes for a in arrays) // 2


def test_no_memory_without_replay():
    config = CONFIG._replace(replay_proportion=0.0)
    assert experience.make_replay(config, build(config).queue) is None


def test_memory_that_does_not_fit(monkeypatch):
    queue = build(CONFIG).queue
    needed = experience.replay_bytes(CONFIG, queue)
    monkeypatch.setattr(experience.memory, 'available_bytes', lambda: needed)
    assert experience.make_replay(CONFIG, queue) is not None
    monkeypatch.setattr(experience.memory, 'available_bytes', lambda: needed - 1)
    with pytest.raises(UserError, match='--replay_buffer_size=7 takes .* at most 6 sequences'):
        experience.make_replay(CONFIG, queue)

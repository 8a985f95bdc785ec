"""Actors, their queue and the memory, as a run builds them."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.replay import least_compressed_bytes
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


@pytest.fixture(scope='module')
def queue():
    """Of `CONFIG`, to ask what it carries."""
    with tf.Graph().as_default():
        return build(CONFIG).queue


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


def test_memory_holds_what_the_queue_carries(queue):
    replay = experience.make_replay(CONFIG, queue)
    arrays = [np.zeros((2,) + shape, dtype) for shape, dtype in queue.component_specs()]
    replay.insert(arrays)
    assert (replay.capacity, replay.size) == (7, 2)
    assert experience.replay_bytes(CONFIG, queue) == 7 * sum(a.nbytes for a in arrays) // 2


def test_no_memory_without_replay(queue):
    assert experience.make_replay(CONFIG._replace(replay_proportion=0.0), queue) is None


@pytest.mark.parametrize('compression, least', [('none', ''), ('zstd', 'at least ')])
def test_memory_that_does_not_fit(queue, monkeypatch, compression, least):
    config = CONFIG._replace(replay_compression=compression)
    needed = experience.replay_bytes(config, queue)
    if compression == 'zstd':
        needed = least_compressed_bytes(queue.component_specs(), config.replay_buffer_size)
    monkeypatch.setattr(experience.memory, 'available_bytes', lambda: needed)
    assert experience.make_replay(config, queue) is not None
    monkeypatch.setattr(experience.memory, 'available_bytes', lambda: needed - 1)
    message = f'--replay_buffer_size=7 takes {least}[0-9].* at most 6 sequences'
    with pytest.raises(UserError, match=message):
        experience.make_replay(config, queue)


@pytest.mark.parametrize('compression', ['none', 'zstd'])
def test_summaries_of_the_memory(queue, compression):
    replay = experience.make_replay(CONFIG._replace(replay_compression=compression), queue)
    experience.add_replay_summaries(replay)
    summary = tf.summary.merge_all()
    # Also while the critic is trained alone.
    of_critic = tf.summary.merge_all(learner.CRITIC_SUMMARIES)
    with tf.Session() as session:
        for size in (0, 2):
            replay.insert(
                [np.ones((size,) + shape, dtype) for shape, dtype in queue.component_specs()]
            )
            expected = {
                'replay/sequences': size,
                'replay/mebibytes': np.float32(replay.num_bytes / 2.0**20),
            }
            for fetch in (summary, of_critic):
                values = tf.Summary.FromString(session.run(fetch)).value
                assert {value.tag: value.simple_value for value in values} == expected

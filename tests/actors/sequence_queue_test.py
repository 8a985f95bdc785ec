"""The queue of sequences: structure, order, and what happens while there is no room."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents
from tests import fakes

K = 3


@pytest.fixture
def played():
    """(session, random sequences of K games, queue of them with room for three times as many).

    Every run of the sequences gives other rewards; everything else is 0 and False.
    """
    observation_spec, action_spec = fakes.make_specs()
    agent = agents.make_agent('fully_conv', observation_spec, action_spec, 6)
    spec = actors.sequence_spec(agent, observation_spec, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        output = tf.nest.map_structure(lambda s: tf.zeros([K] + s.shape.as_list(), s.dtype), spec)
        reward = tf.random.uniform(output.env_outputs.reward.shape)
        output = output._replace(env_outputs=output.env_outputs._replace(reward=reward))
        yield session, output, actors.SequenceQueue(spec, capacity=3 * K)


def test_keeps_structure_and_order(played):
    session, output, queue = played
    enqueue, dequeued = queue.enqueue_many(output), queue.dequeue_many(K)
    reward = output.env_outputs.reward
    rewards = [session.run([enqueue, reward])[1] for _ in range(2)]
    assert session.run(queue.size()) == 2 * K
    assert np.unique(rewards).size == np.size(rewards)
    for expected in rewards:
        result = session.run(dequeued)
        np.testing.assert_array_equal(result.env_outputs.reward, expected)
    tf.nest.assert_same_structure(result, queue.spec)
    specs = actors.component_specs(queue.spec)
    assert [a.shape[1:] for a in tf.nest.flatten(result)] == [shape for shape, _ in specs]
    assert [a.dtype for a in tf.nest.flatten(result)] == [np.dtype(d) for _, d in specs]


def test_columns_may_be_dequeued_in_other_numbers(played):
    session, output, queue = played
    enqueue = queue.enqueue_many(output)
    _, rewards = session.run([enqueue, output.env_outputs.reward])
    found = [session.run(queue.dequeue_many(n)).env_outputs.reward for n in (1, 2)]
    np.testing.assert_array_equal(np.concatenate(found), rewards)
    assert queue.dequeue_many(2).env_outputs.reward.shape.as_list() == [2, 3]


def test_blocks_while_there_is_no_room(played):
    session, output, queue = played
    enqueue = queue.enqueue_many(output)
    for _ in range(3):
        session.run(enqueue)
    assert session.run(queue.size()) == 3 * K
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(enqueue, options=tf.RunOptions(timeout_in_ms=200))


def test_refuses_another_structure(played):
    _, output, queue = played
    with pytest.raises((ValueError, TypeError)):
        queue.enqueue_many(output.env_outputs)

"""The batch: time-major, with defaults for new sequences, and copied to a device ahead of use."""

import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import batch as batch_lib
from tests.learner import numbered

T = numbered.T


def test_steps_come_first_and_all_columns_are_new():
    with tf.Graph().as_default(), tf.Session() as session:
        batch = batch_lib.make_batch(numbered.tensors(7, 3))
        assert batch.num_replay == 0
        assert batch.env_outputs.observation['layer'].shape.as_list() == [T + 1, 3, 1]
        result = session.run(batch._replace(num_replay=()))
    np.testing.assert_array_equal(numbered.columns(result), [7, 8, 9])
    assert not result.is_replay.any() and result.is_replay.shape == (3,)
    assert result.keys.tolist() == [-1] * 3 and result.keys.dtype == np.int64
    assert result.probabilities.tolist() == [1.0] * 3
    assert result.probabilities.dtype == np.float32


def test_replayed_columns_have_keys_and_probabilities():
    with tf.Graph().as_default(), tf.Session() as session:
        batch = batch_lib.make_batch(
            numbered.tensors(7, 3),
            is_replay=tf.constant([False, True, True]),
            keys=tf.constant([5, 2, 3], tf.int64),
            probabilities=tf.constant([1.0, 0.25, 0.5]),
            num_replay=2,
        )
        assert batch.num_replay == 2
        result = session.run(batch._replace(num_replay=()))
    assert result.is_replay.tolist() == [False, True, True]
    assert result.keys.tolist() == [5, 2, 3]
    assert result.probabilities.tolist() == [1.0, 0.25, 0.5]


def test_the_last_columns():
    with tf.Graph().as_default(), tf.Session() as session:
        batch = batch_lib.make_batch(
            numbered.tensors(7, 3),
            is_replay=tf.constant([False, True, True]),
            keys=tf.constant([5, 2, 3], tf.int64),
            probabilities=tf.constant([1.0, 0.25, 0.5]),
            num_replay=2,
        )
        last = batch_lib.last_columns(batch, 2)
        assert last.num_replay == 2
        assert last.env_outputs.observation['layer'].shape.as_list() == [T + 1, 2, 1]
        result = session.run(last._replace(num_replay=()))
        with pytest.raises(ValueError, match='cannot be removed'):
            batch_lib.last_columns(batch._replace(parts=('part',)), 2)
    np.testing.assert_array_equal(numbered.columns(result), [8, 9])
    assert result.is_replay.tolist() == [True, True] and result.keys.tolist() == [2, 3]
    assert result.probabilities.tolist() == [0.25, 0.5]


def test_staging_keeps_the_order():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(2, 0)
        staged, (put, _) = batch_lib.stage(pipe.batch, '/cpu:0')
        assert staged.num_replay == 0 and type(staged) is batch_lib.Batch
        assert staged.env_outputs.observation['layer'].shape.as_list() == [T + 1, 2, 1]
        pipe.put(0, 8)
        pipe.session.run(put)
        fetches = [staged.agent_state[0], put]
        seen = [pipe.session.run(fetches)[0][:, 0] for _ in range(3)]
        np.testing.assert_array_equal(np.concatenate(seen), np.arange(6))


def test_the_next_batch_is_put_before_the_last_one_is_taken():
    """TensorFlow may run both in this order, and on one thread: then the first must not wait."""
    with tf.Graph().as_default() as graph:
        batch = batch_lib.make_batch(numbered.tensors(3, 1))
        staged, (put, _) = batch_lib.stage(batch, '/cpu:0')
    session = tf.Session(graph=graph)
    # What waits in a staging area cannot be interrupted.
    puts = threading.Thread(target=lambda: [session.run(put) for _ in range(2)], daemon=True)
    puts.start()
    puts.join(60)
    assert not puts.is_alive()
    for _ in range(2):
        assert session.run(staged.agent_state[0]).ravel()[0] == 3
    session.close()


def test_batches_staged_under_different_names_are_independent():
    with tf.Graph().as_default(), tf.Session() as session:
        batches = [batch_lib.make_batch(numbered.tensors(first, 1)) for first in (3, 8)]
        staged, stagings = zip(
            *[batch_lib.stage(b, '/cpu:0', f's{i}') for i, b in enumerate(batches)]
        )
        puts = [staging.put for staging in stagings]
        session.run(puts)
        states = session.run([batch.agent_state[0] for batch in staged])
    assert [state[0, 0] for state in states] == [3, 8]

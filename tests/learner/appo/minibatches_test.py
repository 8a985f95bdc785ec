"""Minibatches: every column once an epoch, in an order that can be had again."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import batch as batch_lib
from sc2impala.learner import towers
from sc2impala.learner.appo import minibatches
from tests.learner import table_agent as table

T, B = 3, 8


def make_batch(num_devices=1):
    env, mu = table.random_env_outputs(0, T, B), table.random_outputs(1, T, B)
    state = {'lstm': tf.reshape(tf.range(2.0 * B), [B, 2])}
    replayed = np.arange(B) >= 6
    batch = table.make_batch(env, mu, replayed, agent_state=state)
    return batch_lib.split(batch, ['/cpu:0'] * num_devices)


def drawn(frames, num_devices=1, epochs=3, count=2):
    with tf.Graph().as_default(), tf.Session() as session:
        batch = make_batch(num_devices)
        return session.run(minibatches.orders(batch, tf.constant(frames, tf.int64), epochs, count))


@pytest.mark.parametrize('num_devices', [1, 2])
def test_each_epoch_has_every_column_once(num_devices):
    found = drawn(7, num_devices)
    assert found.shape == (6, num_devices, B // 2 // num_devices)
    for epoch in found.reshape([3, 2, num_devices, -1]):
        for device in range(num_devices):
            columns = np.sort(epoch[:, device].ravel())
            np.testing.assert_array_equal(columns, np.arange(B // num_devices))


def test_the_order_is_another_one_in_each_epoch_and_update():
    found = drawn(7).reshape([3, -1])
    assert len({tuple(row) for row in found}) == 3
    assert not np.array_equal(drawn(8).reshape([3, -1]), found)
    np.testing.assert_array_equal(drawn(7).reshape([3, -1]), found)


@pytest.mark.parametrize('num_devices', [1, 2])
def test_a_minibatch_has_its_columns_of_everything(num_devices):
    with tf.Graph().as_default(), tf.Session() as session:
        batch = make_batch(num_devices)
        order = minibatches.orders(batch, tf.constant(1, tf.int64), 1, 2)[1]
        part = minibatches.take(batch, order)
        columns = minibatches.columns_of(batch, order)
        joined = (
            towers.join([(p.actions, p.env_outputs) for p in part.parts], 1) if (part.parts) else ()
        )
        names = [n for n in batch._fields if n not in ('parts', 'num_replay')]
        whole, some, columns, joined = session.run(
            [[getattr(b, n) for n in names] for b in (batch, part)] + [columns, joined]
        )
    assert len(columns) == B // 2 and part.num_replay == batch.num_replay
    if num_devices == 2:
        assert (np.sort(columns) // 4).tolist() == [0, 0, 1, 1]
    for name, all_of_it, found in zip(names, whole, some):
        axis = 1 if name in ('env_outputs', 'agent_outputs') else 0
        expected = tf.nest.map_structure(lambda a, axis=axis: a.take(columns, axis), all_of_it)
        tf.nest.map_structure(np.testing.assert_array_equal, found, expected)
        if name == 'env_outputs' and num_devices == 2:
            tf.nest.map_structure(np.testing.assert_array_equal, joined[1], expected)


def test_refuses_what_cannot_be_divided():
    with pytest.raises(ValueError, match='8 columns cannot be divided into 3 minibatches'):
        drawn(0, count=3)
    with pytest.raises(ValueError, match='into 8 minibatches on 2 devices'):
        drawn(0, num_devices=2, count=8)
    with tf.Graph().as_default():
        batch = make_batch()._replace(stream_state=(tf.zeros([2]),))
        with pytest.raises(ValueError, match='whole batches only'):
            minibatches.take(batch, tf.zeros([1, 2], tf.int32))

"""Batches: when replay joins in, what is marked as replayed, and what goes into the memory."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, learner, replay, structs

T = 2


def _sequences(first, count):
    """ActorOutput of [count, ...] whose every number is the number of the sequence."""
    numbers = np.arange(first, first + count)
    steps = np.tile(numbers[:, np.newaxis], [1, T + 1])
    return structs.ActorOutput(
        agent_state=(numbers.astype(np.float32)[:, np.newaxis],),
        env_outputs={'reward': steps.astype(np.float32), 'layer': np.uint8(steps)[..., np.newaxis]},
        agent_outputs={'baseline': steps.astype(np.float32)},
    )


class _Pipe:
    """A queue fed by hand, a replay memory, and the batch made of them."""

    def __init__(self, num_new, num_replay, capacity=50, eviction='fifo', seed=0):
        example = tf.nest.map_structure(
            lambda a: tf.placeholder(a.dtype, (None,) + a.shape[1:]), _sequences(0, 1)
        )
        queue = actors.SequenceQueue(example, capacity=1000)
        self._example, self._enqueue = example, queue.enqueue_many(example)
        self.replay = replay.Replay(
            capacity, queue.component_specs(), eviction, np.random.RandomState(seed)
        )
        self.batch = learner.next_batch(queue, num_new, num_replay, self.replay)
        self._size = queue.size()
        self.session = tf.Session()

    def put(self, first, count):
        feed = dict(zip(tf.nest.flatten(self._example), tf.nest.flatten(_sequences(first, count))))
        self.session.run(self._enqueue, feed)

    def size(self):
        return self.session.run(self._size)

    def next(self):
        batch = self.session.run(self.batch)
        columns = batch.agent_state[0][:, 0]
        for array in tf.nest.flatten([batch.env_outputs, batch.agent_outputs]):
            assert array.shape[:2] == (T + 1, len(columns))
            np.testing.assert_array_equal(array.reshape(T + 1, -1), np.tile(columns, [T + 1, 1]))
        return columns, batch.is_replay


def test_without_replay_all_columns_are_new():
    with tf.Graph().as_default():
        pipe = _Pipe(3, 0)
        pipe.put(0, 6)
        for first in (0, 3):
            columns, is_replay = pipe.next()
            np.testing.assert_array_equal(columns, np.arange(first, first + 3))
            assert not is_replay.any()


def test_training_starts_before_the_replay_is_full():
    with tf.Graph().as_default():
        pipe = _Pipe(2, 3, capacity=50)
        pipe.put(0, 20)
        columns, is_replay = pipe.next()
        np.testing.assert_array_equal(columns, np.arange(5))
        assert not is_replay.any()
        assert pipe.replay.size == 5
        columns, is_replay = pipe.next()
        np.testing.assert_array_equal(columns[:2], [5, 6])
        np.testing.assert_array_equal(is_replay, [False, False, True, True, True])
        assert set(columns[2:]) <= set(range(5)) and len(set(columns[2:])) == 3
        assert pipe.replay.size == 7 and pipe.size() == 13


def test_what_is_new_is_not_replayed_at_once():
    with tf.Graph().as_default():
        pipe = _Pipe(4, 4)
        pipe.put(0, 200)
        pipe.next()
        for _ in range(40):
            columns, is_replay = pipe.next()
            assert columns[is_replay].max() < columns[~is_replay].min()


def test_batches_have_static_shapes():
    with tf.Graph().as_default():
        pipe = _Pipe(2, 3)
        assert pipe.batch.env_outputs['layer'].shape.as_list() == [T + 1, 5, 1]
        assert pipe.batch.agent_state[0].shape.as_list() == [5, 1]
        assert pipe.batch.is_replay.shape.as_list() == [5]


def test_staging_keeps_the_order():
    with tf.Graph().as_default():
        pipe = _Pipe(2, 0)
        staged, put = learner.stage(pipe.batch, '/cpu:0')
        assert staged.env_outputs['layer'].shape.as_list() == [T + 1, 2, 1]
        pipe.put(0, 8)
        pipe.session.run(put)
        seen = [pipe.session.run([staged, put])[0].agent_state[0][:, 0] for _ in range(3)]
        np.testing.assert_array_equal(np.concatenate(seen), np.arange(6))


@pytest.mark.parametrize('eviction', ['fifo', 'reservoir'])
def test_same_seed_same_batches(eviction):
    results = []
    for seed in (0, 0, 1):
        with tf.Graph().as_default():
            pipe = _Pipe(2, 3, capacity=6, eviction=eviction, seed=seed)
            pipe.put(0, 100)
            results.append([pipe.next()[0].tolist() for _ in range(10)])
    assert results[0] == results[1] != results[2]

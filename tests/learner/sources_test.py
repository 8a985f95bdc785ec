"""Sources: when replay begins, what is marked as replayed, and what is put into the table."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import sources
from tests.learner import numbered

T = numbered.T


def test_without_replay_all_columns_are_new():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(3, 0)
        pipe.put(0, 6)
        for first in (0, 3):
            columns, batch = pipe.next()
            np.testing.assert_array_equal(columns, np.arange(first, first + 3))
            assert not batch.is_replay.any()
            assert batch.keys.tolist() == [-1] * 3
        assert pipe.batch.num_replay == 0


def test_training_starts_before_the_table_is_full():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(2, 3, capacity=50)
        pipe.put(0, 20)
        columns, batch = pipe.next()
        np.testing.assert_array_equal(columns, np.arange(5))
        assert not batch.is_replay.any()
        assert batch.keys.tolist() == [0, 1, 2, 3, 4]
        assert batch.probabilities.tolist() == [1.0] * 5
        assert pipe.table.size == 5
        columns, batch = pipe.next()
        np.testing.assert_array_equal(columns[:2], [5, 6])
        np.testing.assert_array_equal(batch.is_replay, [False, False, True, True, True])
        assert set(columns[2:]) <= set(range(5)) and len(set(columns[2:])) == 3
        # Every sequence entered the table in turn: its key is its number.
        np.testing.assert_array_equal(batch.keys, columns)
        np.testing.assert_allclose(batch.probabilities, [1, 1, 0.2, 0.2, 0.2])
        assert pipe.table.size == 7 and pipe.size() == 13


def test_new_sequences_are_not_replayed_in_the_same_batch():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(4, 4)
        pipe.put(0, 200)
        pipe.next()
        for _ in range(40):
            columns, batch = pipe.next()
            assert columns[batch.is_replay].max() < columns[~batch.is_replay].min()


def test_a_sequence_that_the_table_rejects_has_no_key():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(5, 1, capacity=1, remover='reservoir')
        pipe.put(0, 66)
        pipe.next()
        keys = np.concatenate([pipe.next()[1].keys[:5] for _ in range(10)])
    assert (keys == -1).sum() > 25
    assert ((keys == -1) | (keys == np.arange(6, 56))).all()


def test_batches_have_static_shapes():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(2, 3)
        assert pipe.batch.env_outputs.observation['layer'].shape.as_list() == [T + 1, 5, 1]
        assert pipe.batch.agent_state[0].shape.as_list() == [5, 1]
        assert pipe.batch.sequence_info.task.shape.as_list() == [5]
        for tensor in (pipe.batch.is_replay, pipe.batch.keys, pipe.batch.probabilities):
            assert tensor.shape.as_list() == [5]
        assert pipe.batch.num_replay == 3


@pytest.mark.parametrize('remover', ['fifo', 'reservoir'])
def test_same_seed_same_batches(remover):
    results = []
    for seed in (0, 0, 1):
        with tf.Graph().as_default():
            pipe = numbered.Pipe(2, 3, capacity=6, remover=remover, seed=seed)
            pipe.put(0, 100)
            results.append([pipe.next()[0].tolist() for _ in range(10)])
    assert results[0] == results[1] != results[2]


def test_replay_alone_samples_what_the_table_holds():
    table = numbered.make_table()
    with tf.Graph().as_default(), tf.Session() as session:
        batch = sources.ReplaySource(table, numbered.spec(), 4).next_batch()
        assert batch.num_replay == 4
        assert batch.env_outputs.observation['layer'].shape.as_list() == [T + 1, 4, 1]
        table.insert(tf.nest.flatten(numbered.arrays(0, 3)))
        with pytest.raises(tf.errors.InvalidArgumentError, match='at most the 3 sequences'):
            session.run(batch.keys)
        table.insert(tf.nest.flatten(numbered.arrays(3, 5)))
        for _ in range(3):
            result = session.run(batch._replace(num_replay=()))
            columns = numbered.columns(result)
            assert set(columns) <= set(range(8)) and result.is_replay.all()
            np.testing.assert_array_equal(result.keys, columns)
            np.testing.assert_allclose(result.probabilities, 1 / 8)
    assert table.num_inserted == 8


def test_replay_waits_for_as_many_sequences_as_asked_for():
    with tf.Graph().as_default():
        pipe = numbered.Pipe(2, 3, min_size=12)
        pipe.put(0, 40)
        sizes = []
        while not pipe.next()[1].is_replay.any():
            sizes.append(pipe.table.size)
    assert sizes == [5, 10, 15]


def test_first_priorities_decide_what_is_replayed():
    """In a batch that has replayed columns as well as in those before."""

    def is_three_or_ten(sequences):
        number = sequences.agent_state[0][:, 0]
        return tf.cast(tf.equal(number, 3.0) | tf.equal(number, 10.0), tf.float32)

    with tf.Graph().as_default():
        pipe = numbered.Pipe(4, 2, sampler='prioritised', priorities=is_three_or_ten)
        pipe.put(0, 30)
        assert not pipe.next()[1].is_replay.any()
        seen = []
        for _ in range(6):
            _, batch = pipe.next()
            seen.append(set(batch.keys[batch.is_replay]))
            share = 1.0 if seen[-1] == {3} and len(seen) < 3 else 0.5
            np.testing.assert_allclose(batch.probabilities[batch.is_replay], share)
    # Sequence 10 is inserted with the second batch.
    assert seen[0] == {3} and set.union(*seen) == {3, 10}


def test_priorities_reach_the_table():
    calls = []

    class Table:
        def update_priorities(self, keys, priorities):
            calls.append((keys.tolist(), priorities.tolist()))

    with tf.Graph().as_default(), tf.Session() as session:
        keys, priorities = tf.constant([4, -1], tf.int64), tf.constant([0.5, 2.0])
        session.run(sources.update_priorities(Table(), keys, priorities))
    assert calls == [([4, -1], [0.5, 2.0])]

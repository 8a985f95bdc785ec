"""Sequences whose every number is the number of the sequence, and a queue fed with them."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, replay, structs
from sc2impala.learner import sources

T = 2


def arrays(first, count):
    """`ActorOutput` of [count, ...] with the numbers `first` and following."""
    numbers = np.arange(first, first + count)
    steps = np.tile(numbers[:, np.newaxis], [1, T + 1])
    return structs.ActorOutput(
        agent_state=(numbers.astype(np.float32)[:, np.newaxis],),
        env_outputs=structs.EnvOutput(
            reward=steps.astype(np.float32),
            info=(),
            done=steps % 2 > 0,
            observation={'layer': np.uint8(steps)[..., np.newaxis]},
        ),
        agent_outputs={'baseline': steps.astype(np.float32)},
        sequence_info=structs.SequenceInfo(
            *(numbers.astype(d) for d in (np.int32, np.int32, np.int64, np.int64))
        ),
    )


def tensors(first, count):
    """The same as constants of the graph."""
    return tf.nest.map_structure(tf.constant, arrays(first, count))


def spec():
    """`tf.TensorSpec`s of one sequence."""
    return tf.nest.map_structure(lambda a: tf.TensorSpec(a.shape[1:], a.dtype), arrays(0, 1))


def make_table(capacity=50, remover='fifo', seed=0, sampler='uniform'):
    """An empty replay table for such sequences."""
    return replay.ReplayTable(
        capacity,
        actors.component_specs(spec()),
        replay.SAMPLERS[sampler](),
        replay.REMOVERS[remover](),
        np.random.RandomState(seed),
    )


def columns(batch):
    """The numbers of the sequences in an evaluated batch, which all its arrays must agree on."""
    numbers = batch.agent_state[0][:, 0]
    steps = [batch.env_outputs.reward, batch.env_outputs.observation['layer'][..., 0]]
    for array in steps + [batch.agent_outputs['baseline']]:
        np.testing.assert_array_equal(array, np.tile(numbers, [T + 1, 1]))
    np.testing.assert_array_equal(batch.env_outputs.done[0], numbers % 2 > 0)
    for array in batch.sequence_info:
        np.testing.assert_array_equal(array, numbers)
    return numbers


class Pipe:
    """A queue fed by hand, a replay table, and the batch made of them."""

    def __init__(self, num_new, num_replay, min_size=0, priorities=None, **table_arguments):
        self._example = tf.nest.map_structure(
            lambda a: tf.placeholder(a.dtype, (None,) + a.shape[1:]), arrays(0, 1)
        )
        queue = actors.SequenceQueue(spec(), capacity=1000)
        self._enqueue = queue.enqueue_many(self._example)
        self.table = make_table(**table_arguments)
        source = sources.QueueSource(queue, num_new)
        if num_replay:
            source = sources.MixedSource(
                queue, self.table, num_new, num_replay, min_size, priorities
            )
        self.batch = source.next_batch()
        self._size = queue.size()
        self.session = tf.Session()

    def put(self, first, count):
        feed = dict(zip(tf.nest.flatten(self._example), tf.nest.flatten(arrays(first, count))))
        self.session.run(self._enqueue, feed)

    def size(self):
        return self.session.run(self._size)

    def next(self):
        """The numbers of the columns of the next batch, and the batch."""
        batch = self.session.run(self.batch._replace(num_replay=()))
        return columns(batch), batch

"""From the queue (and the replay memory) to the batch of one update.

T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import collections
from typing import Any, Optional

import numpy as np
import tensorflow.compat.v1 as tf

Batch = collections.namedtuple(
    'Batch', ['agent_state', 'env_outputs', 'agent_outputs', 'is_replay']
)
"""agent_state: nest of [B, ...]; env_outputs, agent_outputs: of [T + 1, B]; is_replay: bool [B]."""


def next_batch(
    queue: Any, num_new: int, num_replay: int = 0, replay: Optional[Any] = None
) -> Batch:
    """Takes N new sequences from the queue and R from replay, and puts the new ones into replay.

    Until the memory holds R sequences the batch is made of N + R new ones, so that training starts
    with the first sequences played and the shape of a batch never changes.

    Args:
      queue: `actors.SequenceQueue` of `ActorOutput`s.
      num_new: N.
      num_replay: R.
      replay: `replay.Replay`; needed when R > 0. It is called by this process only.
    """
    if num_replay:
        sequences, is_replay = _mixed(queue, num_new, num_replay, replay)
    else:
        sequences = queue.dequeue_many(num_new)
        is_replay = tf.zeros([num_new], tf.bool)
    return Batch(
        agent_state=sequences.agent_state,
        env_outputs=tf.nest.map_structure(_time_major, sequences.env_outputs),
        agent_outputs=tf.nest.map_structure(_time_major, sequences.agent_outputs),
        is_replay=is_replay,
    )


def stage(nest: Any, device: str) -> tuple:
    """Copies batches to a device ahead of their use.

    Args:
      nest: tensors of the next batch.
      device: where they are wanted, e.g. '/gpu:0'.

    Returns:
      The batch that was put last, as a nest of tensors on `device`, and the operation that puts the
      next one there. Run the operation once before the first batch is used, then with every update.
    """
    flat = tf.nest.flatten(nest)
    with tf.device(device):
        put = tf.raw_ops.Stage(values=flat, capacity=1, shared_name='staged_batch')
        staged = tf.raw_ops.Unstage(
            dtypes=[t.dtype for t in flat], capacity=1, shared_name='staged_batch'
        )
    for tensor, original in zip(staged, flat):
        tensor.set_shape(original.shape)
    return tf.nest.pack_sequence_as(nest, staged), put


def _mixed(queue, num_new, num_replay, replay):
    """`ActorOutput` of [B, ...] and bool [B]; one of the two ways is taken in each run."""

    def insert_arrays(*components):
        replay.insert(components)
        return np.int64(replay.size)

    def insert(sequences):
        flat = tf.nest.flatten(sequences)
        return tf.numpy_function(insert_arrays, flat, tf.int64, name='replay_insert')

    def sample(like):
        flat = tf.nest.flatten(like)
        sampled = tf.numpy_function(
            lambda: replay.sample(num_replay), [], [t.dtype for t in flat], name='replay_sample'
        )
        for tensor, new in zip(sampled, flat):
            tensor.set_shape([num_replay] + new.shape.as_list()[1:])
        return tf.nest.pack_sequence_as(like, sampled)

    def only_new():
        new = queue.dequeue_many(num_new + num_replay)
        with tf.control_dependencies([insert(new)]):
            return tf.nest.flatten(tf.nest.map_structure(tf.identity, new))

    def new_and_replayed():
        new = queue.dequeue_many(num_new)
        # Sampled first: what has just been played is no memory yet.
        old = sample(new)
        with tf.control_dependencies(tf.nest.flatten(old)):
            inserted = insert(new)
        with tf.control_dependencies([inserted]):
            both = tf.nest.map_structure(lambda a, b: tf.concat([a, b], axis=0), new, old)
        return tf.nest.flatten(both)

    ready = tf.numpy_function(
        lambda: np.bool_(replay.size >= num_replay), [], tf.bool, name='replay_ready'
    )
    ready.set_shape([])
    sequences = queue.pack(tf.cond(ready, new_and_replayed, only_new))
    is_replay = tf.logical_and(ready, tf.range(num_new + num_replay) >= num_new)
    return sequences, is_replay


def _time_major(tensor):
    """[B, T + 1, ...] -> [T + 1, B, ...]."""
    return tf.transpose(tensor, [1, 0] + list(range(2, len(tensor.shape))))

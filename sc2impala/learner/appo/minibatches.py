"""Minibatches of whole sequences: their columns and order.

E is the number of epochs, M of minibatches in each, B the number of columns, D the number of
devices that share them (1 if the batch has no parts).
"""

import tensorflow.compat.v1 as tf

from sc2impala.learner.batch import Batch, map_columns
from sc2impala.structs import Nest

_STREAM = 2006
"""Second half of the seed of the orders."""


def orders(batch: Batch, frames: tf.Tensor, epochs: int, minibatches: int) -> tf.Tensor:
    """The columns of every minibatch, in a new random order in each epoch.

    A function of `frames`, which differs between updates of a phase: a run that resumes from
    a checkpoint draws the same ones. The columns of a device stay together.

    Args:
      batch: B columns, a multiple of M * D.
      frames: int64 [], environment frames of the phase before the update.
      epochs: E.
      minibatches: M.

    Returns:
      int32 [E * M, D, B / (M * D)]: columns counted within the part of a device.

    Raises:
      ValueError: if the columns cannot be divided.
    """
    devices, size = num_parts(batch), batch.is_replay.shape.as_list()[0]
    if size is not None and size % (minibatches * devices):
        raise ValueError(
            f'{size} columns cannot be divided into {minibatches} minibatches on {devices} devices'
        )
    with tf.device('/cpu'):
        columns = tf.shape(batch.is_replay)[0] // devices
        seed = tf.stack([frames, tf.constant(_STREAM, tf.int64)])
        random = tf.random.stateless_uniform([epochs, devices, columns], seed)
        order = tf.reshape(
            tf.argsort(random, axis=-1), [epochs, devices, minibatches, columns // minibatches]
        )
        order = tf.transpose(order, [0, 2, 1, 3])
        return tf.reshape(order, [epochs * minibatches, devices, columns // minibatches])


def num_parts(batch: Batch) -> int:
    """D."""
    return max(1, len(batch.parts))


def take(batch: Batch, order: tf.Tensor) -> Batch:
    """The columns of one minibatch.

    Args:
      batch: B columns, without `stream_state`, which exists for whole batches only.
      order: int32 [D, B / (M * D)], a row of `orders`.

    Returns:
      Batch of B / M columns; `parts` have their own share on their own device.
    """
    if tf.nest.flatten(batch.stream_state):
        raise ValueError('the recurrent state of recorded columns is kept for whole batches only')
    chosen = columns_of(batch, order)

    parts = []
    for index, part in enumerate(batch.parts):
        with tf.device(part.device):
            of_part = time_major((part.actions, part.env_outputs), order[index])
        parts.append(part._replace(actions=of_part[0], env_outputs=of_part[1]))
    taken = map_columns(lambda axis, t: tf.gather(t, chosen, axis=axis), batch)
    return batch._replace(parts=tuple(parts), **taken)


def columns_of(batch: Batch, order: tf.Tensor) -> tf.Tensor:
    """Returns columns of the whole batch for a row of `orders`, int32 [B / M]."""
    devices = num_parts(batch)
    first = tf.range(devices) * (tf.shape(batch.is_replay)[0] // devices)
    return tf.reshape(order + first[:, tf.newaxis], [-1])


def time_major(nest: Nest, columns: tf.Tensor) -> Nest:
    """Selects columns of a nest of [T, B, ...]."""
    return tf.nest.map_structure(lambda t: tf.gather(t, columns, axis=1), nest)

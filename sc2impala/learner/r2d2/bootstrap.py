"""Learning with bootstrapped heads: each version of the heads has separate columns.

See `agents.bootstrap`. Each version has its own double Q targets, and learns from a sequence or
not, by a mask (Osband et al. 2016, arXiv 1602.04621, section 4); the losses are averaged over the
versions. H is the number of versions, B the number of sequences. Version h of sequence b is column
b * H + h.
"""

from typing import Dict

import tensorflow.compat.v1 as tf

from sc2impala import hashing
from sc2impala.structs import Nest


def repeat(nest: Nest, num_versions: int, axis: int) -> Nest:
    """Columns of sequences for each version: B becomes B * H along an axis of all tensors."""
    return tf.nest.map_structure(lambda t: tf.repeat(t, num_versions, axis=axis), nest)


def shares(keys: tf.Tensor, num_versions: int, probability: float) -> tf.Tensor:
    """Weights of sequences for each version: 1 / H or 0.

    Args:
      keys: int64 [B], keys in the replay buffer. The masks are a function of them: they
        are the same at every replay of a sequence.
      num_versions: H.
      probability: probability of 1 / H.

    Returns:
      float32 [B * H].
    """
    versions = tf.range(num_versions, dtype=tf.int64)
    learns = hashing.uniform([keys[:, tf.newaxis], versions]) < probability
    return tf.reshape(tf.cast(learns, tf.float32), [-1]) / num_versions


def mean(columns: tf.Tensor, num_versions: int) -> tf.Tensor:
    """The mean over the versions: float32 [..., B * H] to [..., B]."""
    return tf.reduce_mean(_by_version(columns, num_versions), axis=-1)


def metrics(q_values: tf.Tensor, mask: tf.Tensor, num_versions: int) -> Dict[str, tf.Tensor]:
    """Returns measures of the disagreement of versions, by tag.

    Args:
      q_values: float32 [T, B * H], values of the executed actions.
      mask: float32 [T, B * H], 0 on excluded steps.
      num_versions: H.

    Returns:
      `q/std_of_heads`: their standard deviation over versions, the mean over included steps.
    """
    values = _by_version(q_values, num_versions)
    centred = values - tf.reduce_mean(values, axis=-1, keepdims=True)
    deviations = tf.sqrt(tf.reduce_mean(tf.square(centred), axis=-1))
    counted = mean(mask, num_versions)
    total = tf.reduce_sum(deviations * counted)
    return {'q/std_of_heads': tf.math.divide_no_nan(total, tf.reduce_sum(counted))}


def _by_version(columns: tf.Tensor, num_versions: int) -> tf.Tensor:
    """[..., B * H] to [..., B, H]."""
    shape = tf.concat([tf.shape(columns)[:-1], [-1, num_versions]], axis=0)
    return tf.reshape(columns, shape)

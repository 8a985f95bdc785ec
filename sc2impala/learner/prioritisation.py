"""Priorities of sequences in the replay buffer, and the weights that correct for them.

Sources: prioritized experience replay (Schaul et al. 2016, arXiv 1511.05952), and its use for
sequences in R2D2 (Kapturowski et al. 2019). T is the unroll length, B the batch size. All functions
are pure, and no gradient flows through them.
"""

import tensorflow.compat.v1 as tf

from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.settings.learning import PrioritySettings


def sequence_priorities(errors: tf.Tensor, mask: tf.Tensor, max_share: float) -> tf.Tensor:
    """max_share * max_t |error_t| + (1 - max_share) * mean_t |error_t|, R2D2's section 2.3.

    Args:
      errors: float32 [T, B].
      mask: float32 [T, B], 0 for excluded steps.
      max_share: eta, 0 to 1.

    Returns:
      float32 [B]; 0 for a sequence without included steps.
    """
    sizes = tf.stop_gradient(tf.abs(errors)) * mask
    mean = tf.math.divide_no_nan(tf.reduce_sum(sizes, axis=0), tf.reduce_sum(mask, axis=0))
    return max_share * tf.reduce_max(sizes, axis=0) + (1.0 - max_share) * mean


def importance_weights(
    probabilities: tf.Tensor, sampled: tf.Tensor, exponent: tf.Tensor
) -> tf.Tensor:
    """P^-exponent over the largest of these in the batch, Schaul et al.'s section 3.4.

    The number of sequences in the buffer, a factor on all P, cancels.

    Args:
      probabilities: float32 [B], P, above 0 where `sampled`.
      sampled: bool [B], True for columns drawn from the replay buffer.
      exponent: float32 [], beta; at 0, and for equal probabilities, all weights are 1.

    Returns:
      float32 [B], above 0 and at most 1; 1 where not `sampled`.
    """
    ones = tf.ones_like(probabilities)
    smallest = tf.reduce_min(tf.where(sampled, probabilities, ones))
    ratios = tf.where(sampled, smallest / probabilities, ones)
    return tf.stop_gradient(tf.pow(ratios, exponent))


def batch_weights(batch: Batch, settings: PrioritySettings, schedule: Schedule) -> tf.Tensor:
    """The importance weights of the columns of a batch, float32 [B].

    Args:
      batch: `learner.batch.Batch`. Columns without a key were not drawn from the replay buffer,
        e.g. recorded ones.
      settings: the exponent and its schedule.
      schedule: `learner.optimization.Schedule`.
    """
    exponent = schedule.linear(settings.importance_exponent, settings.importance_exponent_at_end)
    sampled = tf.logical_and(batch.is_replay, batch.keys >= 0)
    return importance_weights(batch.probabilities, sampled, exponent)

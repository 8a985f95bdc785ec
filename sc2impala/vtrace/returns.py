"""Discounted returns, the targets of critic pre-training."""

from typing import Optional

import tensorflow.compat.v1 as tf

from sc2impala.vtrace.ranks import assert_rank
from sc2impala.vtrace.recurrence import reverse_linear_recurrence


def discounted_returns(
    rewards: tf.Tensor,
    discounts: tf.Tensor,
    bootstrap_value: tf.Tensor,
    mask: Optional[tf.Tensor] = None,
    values: Optional[tf.Tensor] = None,
) -> tf.Tensor:
    """Computes discounted returns: G_t = r_t + discount_t * G_{t+1}, G_T = bootstrap_value.

    T is the length of the unroll, B the batch size.

    Args:
      rewards: float32 [T, B], the reward that followed step t.
      discounts: float32 [T, B], the discount after step t: 0 where an episode ended with it.
      bootstrap_value: float32 [B], the value of the observation after the last step.
      mask: float32 [T, B] or None. Steps at which it is 0 (their episode was aborted) are excluded:
        the return there is the step's own value, from which earlier steps bootstrap.
      values: float32 [T, B], the values of the observations at step t. Required with `mask`.

    Returns:
      float32 [T, B]: G_0, ..., G_{T-1}. No gradient flows through it.

    Raises:
      ValueError: an argument has the wrong rank, or `mask` is given without `values`.
    """
    rewards = tf.convert_to_tensor(rewards, dtype=tf.float32)
    discounts = tf.convert_to_tensor(discounts, dtype=tf.float32)
    bootstrap_value = tf.convert_to_tensor(bootstrap_value, dtype=tf.float32)
    assert_rank('rewards', rewards, 2)
    assert_rank('discounts', discounts, 2)
    assert_rank('bootstrap_value', bootstrap_value, 1)
    if mask is not None:
        if values is None:
            raise ValueError(
                '`values` must be given with `mask`: the return of a masked step is its value.'
            )
        mask = tf.convert_to_tensor(mask, dtype=tf.float32)
        values = tf.convert_to_tensor(values, dtype=tf.float32)
        assert_rank('mask', mask, 2)
        assert_rank('values', values, 2)
        is_step = tf.not_equal(mask, 0.0)
        rewards = tf.where_v2(is_step, rewards, values)
        discounts = tf.where_v2(is_step, discounts, 0.0)
    return tf.stop_gradient(reverse_linear_recurrence(discounts, rewards, bootstrap_value))

"""UPGO, the upgoing policy update: advantages that learn from returns better than expected.

Vinyals et al. 2019, 'Grandmaster level in StarCraft II using multi-agent reinforcement learning',
methods. Bootstrapping where a return was worse than expected keeps a later mistake from being held
against an earlier good action.
"""

from typing import Optional

import tensorflow.compat.v1 as tf

from sc2impala.vtrace.ranks import assert_rank
from sc2impala.vtrace.recurrence import reverse_linear_recurrence


def upgo_advantages(
    log_rhos: tf.Tensor,
    discounts: tf.Tensor,
    rewards: tf.Tensor,
    values: tf.Tensor,
    bootstrap_value: tf.Tensor,
    mask: Optional[tf.Tensor] = None,
) -> tf.Tensor:
    """Computes min(1, rho_t) * (G_t - V(x_t)) with the upgoing returns

      G_t = r_t + discount_t * (G_{t+1} if r_{t+1} + discount_{t+1} V(x_{t+2}) >= V(x_{t+1})
                                else V(x_{t+1})),

    where G_T = V(x_T) = `bootstrap_value`. T is the length of the unroll, B the batch size.

    Args:
      log_rhos: float32 [T, B], log pi(a_t | x_t) - log mu(a_t | x_t).
      discounts: float32 [T, B], the discount after step t: 0 where an episode ended with it.
      rewards: float32 [T, B], the reward that followed a_t.
      values: float32 [T, B], the baseline V(x_t).
      bootstrap_value: float32 [B], the baseline V(x_T).
      mask: float32 [T, B] or None. Steps at which it is 0 (their episode was aborted) are excluded:
        G_t = V(x_t), from which earlier steps bootstrap, and the advantage is 0.

    Returns:
      float32 [T, B]. No gradient flows through it.

    Raises:
      ValueError: an argument has the wrong rank.
    """
    log_rhos, discounts, rewards, values, bootstrap_value = (
        tf.convert_to_tensor(t, dtype=tf.float32)
        for t in (log_rhos, discounts, rewards, values, bootstrap_value)
    )
    assert_rank('log_rhos', log_rhos, 2)
    assert_rank('discounts', discounts, 2)
    assert_rank('rewards', rewards, 2)
    assert_rank('values', values, 2)
    assert_rank('bootstrap_value', bootstrap_value, 1)

    weights = tf.minimum(1.0, tf.exp(log_rhos))
    values_tp1 = tf.concat([values[1:], bootstrap_value[tf.newaxis]], axis=0)
    one_step = rewards + discounts * values_tp1
    is_better = tf.concat([one_step[1:] >= values[1:], tf.ones_like(discounts[:1]) > 0], axis=0)
    following = tf.where_v2(is_better, discounts, 0.0)
    terms = tf.where_v2(is_better, rewards, one_step)
    if mask is not None:
        mask = tf.convert_to_tensor(mask, dtype=tf.float32)
        assert_rank('mask', mask, 2)
        is_step = tf.not_equal(mask, 0.0)
        following = tf.where_v2(is_step, following, 0.0)
        terms = tf.where_v2(is_step, terms, values)
        weights = tf.where_v2(is_step, weights, 0.0)
    returns = reverse_linear_recurrence(following, terms, bootstrap_value)
    return tf.stop_gradient(weights * (returns - values))

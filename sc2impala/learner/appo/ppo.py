"""Proximal policy optimisation as pure functions of tensors.

Sources: PPO (Schulman et al. 2017, arXiv 1707.06347, equation 7), with the reciprocal lower bound
and the asynchronous setting of Sample Factory (Petrenko et al. 2020, arXiv 2006.11751); GAE
(Schulman et al. 2016, arXiv 1506.02438, equation 16). mu is the behaviour policy, pi the
trained policy. T is the length of the unroll, B the batch size. Tensors are float32 [T, B] unless
stated otherwise. Each loss has one value per step; the caller masks, weights and sums them.
"""

import tensorflow.compat.v1 as tf

_MAX_LOG_RATIO = 20.0
"""Limit of log ratios: a clipped ratio has no gradient there, and an unclipped one stays finite."""

_SMALLEST_DEVIATION = 1e-5
"""Added to the standard deviation of advantages."""


def ratios(log_probs: tf.Tensor, behaviour_log_probs: tf.Tensor) -> tf.Tensor:
    """Returns pi(a) / mu(a) of the joint actions, at most exp(20).

    Its gradient reaches `log_probs` only, and none where the limit is exceeded.
    """
    log_ratios = log_probs - tf.stop_gradient(behaviour_log_probs)
    return tf.exp(tf.minimum(log_ratios, _MAX_LOG_RATIO))


def clip_ratios(ratios: tf.Tensor, clip: float) -> tf.Tensor:
    """Ratios clipped to [1 / (1 + clip), 1 + clip]; unchanged if `clip` is 0.

    The lower bound is the reciprocal of the upper one, and not 1 - clip: both are as far from 1 in
    the logarithm, and none is negative for a clip above 1.
    """
    if not clip:
        return ratios
    return tf.clip_by_value(ratios, 1.0 / (1.0 + clip), 1.0 + clip)


def is_clipped(ratios: tf.Tensor, advantages: tf.Tensor, clip: float) -> tf.Tensor:
    """Returns whether clipping takes the gradient from a step, bool [T, B].

    So the ratio has left the interval in the direction of the advantage.
    """
    if not clip:
        return tf.zeros_like(ratios, tf.bool)
    above = tf.logical_and(ratios > 1.0 + clip, advantages > 0.0)
    below = tf.logical_and(ratios < 1.0 / (1.0 + clip), advantages < 0.0)
    return tf.logical_or(above, below)


def policy_loss(ratios: tf.Tensor, advantages: tf.Tensor, clip: float) -> tf.Tensor:
    """Returns - min(ratio * A, clipped ratio * A), equation 7 of PPO.

    Where nothing is clipped its gradient is - A * ratio * grad log pi(a): the policy
    gradient with the full importance weight; on-policy it equals IMPALA's. It reaches `ratios`
    only.

    Args:
      ratios: pi(a) / mu(a).
      advantages: without an importance weight; no gradient flows to them.
      clip: see `clip_ratios`; 0 does not clip.
    """
    advantages = tf.stop_gradient(advantages)
    surrogate = ratios * advantages
    return -tf.minimum(surrogate, clip_ratios(ratios, clip) * advantages)


def value_loss(
    targets: tf.Tensor, values: tf.Tensor, old_values: tf.Tensor, clip: float
) -> tf.Tensor:
    """Returns 1/2 max((target - V)^2, (target - V_clipped)^2).

    V_clipped = V_old + clip_to(V - V_old, [-clip, clip]). Its gradient reaches `values` only, and
    is 0 where V is outside of the interval and V_clipped is farther from the target.

    Args:
      targets: of the baseline.
      values: V, of the trained weights.
      old_values: V at the time of acting.
      clip: 0 does not clip: 1/2 (target - V)^2.
    """
    targets = tf.stop_gradient(targets)
    loss = tf.math.squared_difference(targets, values)
    if clip:
        old_values = tf.stop_gradient(old_values)
        near = old_values + tf.clip_by_value(values - old_values, -clip, clip)
        loss = tf.maximum(loss, tf.math.squared_difference(targets, near))
    return 0.5 * loss


def advantages(
    rewards: tf.Tensor,
    discounts: tf.Tensor,
    values: tf.Tensor,
    bootstrap_value: tf.Tensor,
    vs: tf.Tensor,
    trace_decay: float,
    mask: tf.Tensor,
) -> tf.Tensor:
    """Returns advantages for targets vs, without the importance weight of the same step.

    A_t = r_t + discount_t * (lambda * vs_{t+1} + (1 - lambda) * V(x_{t+1})) - V(x_t), and 0 where
    `mask` is. IMPALA multiplies A_t with min(1, ratio_t); here the ratio is in the loss already.
    With the targets of TD(lambda) this is GAE(lambda). No gradient flows through it.

    Args:
      rewards: rewards after the actions.
      discounts: after each step, 0 where an episode ended with it.
      values: V(x_t) for t < T.
      bootstrap_value: float32 [B], V(x_T) = vs_T.
      vs: targets of the baseline, from V-trace or TD(lambda).
      trace_decay: lambda.
      mask: 0 for excluded steps.
    """
    last = bootstrap_value[tf.newaxis]
    next_vs = tf.concat([vs[1:], last], axis=0)
    next_values = tf.concat([values[1:], last], axis=0)
    mixed = trace_decay * next_vs + (1.0 - trace_decay) * next_values
    found = rewards + discounts * mixed - values
    return tf.stop_gradient(tf.where(mask > 0.0, found, tf.zeros_like(found)))


def normalised(advantages: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    """Advantages minus their mean, divided by their standard deviation; 0 where `mask` is.

    Mean and deviation are over the steps whose mask is 1.
    """
    count = tf.reduce_sum(mask)
    mean = tf.math.divide_no_nan(tf.reduce_sum(mask * advantages), count)
    centred = mask * (advantages - mean)
    deviation = tf.sqrt(tf.math.divide_no_nan(tf.reduce_sum(tf.square(centred)), count))
    return centred / (deviation + _SMALLEST_DEVIATION)

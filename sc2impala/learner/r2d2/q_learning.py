"""The maths of recurrent Q learning, as pure functions of tensors.

Sources: R2D2 (Kapturowski et al. 2019, ICLR), for the rescaling of values and n-step double Q
targets over sequences; the rescaling is by Pohlen et al. 2018, arXiv 1805.11593. T is the
number of steps of a sequence, B the batch size. Tensors are float32 [T, B] unless stated otherwise.
"""

import tensorflow.compat.v1 as tf

RESCALING_EPSILON = 1e-3
"""Epsilon of h: with it h has an inverse that is Lipschitz continuous."""

LOWEST_BONUS = -1.0
"""Lower limit of Munchausen's log-probability, l_0 in the appendix of its paper."""


def rescale(values: tf.Tensor, epsilon: float = RESCALING_EPSILON) -> tf.Tensor:
    """h(x) = sign(x) (sqrt(|x| + 1) - 1) + epsilon x, elementwise."""
    return tf.sign(values) * (tf.sqrt(tf.abs(values) + 1.0) - 1.0) + epsilon * values


def unscale(values: tf.Tensor, epsilon: float = RESCALING_EPSILON) -> tf.Tensor:
    """The inverse of `rescale`: h^-1(x) = sign(x) (s^2 - 1), s being the positive solution of
    epsilon s^2 + s = |x| + 1 + epsilon.

    The solution is written without the difference of two nearly equal roots of the usual formula,
    (sqrt(1 + 4 epsilon (|x| + 1 + epsilon)) - 1) / (2 epsilon), which loses half of the digits.
    """
    shifted = tf.abs(values) + 1.0 + epsilon
    root = 2.0 * shifted / (tf.sqrt(1.0 + 4.0 * epsilon * shifted) + 1.0)
    return tf.sign(values) * (tf.square(root) - 1.0)


def n_step_returns(
    rewards: tf.Tensor, discounts: tf.Tensor, values: tf.Tensor, cut: tf.Tensor, num_steps: int
) -> tf.Tensor:
    """Returns of up to `num_steps` steps, bootstrapped from the value after them.

    G_t = sum_{k < m} (prod_{j < k} d_{t+j}) r_{t+k} + (prod_{j < m} d_{t+j}) v_{t+m}, where m is
    `num_steps`, or the rest of the sequence, or the number of steps before one that cuts the
    return. A discount of 0 ends an episode.

    Args:
      rewards: r.
      discounts: d, discounts of the steps; they depend on their lengths.
      values: v, float32 [T + 1, B], of the states before the steps and after the last one.
      cut: bool [T, B], steps that cut returns: G of such a step is v_t.
      num_steps: at least 1.

    Returns:
      float32 [T, B].
    """
    returns = values
    for _ in range(num_steps):
        one_more = tf.where(cut, values[:-1], rewards + discounts * returns[1:])
        returns = tf.concat([one_more, values[-1:]], axis=0)
    return returns[:-1]


def munchausen_bonus(
    values: tf.Tensor, soft_values: tf.Tensor, weight: float, lowest: float = LOWEST_BONUS
) -> tf.Tensor:
    """Returns weight * max(temperature * log pi(a), lowest), the bonus on the reward of a.

    Munchausen reinforcement learning (Vieillard et al. 2020, arXiv 2007.14430, equation 2), with
    temperature * log pi(a) = Q(a) - soft value.

    Args:
      values: Q(a).
      soft_values: soft value of the same state, at least Q(a) up to rounding.
      weight: alpha, 0 to 1.
      lowest: l_0, below 0.
    """
    return weight * tf.clip_by_value(values - soft_values, lowest, 0.0)


def q_loss(targets: tf.Tensor, q_values: tf.Tensor) -> tf.Tensor:
    """Returns 1/2 (target - Q)^2. Its gradient, Q - target, reaches `q_values` only."""
    return 0.5 * tf.math.squared_difference(tf.stop_gradient(targets), q_values)

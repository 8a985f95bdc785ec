"""Measures of how a training is doing, for summaries; `docs/summaries.md` defines them.

T is the unroll length, B the batch size. Everything is computed from tensors that the losses need
anyway, and only in updates whose summary is written.
"""

from typing import Any, Dict

import tensorflow.compat.v1 as tf

from sc2impala.learner.sequences import Steps

_MAX_LOG_RHO = 20.0
"""Keeps the mean importance weight finite."""


def diagnostics(
    policy: Any, steps: Steps, vs: tf.Tensor, advantages: tf.Tensor
) -> Dict[str, tf.Tensor]:
    """Diagnostics of policy and baseline, over the steps of new columns that carry a loss.

    Args:
      policy: `agents.policy.JointPolicy`.
      steps: of [T, B].
      vs: float32 [T, B], targets of the baseline.
      advantages: float32 [T, B], of the policy gradient.

    Returns:
      float32 [] by tag; 0 where no step counts.
    """
    counted = steps.mask * tf.cast(steps.is_new, tf.float32)
    pi, mu = steps.learner, steps.behaviour
    log_rhos = policy.log_prob(pi, mu) - policy.log_prob(mu, mu)
    rhos = tf.exp(tf.minimum(log_rhos, _MAX_LOG_RHO))
    result = {
        'rho/mean': _mean(rhos, counted),
        'rho/clipped': _mean(tf.cast(rhos > 1.0, tf.float32), counted),
        'kl/behaviour': _mean(policy.kl(mu, pi, mu), counted),
        'advantage/mean': _mean(advantages, counted),
        'advantage/std': tf.sqrt(_variance(advantages, counted)),
        'baseline/explained_variance': explained_variance(vs, pi.baseline, counted),
    }
    used = policy.used_heads(mu)
    for name, entropy in policy.entropies(pi).items():
        weights = counted * tf.cast(used[name], tf.float32) if name in used else counted
        result['entropy/' + name] = _mean(entropy, weights)
    return result


def explained_variance(targets: tf.Tensor, values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """1 - Var(targets - values) / Var(targets): 1 for perfect values, 0 for constant ones.

    Args:
      targets, values: float32 [T, B].
      weights: float32 [T, B], of each step in both variances.

    Returns:
      float32 []; 0 if the targets are all the same.
    """
    variance = _variance(targets, weights)
    left = _variance(targets - values, weights)
    return tf.math.divide_no_nan(variance - left, variance)


def _mean(values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    return tf.math.divide_no_nan(tf.reduce_sum(values * weights), tf.reduce_sum(weights))


def _variance(values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    return _mean(tf.math.squared_difference(values, _mean(values, weights)), weights)

"""Diagnostics of a run, for summaries; `docs/reference/summaries.md` defines them.

T is the unroll length, B the batch size. Everything is computed from tensors of the losses,
and only in updates whose summary is written.
"""

from typing import Dict, Mapping, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import optimization
from sc2impala.learner.sequences import Steps
from sc2impala.structs import AgentOutput


def merge(metrics: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """One serialized summary of all metrics, a string []; without graph collections.

    Args:
      metrics: tensors by tag: a scalar for rank 0, a histogram for rank 1. Tags are used as they
        are, whatever the name scope.
    """
    return tf.summary.merge(
        [_summary(tag, value) for tag, value in sorted(metrics.items())], collections=[]
    )


def action_histograms(
    policy: JointPolicy, behaviour: AgentOutput, is_new: tf.Tensor
) -> Dict[str, tf.Tensor]:
    """`action/<head>`: actions in the new columns, where the function used the head.

    Args:
      policy: policy of the agent.
      behaviour: `AgentOutput` of [T, B].
      is_new: bool [B].

    Returns:
      Tensors of rank 1 by tag.
    """
    new = tf.broadcast_to(is_new, tf.shape(behaviour.step_mul))
    result = {
        'action/' + name: tf.boolean_mask(behaviour.action[name], tf.logical_and(new, used))
        for name, used in sorted(policy.used_heads(behaviour).items())
    }
    if policy.learn_step_mul:
        result['action/step_mul'] = tf.boolean_mask(behaviour.step_mul, new)
    return result


def _summary(tag: str, value: tf.Tensor) -> tf.Tensor:
    name = 'summary_' + tag.replace('/', '_')
    if value.shape.rank == 0:
        return tf.raw_ops.ScalarSummary(tags=tag, values=value, name=name)
    return tf.raw_ops.HistogramSummary(tag=tag, values=value, name=name)


_MAX_LOG_RHO = 20.0
"""Keeps the mean importance weight finite."""


def diagnostics(
    policy: JointPolicy, steps: Steps, vs: tf.Tensor, advantages: tf.Tensor
) -> Dict[str, tf.Tensor]:
    """Diagnostics of policy and baseline, over the steps of new columns that carry a loss.

    Args:
      policy: policy of the agent.
      steps: `Steps` of [T, B].
      vs: float32 [T, B], targets of the baseline.
      advantages: float32 [T, B], of the policy gradient.

    Returns:
      float32 [] by tag; 0 where no step counts.
    """
    is_new = tf.zeros_like(steps.mask) + tf.cast(steps.is_new, tf.float32)
    counted = steps.mask * is_new
    pi, mu = steps.learner, steps.behaviour
    log_rhos = policy.log_prob(pi, mu) - policy.log_prob(mu, mu)
    rhos = tf.exp(tf.minimum(log_rhos, _MAX_LOG_RHO))
    divergence = policy.kl(mu, pi, mu)
    result = {
        'steps/valid': mean(steps.mask, is_new),
        'rho/mean': mean(rhos, counted),
        'rho/clipped': mean(tf.cast(rhos > 1.0, tf.float32), counted),
        'kl/behaviour': mean(divergence, counted),
        'kl/behaviour_max': extremes(divergence, counted)[1],
        'advantage/mean': mean(advantages, counted),
        'advantage/std': tf.sqrt(_variance(advantages, counted)),
        'baseline/mean': mean(pi.baseline, counted),
        'baseline/explained_variance': explained_variance(vs, pi.baseline, counted),
    }
    ranges = {'rho': rhos, 'advantage': advantages, 'baseline': pi.baseline, 'target': vs}
    for name, values in ranges.items():
        result[name + '/min'], result[name + '/max'] = extremes(values, counted)
    used = policy.used_heads(mu)
    for name, entropy in policy.entropies(pi).items():
        weights = counted * tf.cast(used[name], tf.float32) if name in used else counted
        result['entropy/' + name] = mean(entropy, weights)
    return result


def measure_update(
    policy: JointPolicy,
    steps: Steps,
    vs: tf.Tensor,
    advantages: tf.Tensor,
    variables: Sequence[tf.Variable],
    train: tf.Operation,
) -> Dict[str, tf.Tensor]:
    """All metrics of an actor-critic update besides its losses, including actions and weights.

    Args:
      policy, steps, vs, advantages: as in `diagnostics`.
      variables, train: as in `of_weights`, of the optimizer 'adam'.
    """
    return {
        **action_histograms(policy, steps.behaviour, steps.is_new),
        **diagnostics(policy, steps, vs, advantages),
        **measure_weights(variables, 'adam', train),
    }


def measure_weights(
    variables: Sequence[tf.Variable], optimizer: str, train: tf.Operation
) -> Dict[str, tf.Tensor]:
    """Norm of the weights and largest second moment of Adam, after an update.

    Args:
      variables: the trained variables.
      optimizer: name of the `optimization.adam_step` that trains it.
      train: operation of the update.

    Returns:
      `weight_norm`, the global norm, and `adam/max_second_moment`, float32 [].
    """
    with tf.control_dependencies([train]):
        weights = [variable.read_value() for variable in variables]
        moments = [
            tf.reduce_max(moment.read_value())
            for moment in optimization.second_moments(variables, optimizer)
        ]
    return {
        'weight_norm': tf.global_norm(weights),
        'adam/max_second_moment': tf.reduce_max(tf.stack(moments)),
    }


def explained_variance(targets: tf.Tensor, values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """1 - Var(targets - values) / Var(targets): 1 for perfect values, 0 for constant ones.

    Args:
      targets, values: float32 [T, B].
      weights: float32 [T, B], weight of each step in both variances.

    Returns:
      float32 []; 0 if the targets are all the same.
    """
    variance = _variance(targets, weights)
    left = _variance(targets - values, weights)
    return tf.math.divide_no_nan(variance - left, variance)


def mean(values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """The weighted mean, float32 []; 0 if all weights are 0."""
    return tf.math.divide_no_nan(tf.reduce_sum(values * weights), tf.reduce_sum(weights))


def extremes(values: tf.Tensor, weights: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Smallest and largest value where the weight is not 0; both are 0 if it is 0 everywhere."""
    counts = weights > 0.0
    limit = tf.fill(tf.shape(values), tf.float32.max)
    smallest = tf.reduce_min(tf.where(counts, values, limit))
    largest = tf.reduce_max(tf.where(counts, values, -limit))
    some = tf.cast(tf.reduce_any(counts), tf.float32)
    return some * smallest, some * largest


def _variance(values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    return mean(tf.math.squared_difference(values, mean(values, weights)), weights)

"""TensorBoard summaries of metrics; `docs/summaries.md` defines every tag."""

from typing import Dict, Mapping

import tensorflow.compat.v1 as tf

from sc2impala.agents.policy import JointPolicy
from sc2impala.structs import AgentOutput


def merge(metrics: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """One serialized summary of all metrics, a string []; no graph collection is involved.

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
    """`action/<head>`: what was played in the new columns, where the function used the head.

    Args:
      policy: of the agent.
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

"""TensorBoard summaries of the learners; `docs/summaries.md` says what each tag means.

They are created at the root of the name scopes, so that the tags are exactly the names used here.
"""

from typing import Any, Mapping

import tensorflow.compat.v1 as tf


def add_learner_summaries(losses: Mapping[str, Any], scalars: Mapping[str, Any]) -> None:
    """Scalars: every loss, with its cost, as `loss/<name>`, the others by their names."""
    for name, value in sorted(losses.items()):
        tf.summary.scalar('loss/' + name, value)
    for name, value in sorted(scalars.items()):
        tf.summary.scalar(name, value)


def add_action_histograms(policy: Any, behaviour: Any, is_new: tf.Tensor) -> None:
    """`action/<head>`: what was played in the new columns, where the function used the head.

    Args:
      policy: `agents.policy.JointPolicy`.
      behaviour: `AgentOutput` of [T, B].
      is_new: bool [B].
    """
    new = tf.broadcast_to(is_new, tf.shape(behaviour.step_mul))
    for name, used in sorted(policy.used_heads(behaviour).items()):
        tf.summary.histogram(
            'action/' + name, tf.boolean_mask(behaviour.action[name], tf.logical_and(new, used))
        )
    if policy.learn_step_mul:
        tf.summary.histogram('action/step_mul', tf.boolean_mask(behaviour.step_mul, new))

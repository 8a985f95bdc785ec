"""Burn-in: bringing the stored recurrent states of replayed sequences up to date.

A stored state is that of the weights which played. The first steps of a sequence are unrolled with
the present weights only to get a better one (R2D2, Kapturowski et al. 2019, section 3). They are
the last steps of the sequence before it, which is learned from. T is the unroll length, B the batch
size.
"""

from typing import Any

import tensorflow.compat.v1 as tf


def num_steps(agent_state: Any, wanted: int) -> int:
    """The steps of a burn-in: `wanted`, or 0 for an agent without a recurrent state.

    Args:
      agent_state: nest of the recurrent state, or of its specs.
      wanted: less than T.
    """
    return wanted if tf.nest.flatten(agent_state) else 0


def after(nest: Any, count: int) -> Any:
    """What comes after the first steps: a nest of [T + 1, ...] to [T + 1 - count, ...]."""
    return tf.nest.map_structure(lambda t: t[count:], nest)


def unroll(agent: Any, batch: Any, count: int) -> Any:
    """Unrolls an agent over a batch from its stored states on.

    Args:
      agent: `agents.agent.Agent`.
      batch: `learner.batch.Batch`.
      count: steps of the burn-in, through which no gradient flows.

    Returns:
      `AgentOutput` of [T + 1 - count, B], of the steps after these.
    """
    inputs = batch.agent_outputs.action, batch.env_outputs
    state = batch.agent_state
    if count:
        _, state = agent.unroll(*tf.nest.map_structure(lambda t: t[:count], inputs), state)
        state = tf.nest.map_structure(tf.stop_gradient, state)
    outputs, _ = agent.unroll(*after(inputs, count), state)
    return outputs

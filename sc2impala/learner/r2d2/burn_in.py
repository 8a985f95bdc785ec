"""Burn-in: updates the stored recurrent states of replayed sequences.

A stored state comes from the older weights that acted. The first steps of a sequence are unrolled
with the current weights only to update it (R2D2, Kapturowski et al. 2019, section 3). They are
the last steps of the previous sequence, whose losses cover them. T is the unroll length, B the
batch size.
"""

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner.batch import Batch
from sc2impala.structs import AgentOutput, Nest


def num_steps(agent_state: Nest, wanted: int) -> int:
    """Number of burn-in steps: `wanted`, or 0 for an agent without a recurrent state.

    Args:
      agent_state: nest of the recurrent state, or of its specs.
      wanted: less than T.
    """
    return wanted if tf.nest.flatten(agent_state) else 0


def after(nest: Nest, count: int) -> Nest:
    """Removes the first steps: a nest of [T + 1, ...] to [T + 1 - count, ...]."""
    return tf.nest.map_structure(lambda t: t[count:], nest)


def unroll(agent: Agent, batch: Batch, count: int) -> AgentOutput:
    """Unrolls an agent over a batch from its stored states.

    Args:
      agent: `agents.agent.Agent`.
      batch: `learner.batch.Batch`.
      count: number of burn-in steps; no gradient flows through them.

    Returns:
      `AgentOutput` of [T + 1 - count, B], of the steps after the burn-in.
    """
    inputs = batch.agent_outputs.action, batch.env_outputs
    state = batch.agent_state
    if count:
        actions, env_outputs = tf.nest.map_structure(lambda t: t[:count], inputs)
        _, state = agent.unroll(actions, env_outputs, state)
        state = tf.nest.map_structure(tf.stop_gradient, state)
    actions, env_outputs = after(inputs, count)
    outputs, _ = agent.unroll(actions, env_outputs, state)
    return outputs

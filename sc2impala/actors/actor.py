"""The actor: agent and vector environment unrolled in the graph.

One run of the returned tensors plays T agent steps in each of K environments without leaving the
graph. Where the last unroll stopped is kept in local variables, so that episodes and recurrent
states go on across unrolls; they belong to this process and are in no checkpoint.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.actors.environment_ops import EnvironmentOps


def build_actor(agent: Any, env: Any, unroll_length: int, greedy: bool = False) -> Any:
    """Builds one actor.

    Args:
      agent: `agents.Agent`.
      env: `envs.vector.VectorEnvironment` of K environments. It is reset by the initialiser of the
        local variables.
      unroll_length: T.
      greedy: take the most probable actions instead of sampling.

    Returns:
      `ActorOutput`: agent_state [K, ...] before the first step, env_outputs and agent_outputs
      [K, T + 1, ...], batch-major, ready for `enqueue_many`. Every run plays the next unroll.
    """
    env_ops = EnvironmentOps(env)
    persistent = _persistent_start(agent, env_ops)
    start = tf.nest.map_structure(lambda variable: variable.read_value(), persistent)
    first_state, first_env_output, first_agent_output = start
    first_step = (first_env_output, first_agent_output)

    history = tf.nest.map_structure(
        lambda t: tf.TensorArray(t.dtype, unroll_length, element_shape=t.shape), first_step
    )

    def play_step(index, agent_state, step, history):
        env_output, agent_output = step
        agent_output, agent_state = agent.act(
            (agent_output.action, env_output), agent_state, greedy=greedy
        )
        env_output = env_ops.step(agent_output.action, agent_output.step_mul)
        step = (env_output, agent_output)
        history = tf.nest.map_structure(lambda array, t: array.write(index, t), history, step)
        return index + 1, agent_state, step, history

    _, last_state, last_step, history = tf.while_loop(
        lambda index, *unused: index < unroll_length,
        play_step,
        (tf.constant(0), first_state, first_step, history),
        parallel_iterations=1,
        back_prop=False,
    )

    end = (last_state,) + last_step
    stored = tf.nest.map_structure(lambda variable, t: variable.assign(t).op, persistent, end)
    with tf.control_dependencies(tf.nest.flatten(stored)):
        env_outputs, agent_outputs = tf.nest.map_structure(
            lambda first, array: _batch_major(first, array, unroll_length), first_step, history
        )
        return structs.ActorOutput(
            agent_state=tf.nest.map_structure(tf.identity, first_state),
            env_outputs=env_outputs,
            agent_outputs=agent_outputs,
        )


def _persistent_start(agent, env_ops):
    """Local variables with recurrent state, `EnvOutput` and `AgentOutput` between two unrolls.

    The first agent output is all zeros: nothing was chosen before the first observation.
    """
    env_output = env_ops.reset()
    state = agent.initial_state(env_ops.num_envs)
    no_action = {name: tf.zeros([env_ops.num_envs], tf.int32) for name in agent.policy.heads}
    # Creates the agent's variables outside of the loop. Only the shapes of the output are used.
    like_output, _ = agent((no_action, env_output), state)
    agent_output = tf.nest.map_structure(lambda t: tf.zeros(t.shape, t.dtype), like_output)
    return tf.nest.map_structure(_local_variable, (state, env_output, agent_output))


def _local_variable(initial_value):
    return tf.Variable(
        initial_value,
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
        use_resource=True,
    )


def _batch_major(first, array, unroll_length):
    """[K, ...], T arrays of [K, ...] -> [K, T + 1, ...]."""
    rest = array.stack()
    # TensorFlow 1.15 forgets how many there are.
    rest.set_shape([unroll_length] + first.shape.as_list())
    time_major = tf.concat([first[tf.newaxis], rest], axis=0)
    rank = len(time_major.shape)
    return tf.transpose(time_major, [1, 0] + list(range(2, rank)))

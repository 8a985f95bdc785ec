"""The actor: agent and vector environment unrolled in the graph.

One run of the returned tensors plays T agent steps in each of K environments without leaving the
graph. Local variables hold the step at which the last unroll stopped, so that episodes and
recurrent states continue across unrolls; they belong to this process and are not part of a
checkpoint.
"""

from typing import Any, Mapping, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.actors.environment_ops import EnvironmentOps


def build_actor(
    agent: Any,
    env: Any,
    unroll_length: int,
    greedy: bool = False,
    task: int = 0,
    actor: int = 0,
    policy_version: Optional[Sequence[tf.Variable]] = None,
    teacher: Optional[Any] = None,
) -> structs.ActorOutput:
    """Builds one actor.

    Args:
      agent: `agents.agent.Agent`.
      env: `envs.vector.VectorEnvironment` of K environments. It is reset by the initialiser of the
        local variables.
      unroll_length: T.
      greedy: choose the most probable actions instead of sampling.
      task, actor: index of the map and of the actor, for `SequenceInfo`.
      policy_version: int64 variables with the environment frames and the updates of the weights
        that play, for `SequenceInfo`; both are 0 if there are none.
      teacher: `agents.teacher.Teacher`, whose logits are recorded as long as it is active; or None.

    Returns:
      `ActorOutput`: agent_state [K, ...] before the first step, env_outputs, agent_outputs and
      teacher_logits [K, T + 1, ...], sequence_info [K], batch-major, ready for `enqueue_many`.
      Every run plays the next unroll.
    """
    env_ops = EnvironmentOps(env)
    persistent = _persistent_start(agent, env_ops, teacher)
    version = _read_version(policy_version)
    with tf.control_dependencies(version):
        start = tf.nest.map_structure(lambda variable: variable.read_value(), persistent)
    *first_states, first_step = start
    is_active = teacher.is_active() if teacher else None

    history = tf.nest.map_structure(
        lambda t: tf.TensorArray(t.dtype, unroll_length, element_shape=t.shape), first_step
    )

    def play_step(index: tf.Tensor, states: Any, step: Any, history: Any) -> Tuple:
        agent_state, teacher_state = states
        env_output, agent_output, logits = step
        seen = (agent_output.action, env_output)
        demonstrated = demonstrated_function(env_output.observation)
        agent_output, agent_state = agent.act(seen, agent_state, greedy, demonstrated)
        agent_output = played(env_output.observation, agent_output)
        if teacher:
            function = agent_output.action['function']
            logits, teacher_state = teacher.act(
                seen, teacher_state, agent_state, is_active, function
            )
        env_output = env_ops.step(agent_output.action, agent_output.step_mul)
        step = (env_output, agent_output, logits)
        history = tf.nest.map_structure(lambda array, t: array.write(index, t), history, step)
        return index + 1, (agent_state, teacher_state), step, history

    _, last_states, last_step, history = tf.while_loop(
        lambda index, *unused: index < unroll_length,
        play_step,
        (tf.constant(0), tuple(first_states), first_step, history),
        parallel_iterations=1,
        back_prop=False,
    )

    end = last_states + (last_step,)
    stored = tf.nest.map_structure(lambda variable, t: variable.assign(t).op, persistent, end)
    with tf.control_dependencies(tf.nest.flatten(stored)):
        env_outputs, agent_outputs, teacher_logits = tf.nest.map_structure(
            lambda first, array: _batch_major(first, array, unroll_length), first_step, history
        )
        return structs.ActorOutput(
            agent_state=tf.nest.map_structure(tf.identity, first_states[0]),
            env_outputs=env_outputs,
            agent_outputs=agent_outputs,
            sequence_info=_sequence_info(task, actor, version, env_ops.num_envs),
            teacher_logits=teacher_logits,
        )


def demonstrated_function(observation: Mapping[str, Any]) -> Optional[tf.Tensor]:
    """The function of the label in the games that the demonstrator plays, -1 elsewhere: int32 [K].

    None without the key 'demonstration'. If the arguments depend on the function, their logits are
    recorded for this one.
    """
    if 'demonstration' not in observation:
        return None
    label = observation['demonstration']
    function = label['action']['function']
    return tf.where(label['plays'], function, -tf.ones_like(function))


def played(observation: Mapping[str, Any], agent_output: structs.AgentOutput) -> Any:
    """The choice that is played: the label of the demonstrator in the games that it plays.

    Args:
      observation: nested dict of [K, ...]; without the key 'demonstration' the agent plays.
      agent_output: `AgentOutput` of [K] on it. Logits and baseline stay those of the agent.
    """
    if 'demonstration' not in observation:
        return agent_output
    label = observation['demonstration']

    def choose(of_label: tf.Tensor, of_agent: tf.Tensor) -> tf.Tensor:
        return tf.where(label['plays'], of_label, of_agent)

    return agent_output._replace(
        action=tf.nest.map_structure(choose, label['action'], agent_output.action),
        step_mul=choose(label['step_mul'], agent_output.step_mul),
    )


def _read_version(policy_version: Optional[Sequence[tf.Variable]]) -> Sequence[tf.Tensor]:
    """Environment frames and updates of the current weights, two int64 []."""
    if policy_version is None:
        return [tf.zeros([], tf.int64), tf.zeros([], tf.int64)]
    return [variable.read_value() for variable in policy_version]


def _sequence_info(
    task: int, actor: int, version: Sequence[tf.Tensor], num_envs: int
) -> structs.SequenceInfo:
    """`SequenceInfo` of [K], the same for all environments."""
    policy_frames, policy_updates = version
    return structs.SequenceInfo(
        task=tf.fill([num_envs], task),
        actor=tf.fill([num_envs], actor),
        policy_frames=tf.fill([num_envs], policy_frames),
        policy_updates=tf.fill([num_envs], policy_updates),
    )


def _persistent_start(agent: Any, env_ops: EnvironmentOps, teacher: Optional[Any]) -> Tuple:
    """Local variables with what two unrolls share.

    The first agent output is all zeros: nothing was chosen before the first observation.

    Returns:
      Recurrent state of the agent and of the teacher; and the step, a tuple of `EnvOutput`,
      `AgentOutput` and `TeacherLogits`. What is the teacher's is () if there is none.
    """
    env_output = env_ops.reset()
    state = agent.initial_state(env_ops.num_envs)
    no_action = {name: tf.zeros([env_ops.num_envs], tf.int32) for name in agent.policy.heads}
    # Creates the agent's variables outside of the loop. Only the shapes of the output are used.
    like_output, _ = agent((no_action, env_output), state)
    agent_output = tf.nest.map_structure(lambda t: tf.zeros(t.shape, t.dtype), like_output)
    teacher_state: Any = ()
    logits: Any = ()
    if teacher:
        teacher_state, logits = teacher.start(env_ops.num_envs)
    start = (state, teacher_state, (env_output, agent_output, logits))
    return tf.nest.map_structure(_local_variable, start)


def _local_variable(initial_value: tf.Tensor) -> tf.Variable:
    return tf.Variable(
        initial_value,
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
        use_resource=True,
    )


def _batch_major(first: tf.Tensor, array: tf.TensorArray, unroll_length: int) -> tf.Tensor:
    """[K, ...], T arrays of [K, ...] -> [K, T + 1, ...]."""
    rest = array.stack()
    # TensorFlow 1.15 loses the static number of steps.
    rest.set_shape([unroll_length] + first.shape.as_list())
    time_major = tf.concat([first[tf.newaxis], rest], axis=0)
    rank = len(time_major.shape)
    return tf.transpose(time_major, [1, 0] + list(range(2, rank)))

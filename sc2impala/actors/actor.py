"""The actor: agent and vector environment unrolled in the graph.

One run of the returned tensors makes T agent steps in each of K environments without leaving the
graph. Local variables keep the last step of the last unroll, so that episodes and
recurrent states continue across unrolls, and how many steps were sampled; an exact
resume restores them together with the environment.
"""

from typing import TYPE_CHECKING, Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.actors import overlap as overlap_lib
from sc2impala.actors.environment_ops import EnvironmentOps
from sc2impala.structs import Nest

if TYPE_CHECKING:
    from sc2impala.agents.teacher import Teacher
    from sc2impala.agents.wrapper import ActingAgent
    from sc2impala.envs.vector import VectorEnvironment


class Actor(NamedTuple):
    """An actor in the graph.

    output: `ActorOutput` of the next unroll, ready for `enqueue_many`: agent_state [K, ...] before
      the first step, env_outputs, agent_outputs and teacher_logits [K, T + 1, ...], sequence_info
      [K], batch-major.
    variables: local variables that continue from one unroll to the next; an exact resume restores
      them together with the environment.
    """

    output: structs.ActorOutput
    variables: Sequence[tf.Variable]


def build_actor(
    agent: 'ActingAgent',
    env: 'VectorEnvironment',
    unroll_length: int,
    greedy: bool = False,
    task: int = 0,
    actor: int = 0,
    policy_version: Optional[Sequence[tf.Variable]] = None,
    teacher: Optional['Teacher'] = None,
    seed: Optional[int] = None,
    overlap: int = 0,
) -> Actor:
    """Builds one actor.

    Args:
      agent: `agents.agent.Agent` whose variables exist, see its `create_variables`.
      env: `envs.vector.VectorEnvironment` of K environments. It is reset by the initialiser of the
        local variables.
      unroll_length: T.
      greedy: choose the most probable actions instead of sampling.
      task, actor: index of the map and of the actor, for `SequenceInfo`.
      policy_version: int64 variables with the environment frames and the updates of the weights
        that act, for `SequenceInfo`; None leaves both at 0.
      teacher: `agents.teacher.Teacher`, whose logits are recorded while it is active; or None.
      seed: in 0..2**32 - 1, seed of the sampled actions; None uses the seed of the graph,
        whose random state cannot be saved.
      overlap: O, 0 to T - 1, extra steps by which consecutive sequences overlap, see `overlap`;
        they always share one. A run makes T - O steps.

    Returns:
      `Actor`; every run of its output generates the next unroll.
    """
    env_ops = EnvironmentOps(env)
    persistent, past = _persistent_start(agent, env_ops, teacher, seed, f'actor_{actor}', overlap)
    version = _read_version(policy_version)
    with tf.control_dependencies(version):
        start = tf.nest.map_structure(lambda variable: variable.read_value(), persistent)
    *first_states, first_step, first_seed = start
    is_active = teacher.is_active() if teacher else None
    num_steps = unroll_length - overlap

    def moment(step: Tuple, states: Tuple[Nest, Nest]) -> Tuple:
        return step + (states[0],) if overlap else step

    def start_history(first: tf.Tensor) -> tf.TensorArray:
        array = tf.TensorArray(first.dtype, num_steps + 1, element_shape=first.shape)
        return array.write(0, first)

    def play_step(index: tf.Tensor, states: Tuple[Nest, Nest], step: Tuple, history: Nest) -> Tuple:
        env_output, agent_output, logits = step
        seen = (agent_output.action, env_output)
        step_seed = None if seed is None else _advanced(first_seed, index)
        agent_output, logits, states = choose(
            agent, seen, states, teacher, is_active, greedy, logits, step_seed
        )
        env_output = env_ops.step(agent_output.action, agent_output.step_mul)
        step = (env_output, agent_output, logits)
        now = moment(step, states)
        history = tf.nest.map_structure(lambda array, t: array.write(index, t), history, now)
        return index + 1, states, step, history

    first_moment = moment(first_step, first_states)
    history = tf.nest.map_structure(start_history, first_moment)
    _, last_states, last_step, history = tf.while_loop(
        lambda index, *unused: index <= num_steps,
        play_step,
        (tf.constant(1), tuple(first_states), first_step, history),
        parallel_iterations=1,
        back_prop=False,
    )

    end = last_states + (last_step, () if seed is None else _advanced(first_seed, num_steps))
    stored = tf.nest.map_structure(lambda variable, t: variable.assign(t).op, persistent, end)
    with tf.control_dependencies(tf.nest.flatten(stored)):
        moments = _batch_major(history, first_moment, num_steps + 1)
        agent_state = tf.nest.map_structure(tf.identity, first_states[0])
        if overlap:
            agent_state, moments = overlap_lib.extend(past, moments)
        env_outputs, agent_outputs, teacher_logits = moments
        output = structs.ActorOutput(
            agent_state=agent_state,
            env_outputs=env_outputs,
            agent_outputs=agent_outputs,
            sequence_info=_sequence_info(task, actor, version, env_ops.num_envs),
            teacher_logits=teacher_logits,
        )
    return Actor(output, tf.nest.flatten((persistent, past)))


def choose(
    agent: 'ActingAgent',
    seen: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
    states: Tuple[Nest, Nest],
    teacher: Optional['Teacher'] = None,
    is_active: Optional[tf.Tensor] = None,
    greedy: bool = False,
    logits: Nest = (),
    seed: Optional[tf.Tensor] = None,
) -> Tuple[structs.AgentOutput, Nest, Tuple[Nest, Nest]]:
    """Runs agent, demonstrator and teacher for one step in each of K games.

    Args:
      agent: `agents.agent.Agent`.
      seen: (last action: dict of int32 [K], `EnvOutput` of [K]).
      states: recurrent states of agent and teacher.
      teacher: `agents.teacher.Teacher` or None.
      is_active: bool [], whether the teacher is active.
      greedy: see `build_actor`.
      logits: returned as `TeacherLogits` without a teacher.
      seed: see `Agent.act`.

    Returns:
      `AgentOutput` of [K], `TeacherLogits` of [K], and the next states.
    """
    agent_state, teacher_state = states
    observation = seen[1].observation
    given = demonstrated_choices(observation)
    agent_output, agent_state = agent.act(seen, agent_state, greedy, given, seed)
    agent_output = played(observation, agent_output)
    if teacher:
        given = agent_output.action
        logits, teacher_state = teacher.act(seen, teacher_state, agent_state, is_active, given)
    return agent_output, logits, (agent_state, teacher_state)


def demonstrated_choices(observation: Mapping[str, Nest]) -> Optional[Dict[str, tf.Tensor]]:
    """Returns labels where the demonstrator acts, -1 elsewhere: int32 [K] by head.

    None without the key `structs.DEMONSTRATION`. Logits of conditioned arguments are recorded
    given these labels.
    """
    if structs.DEMONSTRATION not in observation:
        return None
    label = observation[structs.DEMONSTRATION]
    return {
        name: tf.where(label['plays'], choice, -tf.ones_like(choice))
        for name, choice in label['action'].items()
    }


def played(
    observation: Mapping[str, Nest], agent_output: structs.AgentOutput
) -> structs.AgentOutput:
    """Returns the executed choice: the demonstrator's label in its episodes, else the agent's.

    Args:
      observation: nested dict of [K, ...]; the agent acts without the key `structs.DEMONSTRATION`.
      agent_output: `AgentOutput` of [K] on it. Logits and baseline stay the agent's.
    """
    if structs.DEMONSTRATION not in observation:
        return agent_output
    label = observation[structs.DEMONSTRATION]

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


def _advanced(seed: tf.Tensor, steps: Union[int, tf.Tensor]) -> tf.Tensor:
    """Returns the seed after a number of agent steps, int64 [2]."""
    return seed + tf.stack([tf.constant(0, tf.int64), tf.cast(steps, tf.int64)])


def _persistent_start(
    agent: 'ActingAgent',
    env_ops: EnvironmentOps,
    teacher: Optional['Teacher'],
    seed: Optional[int],
    scope: str,
    overlap: int,
) -> Tuple[Nest, Nest]:
    """Returns local variables with the state between two unrolls.

    The first agent output is all zeros: there is no action before the first observation.

    Returns:
      A tuple: recurrent state of the agent and of the teacher; the step, a tuple of `EnvOutput`,
      `AgentOutput` and `TeacherLogits`; and the seed, int64 [2]. The teacher's parts, and the
      seed, are () if there is none. Last, the moments before that step,
      see `overlap`; () if sequences share only one step.
    """
    env_output = env_ops.reset()
    state = agent.initial_state(env_ops.num_envs)
    agent_output = tf.nest.map_structure(
        lambda spec: tf.zeros([env_ops.num_envs] + spec.shape.as_list(), spec.dtype),
        agent.output_spec(),
    )
    teacher_state: Any = ()
    logits: Any = ()
    if teacher:
        teacher_state, logits = teacher.start(env_ops.num_envs)
    stream = () if seed is None else tf.constant([seed, 0], tf.int64)
    step = (env_output, agent_output, logits)
    start = _local_variables((state, teacher_state, step, stream), f'{scope}/state')
    if not overlap:
        return start, ()
    past = overlap_lib.first_past((*step, state), overlap)
    return start, _local_variables(past, f'{scope}/past')


def _local_variables(initial_values: Nest, name: str) -> Nest:
    """Local variables with the initial values of a nest, numbered in its order."""
    flat = [
        tf.Variable(
            initial_value,
            trainable=False,
            collections=[tf.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
            name=f'{name}_{index}',
        )
        for index, initial_value in enumerate(tf.nest.flatten(initial_values))
    ]
    return tf.nest.pack_sequence_as(initial_values, flat)


def _batch_major(history: Nest, like: Nest, num_steps: int) -> Nest:
    """Arrays of `num_steps` tensors [K, ...], like `like` -> [K, num_steps, ...]."""

    def stack(first: tf.Tensor, array: tf.TensorArray) -> tf.Tensor:
        time_major = array.stack()
        # TensorFlow 1.15 loses the static number of steps.
        time_major.set_shape([num_steps] + first.shape.as_list())
        return tf.transpose(time_major, [1, 0] + list(range(2, len(time_major.shape))))

    return tf.nest.map_structure(stack, like, history)

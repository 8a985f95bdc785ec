"""Sequences of a batch before any loss: unroll, shift, masks and counts.

T is the unroll length, B the batch size.
"""

from typing import Any, Callable, Mapping, NamedTuple, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import frames as frames_lib
from sc2impala.agents.agent import Agent
from sc2impala.learner import labels, towers
from sc2impala.learner.batch import Batch
from sc2impala.structs import (
    TASK,
    AgentOutput,
    EnvOutput,
    EpisodeInfo,
    Nest,
    TeacherLogits,
)


class Steps(NamedTuple):
    """The T steps of the sequences of a batch, aligned by the input observation of the action.

    rewards: float32 [T, B], rewards after the action of step t.
    infos: of [T, B], after the action of step t.
    done: bool [T, B], after the action of step t.
    behaviour: of [T, B], the executed action and the behaviour policy.
    learner: of [T, B], outputs of the current weights on the same observation.
    bootstrap_value: float32 [B], the last baseline of the learner.
    mask: float32 [T, B], 0 on steps that are not trained on: steps that aborted an episode,
        steps after a truncation, and by default steps of a demonstrator.
    resets: bool [T, B], steps after a truncation: they only start the next episode. The step
        before bootstraps from the value of the final observation.
    is_new: bool [B], columns from the queue, not from the replay buffer.
    demonstrated: bool [T, B], steps of a demonstrator; () without one.
    frames: int32 [T, B], environment frames of the action, see `sc2impala.frames`.
    tasks: int32 [T, B], the index of the map; () on a single map.
    """

    rewards: tf.Tensor
    infos: EpisodeInfo
    done: tf.Tensor
    behaviour: AgentOutput
    learner: AgentOutput
    bootstrap_value: tf.Tensor
    mask: tf.Tensor
    resets: tf.Tensor
    is_new: tf.Tensor
    demonstrated: Any
    frames: tf.Tensor
    tasks: Any = ()


def unroll(
    agent: Agent,
    batch: Batch,
    with_demonstrations: bool = False,
    given: Optional[Mapping[str, tf.Tensor]] = None,
) -> Steps:
    """Unrolls the agent over the T + 1 steps of a batch and aligns the results.

    Args:
      agent: the trained agent.
      batch: B columns.
      with_demonstrations: train also on steps of a demonstrator. Their recorded logits are
        the agent's, not the behaviour policy's.
      given: int32 [T + 1, B] by head, see `Agent.unroll`; None for the executed actions.
    """
    options = {} if given is None else {'given': given}
    outputs = _unroll_and_keep_state(agent.unroll, batch, options)
    return shift(
        batch.env_outputs, batch.agent_outputs, outputs, batch.is_replay, with_demonstrations
    )


def unroll_with_labels(agent: Agent, batch: Batch) -> Tuple[Steps, AgentOutput]:
    """Unrolls the agent, and its policy given the labels of a demonstrator.

    Args:
      agent: the trained agent.
      batch: batch with labels in its observations.

    Returns:
      The steps; and the outputs of [T, B] given the labels; the same outputs if
      arguments do not depend on choices.
    """
    if not agent.arguments_are_conditioned:
        steps = unroll(agent, batch)
        return steps, steps.learner
    options = {'labels': labels.given(batch.env_outputs.observation)}
    outputs, labelled = _unroll_and_keep_state(agent.unroll_with_labels, batch, options)
    steps = shift(batch.env_outputs, batch.agent_outputs, outputs, batch.is_replay)
    return steps, tf.nest.map_structure(lambda t: t[:-1], labelled)


def forward(
    run: Callable[..., Tuple[Nest, Nest]],
    batch: Batch,
    start: Nest,
    options: Optional[Mapping[str, Nest]] = None,
) -> Tuple[Nest, Nest]:
    """Runs the agent over a batch, on all its devices.

    Args:
      run: `unroll` or `unroll_with_labels` of an agent.
      batch: B columns.
      start: nest of [B, ...], the recurrent state before the first step.
      options: further arguments of `run` by name, nests of [T + 1, B, ...].

    Returns:
      The outputs of [T + 1, B], and the recurrent state after the last step.
    """
    if batch.parts:
        return towers.unroll(run, batch.parts, start, options or {})
    return run(batch.agent_outputs.action, batch.env_outputs, start, **(options or {}))


def first_state(batch: Batch) -> Nest:
    """Returns the state before the first step; for recorded columns the streams' state."""
    if not tf.nest.flatten(batch.stream_state):
        return batch.agent_state

    def join(state: tf.Tensor, variable: tf.Variable) -> tf.Tensor:
        of_streams = variable.read_value()
        return tf.concat([state[: -of_streams.shape.as_list()[0]], of_streams], axis=0)

    return tf.nest.map_structure(join, batch.agent_state, batch.stream_state)


def _unroll_and_keep_state(
    run: Callable[..., Tuple[Nest, Nest]], batch: Batch, options: Mapping[str, Nest]
) -> Nest:
    """Returns the outputs of [T + 1, B] once the state of streams is written."""
    outputs, last_state = forward(run, batch, first_state(batch), options)
    variables = tf.nest.flatten(batch.stream_state)
    if not variables:
        return outputs
    kept = [
        variable.assign(tf.stop_gradient(state[-variable.shape.as_list()[0] :])).op
        for variable, state in zip(variables, tf.nest.flatten(last_state))
    ]
    with tf.control_dependencies(kept):
        return tf.nest.map_structure(tf.identity, outputs)


def shift(
    env_outputs: EnvOutput,
    agent_outputs: AgentOutput,
    learner_outputs: AgentOutput,
    is_replay: tf.Tensor,
    with_demonstrations: bool = False,
) -> Steps:
    """Aligns [T + 1, B] by the input observation of the action.

    At index t `env_outputs` has the observation x_t, and the reward for the action that led to it;
    `agent_outputs` has that action, which was chosen for x_{t-1}; `learner_outputs` has the
    policy and the value of x_t. So the action on x_t and its reward are at t + 1: actions
    and rewards are `[1:]`, outputs of the learner `[:-1]`. Its last baseline, V(x_T), is the
    bootstrap value.

    Args:
      env_outputs: of [T + 1, B].
      agent_outputs: of [T + 1, B], of the behaviour policy.
      learner_outputs: outputs of the current weights, of [T + 1, B].
      is_replay: bool [B].
      with_demonstrations: see `unroll`.
    """

    def later(nest: Nest) -> Nest:
        return tf.nest.map_structure(lambda t: t[1:], nest)

    # Without the observations, which are large.
    outcomes = env_outputs._replace(reward=(), observation=())
    before, after = tf.nest.map_structure(lambda t: t[:-1], outcomes), later(outcomes)
    resets = frames_lib.is_reset(tf, before, after)
    mask = 1.0 - tf.cast(tf.logical_or(after.info.aborted, resets), tf.float32)
    demonstrated: Any = ()
    if labels.KEY in env_outputs.observation:
        # Aligned with the input observation, like the learner's outputs.
        demonstrated = env_outputs.observation[labels.KEY]['plays'][:-1]
        if not with_demonstrations:
            mask *= 1.0 - tf.cast(demonstrated, tf.float32)
    return Steps(
        rewards=env_outputs.reward[1:],
        infos=after.info,
        done=after.done,
        behaviour=later(agent_outputs),
        learner=tf.nest.map_structure(lambda t: t[:-1], learner_outputs),
        bootstrap_value=learner_outputs.baseline[-1],
        mask=mask,
        resets=resets,
        is_new=tf.logical_not(is_replay),
        demonstrated=demonstrated,
        frames=frames_lib.frames_between(tf, before, after, agent_outputs.step_mul[1:]),
        tasks=tasks_of(env_outputs),
    )


def tasks_of(env_outputs: EnvOutput) -> Any:
    """Returns the map of each step, int32 [T, B]; () on a single map.

    Args:
      env_outputs: of [T + 1, B]. An episode that ends with a step was on the map of its input
        observation.
    """
    observation = env_outputs.observation
    return observation[TASK][:-1] if TASK in observation else ()


def teacher_logits(batch: Batch) -> TeacherLogits:
    """Returns the teacher's policy on the input observations, of [T, B]."""
    return tf.nest.map_structure(lambda t: t[1:], batch.teacher_logits)


def replayed(batch: Batch) -> tf.Tensor:
    """1 in replayed columns and 0 in new ones, float32 [B]."""
    return tf.cast(batch.is_replay, tf.float32)


def countable(steps: Steps) -> Tuple[tf.Tensor, EpisodeInfo]:
    """`done` and `infos` for statistics of the agent.

    Replayed columns, aborted episodes, episodes of a demonstrator, and episodes whose return is NaN
    do not count; see `structs.EpisodeInfo`.

    Returns:
      bool [T, B], and EpisodeInfo of [T, B] whose `aborted` is set in new columns only.
    """
    aborted = tf.logical_and(steps.infos.aborted, steps.is_new)
    done = steps.done & steps.is_new & ~steps.infos.aborted
    done &= ~tf.is_nan(steps.infos.episode_return)
    if tf.nest.flatten(steps.demonstrated):
        done &= ~steps.demonstrated
    return done, steps.infos._replace(aborted=aborted)


def count_frames(steps: Steps) -> tf.Tensor:
    """Environment frames of the new columns, int64 []: game loops that were simulated."""
    is_new = tf.cast(steps.is_new, tf.int64)
    return tf.reduce_sum(tf.cast(steps.frames, tf.int64) * is_new)

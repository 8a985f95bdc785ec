"""What all algorithms do with a batch of sequences before any loss: unroll, shift, masks, counts.

T is the unroll length, B the batch size.
"""

import collections
from typing import Any, Mapping, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import frames as frames_lib
from sc2impala.learner import gains, labels, towers

Steps = collections.namedtuple(
    'Steps',
    [
        'rewards',
        'infos',
        'done',
        'behaviour',
        'learner',
        'labelled',
        'bootstrap_value',
        'mask',
        'resets',
        'is_new',
        'demonstrated',
        'frames',
        'vectors',
        'gain_share',
    ],
)
"""The T steps of the sequences of a batch, aligned by the observation that was acted on.

rewards, infos, done: what followed the action of step t, [T, B].
behaviour: AgentOutput of [T, B], the action that was played and the policy that chose it.
learner: AgentOutput of [T, B], of the current weights on the same observation.
labelled: the same given the labels of a demonstrator, if the arguments depend on choices and it was
    asked for; otherwise ().
bootstrap_value: float32 [B], the last baseline of the learner.
mask: float32 [T, B], 0 on steps that are not trained on: those with which an episode was aborted,
    those after a truncation, and unless asked for those that a demonstrator played.
resets: bool [T, B], the steps after a truncation: they only start the next episode. The step before
    bootstraps from the value of the final observation.
is_new: bool [B], columns that come from the queue and not from the replay buffer.
demonstrated: bool [T, B], which steps a demonstrator played; () if there is none.
frames: int32 [T, B], environment frames that the action took, see `sc2impala.frames`.
vectors: what the player had before and after the step, see `gains.pairs`.
gain_share: float32 [], the present factor of `--gain_rewards`, see `gains.share`; 1 until an
    algorithm replaces it.
"""


def unroll(
    agent: Any,
    batch: Any,
    with_demonstrations: bool = False,
    given: Optional[Mapping[str, tf.Tensor]] = None,
    with_labels: bool = False,
) -> Steps:
    """Unrolls the agent over the T + 1 steps of a batch and aligns the results.

    Args:
      agent: `agents.agent.Agent`.
      batch: `learner.batch.Batch`.
      with_demonstrations: train on the steps that a demonstrator played as well. Their recorded
        logits are those of the agent, not of the policy that played.
      given: int32 [T + 1, B] by head, see `Agent.unroll`; None for what was played.
      with_labels: compute the policy given the labels as well, where that is another one. The
        observations have labels.
    """
    run, options = agent.unroll, {} if given is None else {'given': given}
    with_labels = with_labels and agent.arguments_are_conditioned
    if with_labels:
        run = agent.unroll_with_labels
        options = {'labels': labels.given(batch.env_outputs.observation)}
    start = first_state(batch)
    if batch.parts:
        outputs, last_state = towers.unroll(run, batch.parts, start, options)
    else:
        outputs, last_state = run(batch.agent_outputs.action, batch.env_outputs, start, **options)
    outputs = _keep_state(batch, last_state, outputs)
    learner_outputs, labelled = outputs if with_labels else (outputs, ())
    steps = shift(
        batch.env_outputs,
        batch.agent_outputs,
        learner_outputs,
        batch.is_replay,
        with_demonstrations,
    )
    return steps._replace(labelled=tf.nest.map_structure(lambda t: t[:-1], labelled))


def first_state(batch: Any) -> Any:
    """The recurrent state before the first step, of recorded columns that of the streams."""
    if not tf.nest.flatten(batch.stream_state):
        return batch.agent_state

    def join(state: tf.Tensor, variable: tf.Variable) -> tf.Tensor:
        of_streams = variable.read_value()
        return tf.concat([state[: -of_streams.shape.as_list()[0]], of_streams], axis=0)

    return tf.nest.map_structure(join, batch.agent_state, batch.stream_state)


def _keep_state(batch: Any, last_state: Any, learner_outputs: Any) -> Any:
    """The learner's outputs, which cannot be used before the state of streams is kept."""
    variables = tf.nest.flatten(batch.stream_state)
    if not variables:
        return learner_outputs
    kept = [
        variable.assign(tf.stop_gradient(state[-variable.shape.as_list()[0] :])).op
        for variable, state in zip(variables, tf.nest.flatten(last_state))
    ]
    with tf.control_dependencies(kept):
        return tf.nest.map_structure(tf.identity, learner_outputs)


def shift(
    env_outputs: Any,
    agent_outputs: Any,
    learner_outputs: Any,
    is_replay: tf.Tensor,
    with_demonstrations: bool = False,
) -> Steps:
    """Aligns [T + 1, B]: rewards and behaviour are `[1:]`, the learner's outputs `[:-1]`."""

    def later(nest: Any) -> Any:
        return tf.nest.map_structure(lambda t: t[1:], nest)

    # Without the observations, which are large.
    outcomes = env_outputs._replace(reward=(), observation=())
    before, after = tf.nest.map_structure(lambda t: t[:-1], outcomes), later(outcomes)
    resets = frames_lib.is_reset(tf, before, after)
    mask = 1.0 - tf.cast(tf.logical_or(after.info.aborted, resets), tf.float32)
    demonstrated: Any = ()
    if labels.KEY in env_outputs.observation:
        # Of the observation that was acted on, like the learner's outputs.
        demonstrated = env_outputs.observation[labels.KEY]['plays'][:-1]
        if not with_demonstrations:
            mask *= 1.0 - tf.cast(demonstrated, tf.float32)
    return Steps(
        rewards=env_outputs.reward[1:],
        infos=after.info,
        done=after.done,
        behaviour=later(agent_outputs),
        learner=tf.nest.map_structure(lambda t: t[:-1], learner_outputs),
        labelled=(),
        bootstrap_value=learner_outputs.baseline[-1],
        mask=mask,
        resets=resets,
        is_new=tf.logical_not(is_replay),
        demonstrated=demonstrated,
        frames=frames_lib.frames_between(tf, before, after, agent_outputs.step_mul[1:]),
        vectors=gains.pairs(env_outputs.observation),
        gain_share=tf.constant(1.0),
    )


def teacher_logits(batch: Any) -> Any:
    """`TeacherLogits` of [T, B] for the observations that were acted on; () without a teacher."""
    return tf.nest.map_structure(lambda t: t[1:], batch.teacher_logits)


def replayed(batch: Any) -> tf.Tensor:
    """1 in replayed columns and 0 in new ones, float32 [B]."""
    return tf.cast(batch.is_replay, tf.float32)


def countable(steps: Steps) -> Tuple[tf.Tensor, Any]:
    """`done` and `infos` for statistics of the agent.

    Replayed columns, aborted episodes, and those that a demonstrator played do not count.

    Returns:
      bool [T, B], and EpisodeInfo of [T, B] whose `aborted` is set in new columns only.
    """
    aborted = tf.logical_and(steps.infos.aborted, steps.is_new)
    done = steps.done & steps.is_new & ~steps.infos.aborted
    if tf.nest.flatten(steps.demonstrated):
        done &= ~steps.demonstrated
    return done, steps.infos._replace(aborted=aborted)


def count_frames(steps: Steps) -> tf.Tensor:
    """Environment frames of the new columns, int64 []: game loops that were really played."""
    is_new = tf.cast(steps.is_new, tf.int64)
    return tf.reduce_sum(tf.cast(steps.frames, tf.int64) * is_new)

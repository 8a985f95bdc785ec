"""A phase of a run: an algorithm on batches of a source for a number of frames."""

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import algorithm as algorithm_lib
from sc2impala.learner import diagnostics, optimization, sequences
from sc2impala.learner.batch import Batch
from sc2impala.learner.sources import Source
from sc2impala.structs import EpisodeInfo


class Plan(NamedTuple):
    """Specification of a phase.

    task: name of the map.
    num_frames: length of the phase and its schedules in environment frames.
    frames: int64 [] variable that counts them, saved with the checkpoint.
    metrics: tensors by tag to summarise with its updates. They must not depend on other batches.
    """

    algorithm: algorithm_lib.Algorithm
    source: Source
    task: str
    num_frames: int
    frames: tf.Variable
    metrics: Mapping[str, tf.Tensor] = {}


class Phase(NamedTuple):
    """A phase in the graph.

    title: name in the progress line.
    task: name of the map, prefix of the tags of episodes.
    num_frames: length in environment frames.
    frames: variable that counts them, int64 [].
    train: runs an update and returns `frames` after it, int64 [].
    step: environment frames of all phases together after the update, int64 [].
    agent_steps: number in the new columns of the batch, int64 [].
    done, infos: see `algorithm.Update`.
    tasks: int32, the index of the map of each step of `done`; () on a single map.
    stage: copies the next batch to the device of the learner, or None.
    summary: serialized summary of the update, string [].
    grad_norm: norm before clipping, float32 []; None if the algorithm does not report it.
    recorded: True if its frames come from recordings, and so were not generated in this run.
    gradient_is_finite: bool [] variable, True if the latest gradient was finite; or None.
    """

    title: str
    task: str
    num_frames: int
    frames: tf.Variable
    train: tf.Tensor
    step: tf.Tensor
    agent_steps: tf.Tensor
    done: tf.Tensor
    infos: EpisodeInfo
    stage: Optional[tf.Operation]
    summary: tf.Tensor
    grad_norm: Optional[tf.Tensor] = None
    recorded: bool = False
    gradient_is_finite: Optional[tf.Variable] = None
    tasks: Any = ()


def frames_variable(name: str) -> tf.Variable:
    """The counter of environment frames of this name, int64 [], part of checkpoints."""
    return _counter(name, [tf.GraphKeys.GLOBAL_VARIABLES])


def policy_version() -> List[tf.Variable]:
    """Counters that identify versions of the weights, int64 [].

    Returns:
      The global step, in environment frames; and the number of updates of this process, which is
      not part of checkpoints.
    """
    updates = _counter('num_updates', [tf.GraphKeys.LOCAL_VARIABLES])
    return [tf.train.get_or_create_global_step(), updates]


def _counter(name: str, collections: List[str]) -> tf.Variable:
    """The int64 [] variable of this name in the graph, created on first use."""
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            name,
            shape=[],
            dtype=tf.int64,
            initializer=tf.zeros_initializer(),
            trainable=False,
            use_resource=True,
            collections=collections,
        )


def build_phases(
    plans: Sequence[Plan],
    agent: Agent,
    batches: Callable[[Source], Tuple[Batch, Optional[tf.Operation]]],
    policy_version: Sequence[tf.Variable],
    metrics: Optional[Mapping[str, tf.Tensor]] = None,
    update_priorities: Optional[Callable[[tf.Tensor, tf.Tensor], tf.Operation]] = None,
) -> List[Phase]:
    """Builds the updates of all phases, in order.

    Args:
      plans: the phases.
      agent: `agents.agent.Agent`; all its weights may be trained.
      batches: source -> its `Batch` and the operation that stages the next one, or None; it returns
        the same ones for the same source.
      policy_version: the variables with the environment frames and the number of updates of the
        weights, as recorded by actors.
      metrics: tensors to summarise with every update, by tag.
      update_priorities: (keys, priorities) -> operation; called for algorithms with priorities.

    Raises:
      ValueError: if the agent lacks an attribute that an algorithm needs.
    """
    counters = [plan.frames for plan in plans]
    built = []
    for plan in plans:
        batch, stage = batches(plan.source)
        others = [counter for counter in counters if counter is not plan.frames]
        phase = _build_phase(plan, agent, batch, others, policy_version, metrics, update_priorities)
        built.append(phase._replace(stage=stage))
    return built


def _build_phase(
    plan: Plan,
    agent: Agent,
    batch: Batch,
    other_counters: Sequence[tf.Variable],
    policy_version: Sequence[tf.Variable],
    metrics: Optional[Mapping[str, tf.Tensor]],
    update_priorities: Optional[Callable[[tf.Tensor, tf.Tensor], tf.Operation]],
) -> Phase:
    schedule = optimization.Schedule(plan.frames, plan.num_frames)
    update = algorithm_lib.build_update(plan.algorithm, agent, batch, None, schedule)
    ages = policy_ages(batch, policy_version)
    finished = [update.train] + list(ages.values())
    if update.priorities is not None and update_priorities is not None:
        keys = batch.keys if update.priority_keys is None else update.priority_keys
        # First the step of the optimizer, which reports non-finite gradients.
        with tf.control_dependencies([update.train]):
            finished.append(update_priorities(keys, update.priorities))
    frames = advance(plan.frames, update.frames, finished)
    with tf.control_dependencies([frames]):
        others = [counter.read_value() for counter in other_counters]
        counted = policy_version[1].assign_add(1)
    with tf.control_dependencies([counted]):
        train = tf.identity(frames)
    num_steps = tf.cast(tf.shape(update.done)[0], tf.int64)
    num_new = tf.reduce_sum(tf.cast(tf.logical_not(batch.is_replay), tf.int64))
    lag = policy_lag(ages, batch.is_replay)
    return Phase(
        title=plan.algorithm.title,
        task=plan.task,
        num_frames=plan.num_frames,
        frames=plan.frames,
        train=train,
        step=tf.add_n([train] + others),
        agent_steps=num_steps * num_new,
        done=update.done,
        infos=update.infos,
        stage=None,
        summary=diagnostics.merge({**update.metrics, **lag, **plan.metrics, **(metrics or {})}),
        grad_norm=update.grad_norm,
        recorded=plan.source.recorded,
        gradient_is_finite=optimization.gradient_is_finite(),
        tasks=_tasks_of(batch, update.done),
    )


def _tasks_of(batch: Batch, done: tf.Tensor) -> Any:
    """The map of each step of `done`, which lacks the steps that overlap; () on a single map."""
    tasks = sequences.tasks_of(batch.env_outputs)
    if isinstance(tasks, tuple):
        return ()
    return tasks[tf.shape(tasks)[0] - tf.shape(done)[0] :]


def advance(
    counter: tf.Variable, frames: tf.Tensor, after: Sequence[Union[tf.Operation, tf.Tensor]]
) -> tf.Tensor:
    """Adds the frames of an update to a counter once the operations `after` are done.

    Returns:
      The counter's new value, int64 [].
    """
    with tf.control_dependencies(list(after)):
        return counter.assign_add(frames).read_value()


def policy_ages(batch: Batch, policy_version: Sequence[tf.Variable]) -> Dict[str, tf.Tensor]:
    """Returns the policy lag of the columns of a batch.

    Args:
      batch: `learner.batch.Batch`, B columns.
      policy_version: variables with the environment frames and updates of the current weights.

    Returns:
      int64 [B] by unit, `frames` and `updates`.
    """
    info = batch.sequence_info
    frames, updates = (variable.read_value() for variable in policy_version)
    return {'frames': frames - info.policy_frames, 'updates': updates - info.policy_updates}


def policy_lag(ages: Mapping[str, tf.Tensor], is_replay: tf.Tensor) -> Dict[str, tf.Tensor]:
    """Mean and extremes of the ages of new columns.

    Args:
      ages: see `policy_ages`.
      is_replay: bool [B].

    Returns:
      `policy_lag/<unit>`, the mean, `policy_lag/<unit>_min` and `policy_lag/<unit>_max`, float32
      []; all 0 without a new column.
    """
    is_new = tf.cast(tf.logical_not(is_replay), tf.float32)
    result = {}
    for unit, of_unit in ages.items():
        tag, age = 'policy_lag/' + unit, tf.cast(of_unit, tf.float32)
        result[tag] = diagnostics.mean(age, is_new)
        result[tag + '_min'], result[tag + '_max'] = diagnostics.extremes(age, is_new)
    return result

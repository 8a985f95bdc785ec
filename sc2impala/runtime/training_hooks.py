"""The hooks of a training: what is saved, logged and shown, and what happens between phases."""

import contextlib
import os
from typing import Any, Callable, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime import checkpoints, evaluation, experience, hooks
from sc2impala.runtime.checkpoints import CheckpointWriter
from sc2impala.runtime.demonstrator_hook import DemonstratorHook, first_share
from sc2impala.runtime.episodes import EpisodeLog
from sc2impala.runtime.replay_watch import ReplayWatch
from sc2impala.runtime.start_policy import StartPolicyHook
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.runtime.training_graph import Training
from sc2impala.runtime.training_start import Start
from sc2impala.settings.settings import Settings


def make_hooks(
    settings: Settings,
    training: Training,
    writer: CheckpointWriter,
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[tf.train.SessionRunHook],
) -> List[tf.train.SessionRunHook]:
    """All hooks, in the order in which they are called.

    Args:
      settings: all of them.
      training: what has been built.
      writer: saves checkpoints.
      start: where the training begins.
      stop: set when it should end.
      stack: closes the logs.
      own_hooks: those of the caller.
    """
    return [
        *_logging_hooks(settings, training, writer, start, stop, stack),
        *own_hooks,
        *_playing_hooks(settings, training),
        *_demonstrator_hooks(settings, training, start.checkpoint),
    ]


def _logging_hooks(
    settings: Settings,
    training: Training,
    writer: CheckpointWriter,
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
) -> List[Any]:
    """What is saved, logged and shown; and the start policy, whose evaluations are logged."""
    run, output, phases = settings.run, settings.output, training.phases
    episodes = EpisodeLog(os.path.join(run.logdir, evaluation.EPISODES_CSV), start.number)
    stack.callback(episodes.close)
    summaries = SummaryLog(run.logdir, output.save_summaries_secs)
    stack.callback(summaries.close)
    frames = tf.add_n([phase.frames.read_value() for phase in phases])
    result = [
        hooks.SavingHook(writer, frames, restored=start.checkpoint is not None),
        hooks.StopHook(stop),
        hooks.SummaryHook(summaries, frames),
        hooks.EpisodeHook(episodes, summaries),
        hooks.ProgressHook(episodes, summaries, output.progress_secs),
    ]
    if training.start_policy is not None:
        of_cloning = [phase.frames for phase in phases if phase.title == 'cloning']
        cloning_frames = of_cloning[0] if of_cloning else None
        result.append(StartPolicyHook(training.start_policy, cloning_frames, frames, summaries))
    return result


def _playing_hooks(settings: Settings, training: Training) -> List[Any]:
    """What happens before each update: the watch over the replay table, staging, playing."""
    played, table = training.experience, training.table
    result: List[Any] = []
    if table is not None and settings.replay.replay_compression != 'none':
        raw_bytes = experience.raw_bytes(settings.replay, played.queue.spec)
        result.append(hooks.CheckHook(ReplayWatch(table, raw_bytes)))
    if settings.run.deterministic:
        batch_size = settings.training.batch_size
        alternation = hooks.AlternationHook(played.enqueue_ops[0], played.queue.size(), batch_size)
        return result + [hooks.StagingHook(alternation.play), alternation]
    return result + [hooks.StagingHook()]


def _demonstrator_hooks(
    settings: Settings, training: Training, checkpoint: Optional[str]
) -> List[Any]:
    """What switches the demonstrator on and off, if there are labels."""
    if not training.has_labels:
        return []
    shares = {}
    for name, algorithm_settings in settings.algorithms.items():
        is_main = name in learner.ALGORITHMS
        if not is_main or name == settings.training.algorithm:
            load: Callable[[str], Any] = learner.load if is_main else learner.load_pretraining
            algorithm = load(name)(algorithm_settings)
            shares[algorithm.title] = algorithm.demonstrator_share
    phases = training.phases
    frames = [0] * len(phases)
    if checkpoint is not None:
        frames = checkpoints.frames_of(checkpoint, [phase.frames for phase in phases])
    first = first_share(
        frames, [phase.num_frames for phase in phases], [shares[p.title] for p in phases]
    )
    return [DemonstratorHook(training.experience.envs, shares, first)]

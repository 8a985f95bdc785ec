"""The hooks of a training: what is saved, logged and shown, and what happens between phases."""

import contextlib
import os
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime import checkpoints, console, evaluation, experience, hooks
from sc2impala.runtime.account_hook import AccountHook
from sc2impala.runtime.checkpoints import CheckpointWriter
from sc2impala.runtime.demonstrator_hook import DemonstratorHook, first_share
from sc2impala.runtime.episodes import EpisodeLog
from sc2impala.runtime.explosion_watch import ExplosionHook
from sc2impala.runtime.frame_limit import FrameLimitHook
from sc2impala.runtime.replay_watch import ReplayWatch
from sc2impala.runtime.resume import ResumeHook
from sc2impala.runtime.resume_groups import Episodes
from sc2impala.runtime.soundness import Soundness
from sc2impala.runtime.start_policy import StartPolicyHook
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.runtime.train_log import TrainLog
from sc2impala.runtime.trained_frames import TrainedFrames
from sc2impala.runtime.training_evaluation import make_evaluation_hooks
from sc2impala.runtime.training_graph import Training
from sc2impala.runtime.training_resume import Resume
from sc2impala.runtime.training_start import Start
from sc2impala.runtime.training_watch import WatchHook
from sc2impala.settings import validation
from sc2impala.settings.settings import Settings


def make_hooks(
    settings: Settings,
    training: Training,
    resume: Resume,
    writer: CheckpointWriter,
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[tf.train.SessionRunHook],
    remote: Optional[Any] = None,
) -> List[tf.train.SessionRunHook]:
    """All hooks, in the order in which they are called.

    Args:
      settings: all of them.
      training: what has been built.
      resume: saves and restores what goes on exactly.
      writer: saves checkpoints.
      start: where the training begins.
      stop: set when it should end.
      stack: closes the logs.
      own_hooks: those of the caller.
      remote: `remote_actors.RemoteActors`; None for actors in this process.
    """
    frames = tf.add_n([phase.frames.read_value() for phase in training.phases])
    noted = TrainedFrames(settings.run.logdir)
    stack.callback(noted.close)
    restored = start.checkpoint is not None
    logging, prepare = _logging_hooks(
        settings, training, resume, frames, writer, start, stop, stack, remote
    )
    result = [
        ResumeHook(resume.part, frames, noted, restored),
        *logging,
        *own_hooks,
        *_playing_hooks(settings, training),
        *_demonstrator_hooks(settings, training, start.checkpoint),
        # After all that changes something with an update: the state of it all is saved.
        hooks.SavingHook(writer, frames, restored, prepare),
    ]
    if settings.training.stop_at_frames:
        result.append(FrameLimitHook(settings.training.stop_at_frames, frames))
    if resume.threads is not None:
        # Nothing may play before the first state is saved, or restored.
        result.append(resume.threads)
    return result


def _logging_hooks(
    settings: Settings,
    training: Training,
    resume: Resume,
    frames: tf.Tensor,
    writer: CheckpointWriter,
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
    remote: Optional[Any],
) -> Tuple[List[Any], Callable[[tf.Session], None]]:
    """What is logged and shown; and the start policy, whose evaluations are logged.

    Returns:
      The hooks, and what has to be called before a checkpoint is saved.
    """
    run, output, phases = settings.run, settings.output, training.phases
    episodes = _episode_log(settings, start)
    stack.callback(episodes.close)
    resume.part.add(Episodes(episodes))
    summaries = SummaryLog(run.logdir, output.save_summaries_secs)
    stack.callback(summaries.close)
    check = Soundness(
        training.agent,
        training.observation_spec,
        tf.global_variables(),
        writer.newest,
    )

    def prepare(session: tf.Session) -> None:
        """What a checkpoint counts is in the logs, and a state that is not sound is not saved."""
        check(session)
        episodes.flush()
        summaries.flush()

    result: List[Any] = [
        hooks.StopHook(stop),
        hooks.SummaryHook(summaries, frames),
        hooks.EpisodeHook(episodes, summaries),
    ]
    if remote is None:
        account = training.experience.queue.account
        result.append(AccountHook(account, frames, summaries, output.progress_secs))
    result.append(hooks.ProgressHook(episodes, summaries, output.progress_secs))
    result.append(ExplosionHook())
    if output.watch_secs:
        size, (_, batch_size) = training.experience.queue.size(), validation.largest_batch(settings)
        log = TrainLog(run.logdir)
        result.append(WatchHook(output.watch_secs, size, batch_size, summaries, log))
    if remote is not None:
        result.append(remote.make_hook(summaries, stop))
    # Before the start policy may give the agent other weights than those that were trained.
    result += make_evaluation_hooks(
        settings, training.agent, frames, writer, start.checkpoint, summaries, stop
    )
    if training.start_policy is not None:
        of_cloning = [phase.frames for phase in phases if phase.title == 'cloning']
        cloning_frames = of_cloning[0] if of_cloning else None
        result.append(StartPolicyHook(training.start_policy, cloning_frames, frames, summaries))
    return result, prepare


def _episode_log(settings: Settings, start: Start) -> EpisodeLog:
    """The list of episodes, without those after the checkpoint that the training goes on from."""
    path = os.path.join(settings.run.logdir, evaluation.EPISODES_CSV)
    games_fail = not settings.environment.spread_frames
    episodes = EpisodeLog(path, start.number, games_fail=games_fail)
    if start.checkpoint is not None:
        undone = episodes.undo(checkpoints.number(start.checkpoint))
        if undone:
            console.say(
                f'{evaluation.EPISODES_CSV}: {undone:,} rows of episodes after the checkpoint are '
                'removed, since these frames are trained again'
            )
    return episodes


def _playing_hooks(settings: Settings, training: Training) -> List[Any]:
    """What happens before each update: the watch over the replay table, staging, playing."""
    played, table = training.experience, training.table
    result: List[Any] = []
    if table is not None and settings.replay.replay_compression != 'none':
        raw_bytes = experience.raw_bytes(settings.replay, played.queue.spec)
        result.append(hooks.CheckHook(ReplayWatch(table, raw_bytes)))
    if settings.run.deterministic:
        _, batch_size = validation.largest_batch(settings)
        alternation = hooks.AlternationHook(played.enqueue_ops[0], played.queue.size(), batch_size)
        return result + [hooks.StagingHook(alternation.play, training.batches.staged), alternation]
    return result + [hooks.StagingHook(None, training.batches.staged)]


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

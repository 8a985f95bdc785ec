"""What happens between two updates, as hooks of the monitored session.

The trainer tells a `PhaseHook` which phase is running. Any other `tf.train.SessionRunHook` may be
added as well: every run of the session that a hook sees is one update.
"""

from typing import Any, Callable, Optional, Set

import tensorflow.compat.v1 as tf

from sc2impala.errors import UnsoundState
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console
from sc2impala.runtime.checkpoints import CheckpointWriter
from sc2impala.runtime.episodes import EpisodeLog
from sc2impala.runtime.progress import Progress
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog


class PhaseHook(tf.train.SessionRunHook):
    """A hook that depends on the phase.

    `phase` is the one that runs, from `begin_phase` to `end_phase`.
    """

    phase: Phase

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Called before the first update of a phase.

        Args:
          phase: what runs now.
          frames: environment frames of the phase so far.
        """
        self.phase = phase

    def end_phase(self, frames: int) -> None:
        """Called after the last update of a phase, also if it was stopped before its end."""

    def fail(self, error: Exception) -> None:
        """Called in the place of `end` if an error ends the training; the session is still open.

        Raises:
          UserError: to be reported in the place of the error.
        """


class SavingHook(PhaseHook):
    """Saves checkpoints: when the session starts, every few seconds, and at the end.

    To be called after the hooks whose logs belong to the checkpoint.
    """

    def __init__(
        self,
        writer: CheckpointWriter,
        frames: tf.Tensor,
        restored: bool,
        prepare: Callable[[tf.Session], None] = lambda session: None,
    ):
        """Args:
        writer: saves and rotates checkpoints.
        frames: environment frames of all phases together, int64 [].
        restored: whether the session starts from the latest checkpoint of the folder.
        prepare: called before a checkpoint is saved; may raise an error instead of that.
        """
        self._writer = writer
        self._frames = frames
        self._restored = restored
        self._prepare = prepare
        self._session: Optional[tf.Session] = None

    def after_create_session(self, session: tf.Session, coord: Any) -> None:
        """Saves the weights that the run starts from, unless they are saved already."""
        self._session = session
        frames = int(session.run(self._frames))
        if self._restored:
            self._writer.start_from(frames)
        self._save(session, frames)

    def before_run(self, run_context: Any) -> tf.train.SessionRunArgs:
        """Asks for the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Saves if it is time to."""
        frames = int(run_values.results)
        if self._writer.is_due(frames) and not self._writer.has_saved(frames):
            self._prepare(run_context.session)
            self._writer.save_if_due(run_context.session, frames)

    def end(self, session: tf.Session) -> None:
        """Saves what was trained since the last time."""
        self._save(session, int(session.run(self._frames)))

    def fail(self, error: Exception) -> None:
        """Saves that if it can be; the error is reported in any case."""
        if self._session is None:
            return
        try:
            self.end(self._session)
        except UnsoundState as unsound:
            raise unsound from error
        except Exception as failure:
            reason = (str(failure).strip() or type(failure).__name__).splitlines()[0]
            console.say(f'what was trained since the last checkpoint cannot be saved: {reason}')

    def _save(self, session: tf.Session, frames: int) -> None:
        if not self._writer.has_saved(frames):
            self._prepare(session)
            self._writer.save(session, frames)


class EpisodeHook(PhaseHook):
    """Logs finished episodes to the CSV, and their means to TensorBoard."""

    def __init__(self, episodes: EpisodeLog, summaries: SummaryLog):
        self._episodes = episodes
        self._summaries = summaries

    def before_run(self, run_context: Any) -> tf.train.SessionRunArgs:
        """Asks for the ends of episodes in the batch."""
        phase = self.phase
        return tf.train.SessionRunArgs(
            {'done': phase.done, 'infos': phase.infos, 'step': phase.step}
        )

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs the episodes that ended in this batch."""
        results = run_values.results
        step = int(results['step'])
        means = self._episodes.add(results['done'], results['infos'], step)
        tags = {f'{self.phase.task}/{name}': mean for name, mean in means.items()}
        if tags:
            self._summaries.add_scalars(tags, step)

    def end(self, session: tf.Session) -> None:
        """Writes what is left in the buffer."""
        self._episodes.flush()

    def fail(self, error: Exception) -> None:
        """The same."""
        self._episodes.flush()


class SummaryHook(PhaseHook):
    """Writes the summaries of updates to TensorBoard, at most every few seconds."""

    def __init__(self, summaries: SummaryLog, frames: tf.Tensor):
        """Args:
        summaries: where to.
        frames: environment frames of all phases together, int64 [].
        """
        self._summaries = summaries
        self._frames = frames

    def after_create_session(self, session: tf.Session, coord: Any) -> None:
        """Marks the step at which this start begins."""
        self._summaries.start(int(session.run(self._frames)))

    def before_run(self, run_context: Any) -> Optional[tf.train.SessionRunArgs]:
        """Asks for the summary if one is due."""
        if not self._summaries.due():
            return None
        return tf.train.SessionRunArgs({'summary': self.phase.summary, 'step': self.phase.step})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes it."""
        if run_values.results is not None:
            self._summaries.add(run_values.results['summary'], int(run_values.results['step']))


class ProgressHook(PhaseHook):
    """Prints a line of progress every few seconds, and writes the rates to TensorBoard."""

    def __init__(self, episodes: EpisodeLog, summaries: SummaryLog, every_secs: float):
        self._episodes = episodes
        self._summaries = summaries
        self._every_secs = every_secs
        self._progress: Optional[Progress] = None

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Starts the clock."""
        super().begin_phase(phase, frames)
        self._progress = Progress(phase.title, frames, phase.num_frames, self._every_secs)

    def before_run(self, run_context: Any) -> tf.train.SessionRunArgs:
        """Asks for the frames and the agent steps of the update."""
        phase = self.phase
        return tf.train.SessionRunArgs(
            {'frames': phase.train, 'agent_steps': phase.agent_steps, 'step': phase.step}
        )

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Prints if it is time to."""
        results = {name: int(value) for name, value in run_values.results.items()}
        assert self._progress is not None
        rates = self._progress.update(results['frames'], results['agent_steps'], self._episodes)
        if rates is not None:
            self._episodes.flush()
            self._summaries.add_scalars(rates._asdict(), results['step'])

    def end_phase(self, frames: int) -> None:
        """Prints a last line."""
        assert self._progress is not None
        self._progress.finish(frames, self._episodes)


class StopHook(tf.train.SessionRunHook):
    """Ends the training after an update if that was requested."""

    def __init__(self, request: StopRequest):
        self._request = request

    def begin(self) -> None:
        """From now on there is something that ends in order."""
        self._request.interrupts = False

    def after_create_session(self, session: tf.Session, coord: Any) -> None:
        """Ends a training that was to be stopped before its first update."""
        if self._request.requested:
            coord.request_stop()

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Passes the request on."""
        if self._request.requested:
            run_context.request_stop()


class CheckHook(tf.train.SessionRunHook):
    """Calls a function before every update, which may raise an error that ends the training."""

    def __init__(self, check: Callable[[], None]):
        self._check = check

    def before_run(self, run_context: Any) -> None:
        """Calls the function."""
        self._check()


class AlternationHook(tf.train.SessionRunHook):
    """Lets one actor play before each update until the queue holds a batch: no other threads."""

    def __init__(self, enqueue: tf.Operation, queue_size: tf.Tensor, batch_size: int):
        """Args:
        enqueue: plays one unroll and enqueues it.
        queue_size: sequences in the queue, int32 [].
        batch_size: sequences that an update dequeues at most.
        """
        self._enqueue = enqueue
        self._queue_size = queue_size
        self._batch_size = batch_size

    def before_run(self, run_context: Any) -> None:
        """Plays for the next update."""
        self.play(run_context.session)

    def play(self, session: tf.Session) -> None:
        """Plays until the queue holds a batch."""
        while session.run(self._queue_size) < self._batch_size:
            session.run(self._enqueue)


class StagingHook(PhaseHook):
    """Copies the batch of the next update to the device while the current one is computed."""

    def __init__(
        self,
        play: Optional[Callable[[tf.Session], None]] = None,
        staged: Optional[Set[tf.Operation]] = None,
    ):
        """Args:
        play: called with the session before the first batch is copied.
        staged: the operations `stage` whose batch is there already; others are added.
        """
        self._play = play
        self._started: Set[tf.Operation] = set() if staged is None else staged

    def before_run(self, run_context: Any) -> Optional[tf.train.SessionRunArgs]:
        """Copies the next batch with the update, and before the first update its own."""
        stage = self.phase.stage
        if stage is None:
            return None
        if stage not in self._started:
            if self._play is not None:
                self._play(run_context.session)
            run_context.session.run(stage)
            self._started.add(stage)
        return tf.train.SessionRunArgs({'stage': stage})

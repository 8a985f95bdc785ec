"""Checkpoints of a run (`--save_checkpoint_secs`), see docs/guides/checkpoints.md."""

from typing import Callable, List, Optional

import tensorflow.compat.v1 as tf

from sc2impala import activity
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.errors import UnsoundState
from sc2impala.runtime import console
from sc2impala.training.component import Component
from sc2impala.training.finite_check import FiniteCheck
from sc2impala.training.run import Run


def make(run: Run) -> List[Component]:
    """Returns the component; to be listed after all components that an update changes."""
    graph, writer = run.graph, run.writer
    check = FiniteCheck(graph.agent, graph.observation_spec, tf.global_variables(), writer.newest)

    def prepare(session: tf.Session) -> None:
        """Before each checkpoint the logs are flushed, and the state is checked to be finite."""
        check(session)
        run.episodes.flush()
        run.summaries.flush()

    return [SavingHook(writer, run.frames, run.is_restored, prepare)]


class SavingHook(Component):
    """Saves checkpoints: when the session starts, every few seconds, and at the end.

    Runs after the hooks whose logs belong to the checkpoint.
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
        prepare: called before a checkpoint is saved; an error of it prevents the save.
        """
        self._writer = writer
        self._frames = frames
        self._restored = restored
        self._prepare = prepare
        self._session: Optional[tf.Session] = None

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Saves the initial weights, unless they are saved already."""
        self._session = session
        frames = int(session.run(self._frames))
        if self._restored:
            self._writer.start_from(frames)
        self._save(session, frames)

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Saves if a checkpoint is due."""
        frames = int(run_values.results)
        if self._writer.is_due(frames) and not self._writer.has_saved(frames):
            with activity.doing(activity.SAVING):
                self._prepare(run_context.session)
                self._writer.save_if_due(run_context.session, frames)

    def end(self, session: tf.Session) -> None:
        """Saves the last updates."""
        self._save(session, int(session.run(self._frames)))

    def fail(self, error: Exception) -> None:
        """Tries to save the last updates; the error is reported in any case."""
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
            with activity.doing(activity.SAVING):
                self._prepare(session)
                self._writer.save(session, frames)

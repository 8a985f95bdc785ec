"""Exact resume: restores the state of all components, see docs/guides/resume.md.

A run that was stopped or killed continues as if it had not been.
"""

from typing import List

import tensorflow.compat.v1 as tf

from sc2impala.runtime import console
from sc2impala.runtime.trained_frames import TrainedFrames
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.saved_files import StateFile


def make(run: Run, state: StateFile) -> List[Component]:
    """Returns the component, which restores before any other begins."""
    noted = TrainedFrames(run.settings.run.logdir)
    run.stack.callback(noted.close)
    return [ResumeHook(state, run.frames, noted, run.is_restored)]


class ResumeHook(Component):
    """Restores the state when the session starts, and reports frames that no checkpoint has."""

    def __init__(self, state: StateFile, frames: tf.Tensor, noted: TrainedFrames, restored: bool):
        """Args:
        state: already loaded if there is a checkpoint.
        frames: environment frames of all phases together, int64 [].
        noted: trained frames of earlier starts.
        restored: whether the session starts from a checkpoint.
        """
        self._state = state
        self._frames = frames
        self._noted = noted
        self._restored = restored

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Restores the saved state, before any actor acts."""
        if not self._restored:
            return
        for sentence in self._state.restore(session):
            console.say(sentence)
        lost = self._noted.read() - int(session.run(self._frames))
        if lost > 0:
            console.say(
                f'{lost:,} frames trained after the last checkpoint are lost and will be generated '
                'again'
            )

    def fail(self, error: Exception) -> None:
        """Excludes the games from later saves: they may have stopped within an unroll."""
        self._state.fail()

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Writes the trained frames."""
        self._noted.note(int(run_values.results))

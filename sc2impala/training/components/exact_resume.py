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
    """Returns the component, which restores before any other has begun."""
    noted = TrainedFrames(run.settings.run.logdir)
    run.stack.callback(noted.close)
    return [ResumeHook(state, run.frames, noted, run.is_restored)]


class ResumeHook(Component):
    """Restores the state when the session starts, and says what no checkpoint holds."""

    def __init__(self, state: StateFile, frames: tf.Tensor, noted: TrainedFrames, restored: bool):
        """Args:
        state: that has been loaded if there is a checkpoint.
        frames: environment frames of all phases together, int64 [].
        noted: what earlier starts have trained.
        restored: whether the session starts from a checkpoint.
        """
        self._state = state
        self._frames = frames
        self._noted = noted
        self._restored = restored

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Restores what was saved; nothing plays yet."""
        if not self._restored:
            return
        for sentence in self._state.restore(session):
            console.say(sentence)
        lost = self._noted.read() - int(session.run(self._frames))
        if lost > 0:
            console.say(
                f'{lost:,} frames that were trained after the checkpoint are lost: they are played '
                'and trained again'
            )

    def fail(self, error: Exception) -> None:
        """The games are not in a state that can be saved."""
        self._state.fail()

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Asks for the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Notes them."""
        self._noted.note(int(run_values.results))

"""Ends a start of a run at a number of frames (`--stop_at_frames`), before it is finished."""

from typing import List

import tensorflow.compat.v1 as tf

from sc2impala.runtime import console
from sc2impala.training.component import Component
from sc2impala.training.run import Run


def make(run: Run) -> List[Component]:
    """Returns the component, if there is a limit."""
    limit = run.settings.training.stop_at_frames
    return [FrameLimitHook(limit, run.frames)] if limit else []


class FrameLimitHook(Component):
    """Ends a run after the first update that reaches a number of frames.

    It saves as after a signal. Schedules do not change.
    """

    def __init__(self, limit: int, frames: tf.Tensor):
        """Args:
        limit: environment frames of all phases together.
        frames: frames so far, int64 [].
        """
        self._limit = limit
        self._frames = frames

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Ends a run that starts at or above the limit."""
        frames = int(session.run(self._frames))
        if frames >= self._limit:
            self._say(frames)
            coord.request_stop()

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Ends the training once the limit is reached."""
        frames = int(run_values.results)
        if frames >= self._limit and not run_context.stop_requested:
            self._say(frames)
            run_context.request_stop()

    def _say(self, frames: int) -> None:
        console.say(
            f'\nstopping at {frames:,} frames (--stop_at_frames={self._limit}); run the same '
            'command without this flag to continue'
        )

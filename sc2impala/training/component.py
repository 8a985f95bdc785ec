"""The interface of the components of a run."""

from typing import Sequence

import tensorflow.compat.v1 as tf

from sc2impala.learner.phases import Phase
from sc2impala.training.state import State


class Component(tf.train.SessionRunHook):
    """A hook of the monitored session with a phase and, optionally, a state.

    Every run of the session that a hook sees is one update. Any other `tf.train.SessionRunHook` may
    be listed among the components.

    phase: the current phase, from `begin_phase` to `end_phase`.
    states: the state of this component that an exact resume restores.
    """

    phase: Phase
    states: Sequence[State] = ()

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Called before the first update of a phase.

        Args:
          phase: the current phase.
          frames: environment frames of the phase so far.
        """
        self.phase = phase

    def end_phase(self, frames: int) -> None:
        """Called after the last update of a phase, also if it was stopped before its end."""

    def fail(self, error: Exception) -> None:
        """Called instead of `end` if an error ends the run; the session is still open.

        Raises:
          UserError: reported instead of the error.
        """

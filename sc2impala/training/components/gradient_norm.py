"""Warns about spikes of the gradient norm."""

import math
import time
from typing import Callable, List, Optional

import tensorflow.compat.v1 as tf

from sc2impala.learner.phases import Phase
from sc2impala.runtime import console
from sc2impala.training.component import Component
from sc2impala.training.run import Run

FACTOR = 100.0
"""Ratio of a norm to its running scale from which a warning is printed."""

RATE = 0.01
"""Weight of an update in the running mean of the logarithm, whose exponential is the scale. The
first updates have as much as is needed for all to count the same."""

FIRST = 50
"""Updates of a phase before the first warning."""

EVERY_SECS = 60.0
"""Seconds between two lines."""


def make(run: Run) -> List[Component]:
    """Returns the component."""
    return [ExplosionHook()]


class ExplosionWatch:
    """The running scale of the norm of a gradient."""

    def __init__(self) -> None:
        self._count = 0
        self._log_scale = 0.0

    @property
    def scale(self) -> float:
        """Geometric mean of past norms; the latest values weigh most."""
        return math.exp(self._log_scale)

    def look(self, norm: float) -> Optional[float]:
        """Notes the norm of an update.

        Args:
          norm: ignored if 0, as for a batch without anything to learn from.

        Returns:
          The scale before it, if the norm is more than FACTOR times as large.
        """
        if not norm > 0.0:
            return None
        scale, known = self.scale, self._count >= FIRST
        self._count += 1
        rate = max(RATE, 1.0 / self._count)
        self._log_scale += rate * (math.log(norm) - self._log_scale)
        return scale if known and norm > FACTOR * scale else None


class ExplosionHook(Component):
    """Warns about spikes of the gradient norm; each phase has its own scale."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        """Args: clock: seconds."""
        self._clock = clock
        self._last_time = -float('inf')
        self._watch = ExplosionWatch()

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Resets the scale."""
        super().begin_phase(phase, frames)
        self._watch = ExplosionWatch()

    def before_run(
        self, run_context: tf.train.SessionRunContext
    ) -> Optional[tf.train.SessionRunArgs]:
        """Requests the norm; the update computes it in any case."""
        norm = self.phase.grad_norm
        return None if norm is None else tf.train.SessionRunArgs(norm)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Warns if the norm is far above its scale."""
        if run_values.results is None:
            return
        norm = float(run_values.results)
        scale = self._watch.look(norm)
        now = self._clock()
        if scale is None or now - self._last_time < EVERY_SECS:
            return
        self._last_time = now
        console.say(
            f'gradient norm spike in {self.phase.title}: {norm:.3g}, {norm / scale:,.0f} times its '
            f'running geometric mean of {scale:.3g}; if this continues, lower the learning rate, '
            'or clip rewards or gradients'
        )

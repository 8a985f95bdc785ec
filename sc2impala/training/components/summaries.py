"""TensorBoard summaries of updates (`--save_summaries_secs`), see docs/reference/summaries.md."""

from typing import List, Optional

import tensorflow.compat.v1 as tf

from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.training.component import Component
from sc2impala.training.run import Run


def make(run: Run) -> List[Component]:
    """Returns the component."""
    return [SummaryHook(run.summaries, run.frames)]


class SummaryHook(Component):
    """Writes the summaries of updates, at most every few seconds."""

    def __init__(self, summaries: SummaryLog, frames: tf.Tensor):
        """Args:
        summaries: the event file of the run.
        frames: environment frames of all phases together, int64 [].
        """
        self._summaries = summaries
        self._frames = frames

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Marks the step at which this start begins."""
        self._summaries.start(int(session.run(self._frames)))

    def before_run(
        self, run_context: tf.train.SessionRunContext
    ) -> Optional[tf.train.SessionRunArgs]:
        """Requests the summary if one is due."""
        if not self._summaries.due():
            return None
        return tf.train.SessionRunArgs({'summary': self.phase.summary, 'step': self.phase.step})

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Writes the summary."""
        if run_values.results is not None:
            self._summaries.add(run_values.results['summary'], int(run_values.results['step']))

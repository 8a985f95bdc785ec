"""Ends a run after the update during which a stop was requested."""

from typing import List

import tensorflow.compat.v1 as tf

from sc2impala.runtime.stop_request import StopRequest
from sc2impala.training.run import Run


def make(run: Run) -> List[tf.train.SessionRunHook]:
    """Returns the component."""
    return [StopHook(run.stop)]


class StopHook(tf.train.SessionRunHook):
    """Passes a request to stop on to the session."""

    def __init__(self, request: StopRequest):
        self._request = request

    def begin(self) -> None:
        """Marks the start of the part that a request ends in order."""
        self._request.interrupts = False

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Ends a run whose stop was requested before its first update."""
        if self._request.requested:
            coord.request_stop()

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Passes the request on."""
        if self._request.requested:
            run_context.request_stop()

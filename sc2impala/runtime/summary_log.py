"""TensorBoard's file of a run."""

import time
from typing import Any, Dict

import tensorflow.compat.v1 as tf


class SummaryLog:
    """Writes summaries, at most every N seconds."""

    def __init__(self, logdir: str, every_secs: float):
        """Args:
        logdir: the folder of the run.
        every_secs: seconds between two summaries of updates; 0 for every update.
        """
        self._writer = tf.summary.FileWriter(logdir, graph=tf.get_default_graph())
        self._every_secs = every_secs
        self._last_time = -float('inf')

    def start(self, step: int) -> None:
        """Marks where this start begins: TensorBoard drops what a killed start wrote beyond it."""
        self._writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), step)

    def due(self) -> bool:
        """Whether the next update should be summarised; calling it restarts the clock."""
        if time.monotonic() - self._last_time < self._every_secs:
            return False
        self._last_time = time.monotonic()
        return True

    def add(self, summary: bytes, step: int) -> None:
        """Writes what a merged summary operation returned."""
        self._writer.add_summary(summary, step)

    def add_scalars(self, values: Dict[str, Any], step: int) -> None:
        """Writes numbers that were computed outside of the graph, {tag: value}."""
        self._writer.add_summary(
            tf.Summary(
                value=[tf.Summary.Value(tag=tag, simple_value=v) for tag, v in values.items()]
            ),
            step,
        )

    def close(self) -> None:
        """Writes what is left."""
        self._writer.close()

"""Checks that a compressed replay buffer will fit into memory, long before it is full.

The compressed size of a sequence is unknown before the first ones, and changes while the
agent learns. So it is estimated from the first sequences on, and again whenever the buffer has
grown by a part: a run without room for all requested sequences ends early, with a message,
rather than on the third day, killed by the system.
"""

from typing import Callable, List

import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.replay import ReplayTable
from sc2impala.runtime import console, memory
from sc2impala.training import replay_buffer
from sc2impala.training.run import Run

FIRST_SIZE = 100
"""Sequences from which the first estimate is made."""

GROWTH = 1 / 16
"""The part by which the buffer grows between two estimates. This much has to be free at each, also
when the buffer is full: later sequences may compress less."""

NARROW = 1.25
"""A warning is printed if the missing memory times this factor exceeds the free memory."""


def make(run: Run) -> List[tf.train.SessionRunHook]:
    """Returns the component, if there is a replay buffer that is compressed."""
    table, settings = run.graph.table, run.settings.replay
    if table is None or settings.replay_compression == 'none':
        return []
    raw_bytes = replay_buffer.raw_bytes(settings, run.graph.actors.queue.spec)
    return [CheckHook(ReplayWatch(table, raw_bytes))]


class CheckHook(tf.train.SessionRunHook):
    """Calls a function before every update, which may raise an error that ends the run."""

    def __init__(self, check: Callable[[], None]):
        self._check = check

    def before_run(self, run_context: tf.train.SessionRunContext) -> None:
        """Calls the function."""
        self._check()


class ReplayWatch:
    """Estimates the final size between updates; cheap unless there is something to report."""

    def __init__(self, replay: ReplayTable, raw_bytes: int):
        """Args:
        replay: `replay.ReplayTable` that is compressed.
        raw_bytes: size of the full table without compression.
        """
        self._replay = replay
        self._raw_bytes = raw_bytes
        self._next_bytes = 0.0
        self._next_report: float = min(FIRST_SIZE, replay.capacity)
        self._warned = False

    def __call__(self) -> None:
        """Checks whether all sequences will fit; reports the size whenever it has doubled.

        Raises:
          UserError: if they will not fit.
        """
        size, num_bytes = self._replay.size, self._replay.num_bytes
        early = size < min(FIRST_SIZE, self._replay.capacity)
        if early or (num_bytes < self._next_bytes and size < self._next_report):
            return
        self._next_bytes = num_bytes * (1 + GROWTH)
        expected = num_bytes / size * self._replay.capacity
        available = memory.available_bytes()
        missing = max(expected - num_bytes, num_bytes * GROWTH)
        if missing > available:
            raise UserError(self._complaint(size, num_bytes, expected, available))
        if size >= self._next_report:
            self._next_report = _next_report_size(size, self._replay.capacity)
            console.say(self._account(size, num_bytes, expected))
        if missing * NARROW > available and not self._warned:
            self._warned = True
            console.say(
                f'replay: of the {memory.text(available)} that are left it will take '
                f'{memory.text(missing)}; should later sequences compress less, the run ends '
                'with an error'
            )

    def _account(self, size: int, num_bytes: int, expected: float) -> str:
        capacity = self._replay.capacity
        ratio = self._raw_bytes / expected
        text = (
            f'replay: {size:,} sequences take {memory.text(num_bytes)} '
            f'(compression ratio {ratio:.1f})'
        )
        if size < capacity:
            text += f'; all {capacity:,} will take about {memory.text(expected)}'
        return text

    def _complaint(self, size: int, num_bytes: int, expected: float, available: float) -> str:
        # Some memory stays reserved for the growth between two estimates.
        fits = int((num_bytes + available) / (1 + GROWTH) / (num_bytes / size))
        return (
            f'--replay_buffer_size={self._replay.capacity} will take about {memory.text(expected)} '
            f'({size:,} sequences take {memory.text(num_bytes)}), but only '
            f'{memory.text(available)} are left, expected at most {fits} sequences; what was saved '
            'is still there: resume where there is more memory, or in a new --logdir with '
            '--init_checkpoint and fewer sequences.'
        )


def _next_report_size(size: int, capacity: int) -> float:
    """The next size to report; infinity after the last."""
    if size >= capacity:
        return float('inf')
    return min(2 * size, capacity)

"""Detects a training without updates, and reports what blocks it."""

import contextlib
import sys
import threading
import time
import traceback
from typing import Callable, Dict, List, Mapping, Optional

import tensorflow.compat.v1 as tf

from sc2impala import activity
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console
from sc2impala.runtime.console import TrainLog, duration_text
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings import validation
from sc2impala.training.component import Component
from sc2impala.training.run import Run

TAG = 'watch/secs_without_update'

_POLL_SECS = 1.0
_LONGEST_GAP_SECS = 10.0
_BACK_OFF = 2.0
_SIZE_TIMEOUT_MS = 10000

Stack = List[traceback.FrameSummary]
"""The outermost call first."""


def make(run: Run) -> List[Component]:
    """Returns the component, if the watch is on."""
    settings = run.settings
    if not settings.output.watch_secs:
        return []
    size, (_, batch_size) = run.graph.actors.queue.size(), validation.largest_batch(settings)
    log = TrainLog(settings.run.logdir)
    return [WatchHook(settings.output.watch_secs, size, batch_size, run.summaries, log)]


class Watch:
    """Decides when to report; its clock stops while the process is stopped."""

    def __init__(self, watch_secs: float, now: float):
        """Args:
        watch_secs: seconds without an update until the first report.
        now: seconds.
        """
        self._watch_secs = watch_secs
        self._since = self._last_look = now
        self._next = watch_secs

    def look(self, now: float, longest_gap: float) -> Optional[float]:
        """Returns the seconds without an update if it is time for a report.

        Args:
          now: seconds.
          longest_gap: between two looks; in a longer one the whole process was stopped.
        """
        gap = now - self._last_look
        self._last_look = now
        if gap > longest_gap:
            self._since += gap
        idle = now - self._since
        if idle < self._next:
            return None
        self._next = max(self._next * _BACK_OFF, idle)
        return idle

    def trained(self, now: float) -> Optional[float]:
        """Notes an update; returns the seconds without one if they had been reported."""
        idle, reported = now - self._since, self._next > self._watch_secs
        self._since, self._next = now, self._watch_secs
        self._last_look = now
        return idle if reported else None


class WatchHook(Component):
    """Watches the updates of a run in a separate thread."""

    def __init__(
        self,
        watch_secs: float,
        queue_size: tf.Tensor,
        batch_size: int,
        summaries: SummaryLog,
        log: TrainLog,
        clock: Callable[[], float] = time.monotonic,
    ):
        """Args:
        watch_secs: seconds without an update until the first report; above 0.
        queue_size: sequences in the queue, int32 [].
        batch_size: sequences that an update takes from it.
        summaries: where to.
        log: gets the stacks of all threads.
        clock: seconds.
        """
        self._watch = Watch(watch_secs, clock())
        self._queue_size = queue_size
        self._batch_size = batch_size
        self._summaries = summaries
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._learner: Optional[int] = None
        self._step = 0

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Starts the watch."""
        self._session = session
        self._learner = threading.get_ident()
        self._trained()
        threading.Thread(target=self._run, name='watch', daemon=True).start()

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Restarts the timer; no updates happen between phases."""
        super().begin_phase(phase, frames)
        self._trained()

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Notes the update."""
        self._step = int(run_values.results)
        self._trained()

    def end(self, session: tf.Session) -> None:
        """Ends the watch."""
        self._ended.set()

    def fail(self, error: Exception) -> None:
        """Ends the watch."""
        self._ended.set()

    def _trained(self) -> None:
        with self._lock:
            idle = self._watch.trained(self._clock())
        if idle is not None:
            console.say(f'training continues after {duration_text(idle)} without an update')
            self._summaries.add_scalars({TAG: 0.0}, self._step)

    def _run(self) -> None:
        while not self._ended.wait(_POLL_SECS):
            with self._lock:
                idle = self._watch.look(self._clock(), _LONGEST_GAP_SECS)
            if idle is not None:
                self._report(idle)

    def _report(self, idle: float) -> None:
        stacks, doing = thread_stacks(), activity.by_thread()
        reason = describe_waiting(doing, self._learner, self._read_size(), self._batch_size)
        console.say(
            f'no update for {duration_text(idle)}: {reason} (the stacks of all threads '
            f'are in {self._log.path})'
        )
        self._log.write_line(stacks_text(stacks))
        self._summaries.add_scalars({TAG: idle}, self._step)
        self._summaries.flush()

    def _read_size(self) -> Optional[int]:
        # Errors: the session is closed, or does not answer.
        with contextlib.suppress(tf.errors.OpError, RuntimeError):
            options = tf.RunOptions(timeout_in_ms=_SIZE_TIMEOUT_MS)
            return int(self._session.run(self._queue_size, options=options))
        return None


def thread_stacks() -> Dict[int, Stack]:
    """The Python stack of every thread but this one."""
    own = threading.get_ident()
    return {
        ident: list(traceback.extract_stack(frame))
        for ident, frame in sys._current_frames().items()
        if ident != own
    }


def stacks_text(stacks: Dict[int, Stack]) -> str:
    """Stacks as text, with the names of the threads."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    lines = []
    for ident, stack in stacks.items():
        lines.append(f'thread {names.get(ident, ident)}:')
        lines += [f'  {f.filename}:{f.lineno} {f.name}: {f.line}' for f in stack]
    return '\n'.join(lines)


def describe_waiting(
    doing: Mapping[int, str], learner: Optional[int], queued: Optional[int], batch_size: int
) -> str:
    """Describes what blocks the training, as a part of a sentence.

    Args:
      doing: activity of each thread, see `activity.by_thread`.
      learner: the thread that trains.
      queued: sequences in the queue, None if that is not known.
      batch_size: sequences that an update takes from it.
    """
    own = doing.get(learner or -1)
    others = [what for thread, what in doing.items() if thread != learner]
    if own not in (None, activity.UPDATE, activity.FILL):
        return f'the learner {own}'
    if activity.REPLAY in others:
        return 'the learner waits for the replay buffer'
    if queued is None:
        return 'the session of the learner does not answer'
    if queued >= batch_size:
        return (
            f'the learner computes: the queue has {queued} sequences, and a batch takes '
            f'{batch_size}'
        )
    waits = f'the learner waits for the queue ({queued} of {batch_size} sequences of a batch)'
    if activity.GAME in others:
        return f'{waits}, and an actor waits for a game'
    return f'{waits}, and no actor waits for a game: actors compute, or have ended'

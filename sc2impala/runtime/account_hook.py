"""The hook that keeps the account of a training, shows it, and checks it at the end."""

import time
from typing import Any, Callable, Dict, Optional

import tensorflow.compat.v1 as tf

from sc2impala.learner.phases import Phase
from sc2impala.runtime import console
from sc2impala.runtime.account import Account
from sc2impala.runtime.hooks import PhaseHook
from sc2impala.runtime.summary_log import SummaryLog

_SHORTEST_SECS = 1e-3


class AccountHook(PhaseHook):
    """Counts what updates train on, and writes the amounts to TensorBoard."""

    def __init__(
        self,
        account: Account,
        frames: tf.Tensor,
        summaries: SummaryLog,
        every_secs: float,
        clock: Callable[[], float] = time.monotonic,
    ):
        """Args:
        account: of the run, which goes on from that of a checkpoint if there is one.
        frames: environment frames of all phases together, int64 [].
        summaries: where to.
        every_secs: seconds between two events.
        clock: seconds.
        """
        self._account = account
        self._frames = frames
        self._summaries = summaries
        self._every_secs = every_secs
        self._clock = clock
        self._last_time = clock()
        self._last_frames = self._step = 0
        self._stage: Optional[tf.Operation] = None
        self._waited = account.waited()

    def after_create_session(self, session: tf.Session, coord: Any) -> None:
        """Compares the account with the counters of the phases."""
        self._step = int(session.run(self._frames))
        self._account.begin(self._step)

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Counts from here."""
        super().begin_phase(phase, frames)
        self._last_frames = frames
        if self._stage is not None and phase.stage is not self._stage:
            self._account.give_up_staged()
        self._stage = phase.stage

    def before_run(self, run_context: Any) -> tf.train.SessionRunArgs:
        """Asks for the frames after the update."""
        return tf.train.SessionRunArgs({'frames': self.phase.train, 'step': self.phase.step})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Counts them."""
        frames, self._step = (int(run_values.results[name]) for name in ('frames', 'step'))
        self._account.train(frames - self._last_frames, self.phase.recorded)
        self._last_frames = frames
        now = self._clock()
        if now - self._last_time >= self._every_secs:
            self._write(now - self._last_time)
            self._last_time = now

    def end(self, session: tf.Session) -> None:
        """Writes the last amounts; says so if they do not add up."""
        self._write(self._clock() - self._last_time)
        complaint = self._account.complaint()
        if complaint is not None:
            console.say(complaint)

    def _write(self, seconds: float) -> None:
        """Writes amounts; and waits, over the seconds since they were written before."""
        amounts = self._account.amounts()
        values = dict(amounts._asdict(), waiting=amounts.waiting)
        tags: Dict[str, float] = {'account/' + name: count for name, count in values.items()}
        waited = self._account.waited()
        for who, total in waited.items():
            share = (total - self._waited[who]) / max(seconds, _SHORTEST_SECS)
            tags[f'wait/{who}_per_second'] = share
        self._waited = waited
        self._summaries.add_scalars(tags, self._step)

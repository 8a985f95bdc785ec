"""Cluster component of the learner: monitors actors and logs their traffic."""

import contextlib
import threading
import time
from typing import Callable, Dict

import tensorflow.compat.v1 as tf

from sc2impala.cluster import run_info
from sc2impala.cluster.accounts import Accounts, Rates
from sc2impala.cluster.intake import Intake
from sc2impala.runtime import console, stop_request
from sc2impala.runtime.stop_request import SignalWatch, StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.training.component import Component

_POLL_SECS = 0.2
_REPORT_SECS = 30.0
_STUCK_SECS = 1.0


class ClusterHook(Component):
    """Reports waits for actors, ends them on a request to stop, and writes summaries."""

    def __init__(
        self,
        accounts: Accounts,
        intake: Intake,
        tell: Callable[[tf.Session, int], None],
        summaries: SummaryLog,
        stop: StopRequest,
        port: int,
        every_secs: float,
    ):
        """Args:
        accounts: of the actors.
        intake: operations on the queues.
        tell: (session, stage) sends the learner's activity to the actors, see `run_info`.
        summaries: the event file of the run.
        stop: set when the training should end.
        port: named in the message that no actor is connected.
        every_secs: seconds between two summaries.
        """
        self._accounts = accounts
        self._intake = intake
        self._tell = tell
        self._summaries = summaries
        self._stop = stop
        self._port = port
        self._every_secs = every_secs
        self._rates, self._actor_rates = Rates(), Rates()
        self._ended = threading.Event()
        self._thread = threading.Thread()
        self._step = 0
        self._last_summary = self._last_update = time.monotonic()

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Lets the actors begin."""
        self._signals = SignalWatch()
        self._thread = threading.Thread(target=self._watch, args=(session, coord), daemon=True)
        self._thread.start()

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Writes summaries if they are due."""
        self._step = int(run_values.results)
        self._last_update = time.monotonic()
        if self._last_update - self._last_summary >= self._every_secs:
            self._last_summary = self._last_update
            self._summaries.add_scalars(self._values(), self._step)

    def end(self, session: tf.Session) -> None:
        """Notifies the actors of the end of the training, and writes the account."""
        self._ended.set()
        self._thread.join()
        self._signals.close()
        self._tell(session, run_info.STOPPED if self._stop.requested else run_info.FINISHED)
        self._summaries.add_scalars(self._values(), self._step)
        amounts = self._accounts.amounts()._asdict()
        parts = ', '.join(f'{amount:,} {name}' for name, amount in amounts.items())
        console.say(f'environment frames of all actors: {parts}')

    def _watch(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Runs in a separate thread, since an update waits for the actors."""
        busy = reported = time.monotonic()
        # Errors: the session was closed.
        with contextlib.suppress(tf.errors.OpError, RuntimeError):
            while not coord.should_stop() and not self._ended.wait(_POLL_SECS):
                self._tell(session, run_info.TRAINING)
                now = time.monotonic()
                if self._is_to_stop() and now - self._last_update > _STUCK_SECS:
                    session.run(self._intake.cancel)
                    return
                waiting = int(session.run(self._intake.waiting))
                if waiting:
                    busy = now
                self._accounts.look_for_silence(busy, waiting)
                idle_since = max(self._accounts.last_arrival, busy)
                if now - max(reported, idle_since) >= _REPORT_SECS:
                    reported = now
                    console.say(self._waiting_line(now - idle_since))

    def _is_to_stop(self) -> bool:
        """Returns whether a stop was requested, even if its handler could not run yet."""
        if stop_request.SIGNALS.intersection(self._signals.arrived()):
            self._stop.requested = True
        return self._stop.requested

    def _waiting_line(self, secs: float) -> str:
        actors = console.count_text(len(self._accounts.present()), 'actor')
        return (
            f'no sequences for {secs:.0f} s, {actors} connected: start more with --job_name=actor '
            f'--learner_address=<this machine>:{self._port}'
        )

    def _values(self) -> Dict[str, float]:
        """Summaries by tag."""
        accounts = self._accounts
        present = accounts.present()
        values: Dict[str, float] = {'cluster/actors': len(present)}
        for name, frames in accounts.amounts()._asdict().items():
            values['cluster/frames_' + name] = frames
        sequences = accounts.sequences()
        values['cluster/sequences_discarded'] = sequences['discarded']
        values['cluster/sequences_queued'] = (
            sequences['received'] - sequences['discarded'] - sequences['trained']
        )
        for name, count in accounts.traffic()._asdict().items():
            values['cluster/messages_' + name] = count
        for name, rate in self._rates.update(accounts.totals()).items():
            values[f'cluster/{name}_per_second'] = rate
        played = {actor.header.actor: float(actor.header.played) for actor in present}
        rates = self._actor_rates.update(played)
        for actor in present:
            if actor.header.actor in rates:
                values[f'actor/{actor.slot}/frames_per_second'] = rates[actor.header.actor]
            values[f'actor/{actor.slot}/weights_secs'] = actor.header.weights_secs
            if actor.header.last_return == actor.header.last_return:
                values[f'actor/{actor.slot}/last_return'] = actor.header.last_return
        return values

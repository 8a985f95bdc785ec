"""An actor process with its own agent, from the first weights of a run until its end."""

import abc
import functools
import json
import threading
from typing import Callable, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.cluster import link as link_lib
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.link import Link, RunEnded, Stopped
from sc2impala.cluster.messages import Choice
from sc2impala.cluster.outbox import Identity, Outbox, Queue
from sc2impala.cluster.run_info import RunInfo
from sc2impala.cluster.weights import State
from sc2impala.cluster_actors.player import Player
from sc2impala.runtime import console
from sc2impala.structs import ActorOutput

_POLL_SECS = 0.1
_JOIN_SECS = 1.0
_REPORT_SECS = 10.0
_LEAST_SECS = 0.01


class Threads(abc.ABC):
    """A thread that follows the learner, and threads that act when it is ready."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._error: Optional[Exception] = None

    @abc.abstractmethod
    def _follow_learner(self, is_ready: threading.Event) -> None:
        """Runs until `_over` is set, and sets `is_ready` when acting can start."""

    @abc.abstractmethod
    def _players(self) -> Sequence[Callable[[], None]]:
        """Returns functions that act until `_over` is set, one per thread."""

    @abc.abstractmethod
    def _interrupt(self) -> None:
        """Cancels pending calls of the learner."""

    @abc.abstractmethod
    def _settle(self) -> None:
        """Called when all threads have ended."""

    @abc.abstractmethod
    def _say_farewell(self) -> None:
        """Acknowledges the end of the training to the learner, without waiting for long."""

    @abc.abstractmethod
    def _say_goodbye(self) -> None:
        """Reports the end of this process to the learner, without waiting for long."""

    def play(self, stop: threading.Event) -> RunEnded:
        """Acts until the run has ended, and returns how it ended.

        Args:
          stop: set when this process must end.

        Raises:
          Stopped: if this process must end.
          Exception: if a game fails.
        """
        is_ready = threading.Event()
        threads: List[threading.Thread] = [self._thread(self._follow_learner, is_ready)]
        while not self._over.is_set() and not stop.is_set():
            self._over.wait(_POLL_SECS)
            if is_ready.is_set() and len(threads) == 1:
                threads += [self._thread(player) for player in self._players()]
        self._over.set()
        for thread in threads:
            while thread.is_alive():
                # Pending calls of the learner fail.
                self._interrupt()
                thread.join(_JOIN_SECS)
        self._settle()
        if isinstance(self._error, RunEnded):
            if self._error.info is None:
                self._say_farewell()
            return self._error
        if self._error is not None:
            raise self._error
        self._say_goodbye()
        raise Stopped()

    def _thread(self, function: Callable[..., None], *arguments: object) -> threading.Thread:
        """Starts a thread; the first error ends all of them."""

        def run() -> None:
            try:
                function(*arguments)
            except Exception as error:
                self._end(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _end(self, error: Exception) -> None:
        with self._lock:
            if self._error is None and not isinstance(error, Stopped):
                self._error = error
        self._over.set()


class Play(Threads):
    """Generates sequences for one run of the learner.

    unsent: generated environment frames that the learner does not have at the end.
    """

    def __init__(self, player: Player, info: RunInfo, identity: Identity, unsent: int = 0):
        """Builds the graph of the client.

        Args:
          player: the games and the agent.
          info: metadata of the run.
          identity: identity of this actor.
          unsent: dropped frames of an earlier run.

        Raises:
          UserError: if the learner has another agent, or other observations.
        """
        super().__init__()
        run_info.check_components(info.components, run_info.component_lines(player.spec))
        cluster = player.settings.cluster
        self.unsent = 0
        self._player = player
        self._address = cluster.learner_address
        self._weights_secs = max(cluster.weights_secs, _LEAST_SECS)
        self._graph = tf.Graph()
        with self._graph.as_default():
            player.weights.build_remote(info.variables)
            self._queue = Queue(info.capacity)
            self._farewell = run_info.remote_farewell()
        timeout = cluster.rpc_timeout_secs
        self._sending, self._reading = (
            Link(self._address, self._graph, info, timeout, self._over, console.say)
            for _ in range(2)
        )
        choice = Choice(cluster.sequence_compression)
        self._outbox = Outbox(
            self._sending, self._queue, info.run, identity, player.spec, choice, unsent
        )

    def account(self) -> str:
        """Environment frames generated, sent and aborted in this run, as JSON."""
        return json.dumps(self._outbox.tally.totals())

    def _follow_learner(self, is_ready: threading.Event) -> None:
        """Follows the learner's weights and demonstrator, and reports to the learner."""
        state = self._wait_for_training()
        self._take_weights()
        self._player.start_games()
        is_ready.set()
        while not self._over.wait(self._weights_secs):
            before, state = state, self._read_state()
            if state.stage == run_info.FINISHED:
                raise RunEnded(None)
            if state.share != before.share:
                self._player.set_share(state.share)
            if state.updates != before.updates:
                self._take_weights()
            self._outbox.report(_REPORT_SECS)

    def _wait_for_training(self) -> State:
        """Waits until the learner has set the share of the demonstrator; returns its activity."""
        while True:
            state = self._read_state()
            if state.stage != run_info.STARTING:
                self._player.set_share(state.share)
                return state
            if self._over.wait(_POLL_SECS):
                raise Stopped()

    def _read_state(self) -> State:
        return self._player.weights.read_state(self._reading.run)

    def _take_weights(self) -> None:
        values = self._player.weights.read(self._reading.run)
        self._player.weights.assign(self._player.session, values)
        self._outbox.note_weights(sum(value.nbytes for value in values))

    def _players(self) -> Sequence[Callable[[], None]]:
        return [functools.partial(self._play_unrolls, output) for output in self._player.outputs]

    def _interrupt(self) -> None:
        self._sending.close()
        self._reading.close()

    def _settle(self) -> None:
        self.unsent = self._outbox.tally.unsent
        self._outbox.tally.abort()

    def _play_unrolls(self, output: ActorOutput) -> None:
        while not self._over.is_set():
            self._outbox.send(self._player.session.run(output))

    def _say_farewell(self) -> None:
        link_lib.run_once(self._address, self._graph, self._farewell)

    def _say_goodbye(self) -> None:
        """Sends a last report."""
        feed = self._outbox.goodbye()
        link_lib.run_once(self._address, self._graph, self._queue.enqueue, feed)

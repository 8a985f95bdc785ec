"""A client's session with the learner's server, reopened whenever it breaks."""

import contextlib
import socket
import threading
import time
from typing import Callable, Dict, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.run_info import RunInfo
from sc2impala.structs import Nest

_FIRST_WAIT_SECS = 0.5
_LONGEST_WAIT_SECS = 8.0
_REPORT_SECS = 30.0
_CONNECT_SECS = 3.0
_SHORT_CALL_SECS = 10.0
_ONCE_SECS = 6.0
_NO_ANSWER = (
    tf.errors.DeadlineExceededError,
    tf.errors.UnavailableError,
    tf.errors.UnknownError,
)
_OF_ANOTHER_PROGRAM = (
    'the port is open, but no learner answers: it is busy, or the port is of another program'
)
_PREFIX = 'Graph execution error:'
"""The first line of all errors of current versions."""


class Stopped(Exception):
    """This process was requested to end."""


class Interrupted(Exception):
    """A call has failed, and the learner is reachable again, in the same run."""


class RunEnded(Exception):
    """The run of this actor has ended.

    info: metadata of the next run; None after the last.
    """

    def __init__(self, info: Optional[RunInfo]):
        super().__init__()
        self.info = info


class Wait:
    """Waits with increasing intervals, and reports every 30 seconds."""

    def __init__(self, stop: threading.Event, say: Callable[[str], None], what: str):
        """Args:
        stop: ends the wait.
        say: prints a line.
        what: name and address of the awaited process.
        """
        self._stop = stop
        self._say = say
        self._what = what
        self._secs = _FIRST_WAIT_SECS
        self._started = self._reported = time.monotonic()

    def once_more(self, reason: str) -> None:
        """Waits for one interval.

        Args:
          reason: reason for the printed line.

        Raises:
          Stopped: if this process must end.
        """
        if self._stop.wait(self._secs):
            raise Stopped()
        self._secs = min(2 * self._secs, _LONGEST_WAIT_SECS)
        now = time.monotonic()
        if now - self._reported >= _REPORT_SECS:
            self._reported = now
            self._say(f'waiting for {self._what}, {now - self._started:.0f} s so far ({reason})')


def wait_for_run_info(address: str, stop: threading.Event, say: Callable[[str], None]) -> RunInfo:
    """Returns the run metadata of the learner; blocks until there is one.

    Raises:
      UserError: if the learner has another version.
      Stopped: if this process must end.
    """
    wait = Wait(stop, say, f'the learner at {address}')
    while not stop.is_set():
        reason = unreachable(address)
        if not reason:
            text, reason = _read_run_info(address)
            if text is not None:
                return run_info.from_json(text)
        wait.once_more(reason)
    raise Stopped()


def _read_run_info(address: str) -> Tuple[Optional[bytes], str]:
    """Returns the published text; or None, and the reason."""
    with tf.Graph().as_default() as graph:
        text = run_info.remote_variable(run_info.RUN_INFO, tf.string, [], '/device:CPU:0')
        session = open_session(address, graph, _SHORT_CALL_SECS)
        try:
            return session.run(text), ''
        except tf.errors.FailedPreconditionError:
            return None, 'it is starting'
        except _NO_ANSWER:
            return None, _OF_ANOTHER_PROGRAM
        except tf.errors.OpError as error:
            return None, one_line(error)
        finally:
            close_session(session)


def unreachable(address: str) -> str:
    """Returns the reason why an address is unreachable; empty if it is reachable.

    gRPC waits longer after every attempt, up to two minutes, for all sessions of a process. So it
    is not used before a server listens.
    """
    host, _, port = address.rpartition(':')
    try:
        with socket.create_connection((host.strip('[]'), int(port)), _CONNECT_SECS):
            return ''
    except (OSError, UnicodeError) as error:
        return getattr(error, 'strerror', None) or str(error)


def open_session(address: str, graph: tf.Graph, timeout_secs: float) -> tf.Session:
    """A session with the server at an address; calls fail after the time.

    Args:
      address: host:port.
      graph: graph of the client.
      timeout_secs: longest duration of a call.
    """
    config = tf.ConfigProto(
        operation_timeout_in_ms=int(1000 * timeout_secs), allow_soft_placement=True
    )
    return tf.Session('grpc://' + address, graph=graph, config=config)


def run_once(
    address: str,
    graph: tf.Graph,
    operation: tf.Operation,
    feed: Optional[Dict[tf.Tensor, Nest]] = None,
) -> None:
    """Runs an operation once, for a few seconds, if there is a learner; any failure is ignored.

    Args:
      address: host:port.
      graph: graph of the client.
      operation: in this graph.
      feed: as in `tf.Session.run`.
    """
    if unreachable(address):
        return
    session = open_session(address, graph, _ONCE_SECS)
    with contextlib.suppress(tf.errors.OpError):
        session.run(operation, feed)
    close_session(session)


def close_session(session: tf.Session) -> None:
    """Closes a session without waiting for an answer."""
    threading.Thread(target=_close, args=(session,), daemon=True).start()


def one_line(error: tf.errors.OpError) -> str:
    """Kind and first line of an error of TensorFlow."""
    lines = [line for line in str(error.message or '').splitlines() if line.strip()]
    lines = [line for line in lines if line.strip() != _PREFIX]
    return f'{type(error).__name__}: {lines[0] if lines else ""}'[:200]


class Link:
    """Runs operations on the learner's server until they succeed.

    Not thread-safe. All links of a process use operations of the same graph.
    """

    def __init__(
        self,
        address: str,
        graph: tf.Graph,
        info: RunInfo,
        timeout_secs: float,
        stop: threading.Event,
        say: Callable[[str], None],
    ):
        """Args:
        address: address of the learner.
        graph: graph with the operations.
        info: metadata of the run.
        timeout_secs: longest duration of a call, also while it waits for room in a queue.
        stop: set when this process must end, or is done with the run.
        say: prints a line.
        """
        self._address = address
        self._graph = graph
        self._info = info
        self._timeout_secs = timeout_secs
        self._stop = stop
        self._say = say
        self._session: Optional[tf.Session] = None
        with graph.as_default():
            self._status = run_info.remote_variable(
                run_info.STATUS, tf.float64, [2], '/device:CPU:0'
            )

    def run(self, fetches: Nest, feed: Optional[Dict[tf.Tensor, Nest]] = None) -> Nest:
        """Calls `tf.Session.run` until it succeeds.

        So an operation with side effects may run more than once.

        Raises:
          RunEnded: if the run has ended.
          Stopped: if this process must end.
        """
        while True:
            with contextlib.suppress(Interrupted):
                return self.run_once(fetches, feed)

    def run_once(self, fetches: Nest, feed: Optional[Dict[tf.Tensor, Nest]] = None) -> Nest:
        """Calls `tf.Session.run` once, for calls that must not be repeated unchanged.

        Raises:
          Interrupted: if it has failed; the next call uses a new session.
          RunEnded, Stopped: see `run`.
        """
        if self._stop.is_set():
            raise Stopped()
        try:
            return self._open().run(fetches, feed)
        except tf.errors.OpError as error:
            self._connect_again(error)
        except RuntimeError:
            # The session was closed by `close`.
            if not self._stop.is_set():
                raise
        raise Interrupted()

    def close(self) -> None:
        """Ends the session; a pending call fails."""
        session, self._session = self._session, None
        if session is not None:
            close_session(session)

    def _open(self) -> tf.Session:
        if self._session is None:
            self._session = open_session(self._address, self._graph, self._timeout_secs)
        return self._session

    def _connect_again(self, error: tf.errors.OpError) -> None:
        """Continues with a new session if the run is the same."""
        if not isinstance(error, tf.errors.DeadlineExceededError):
            self._raise_if_over()
        self.close()
        info = wait_for_run_info(self._address, self._stop, self._say)
        if info.run != self._info.run:
            raise RunEnded(info)

    def _raise_if_over(self) -> None:
        """Raises: RunEnded: if the learner reports the end of the last run."""
        if unreachable(self._address):
            return
        try:
            stage = int(self._open().run(self._status)[0])
        except (tf.errors.OpError, RuntimeError):
            return
        if stage == run_info.FINISHED:
            raise RunEnded(None)
        if stage == run_info.STOPPED:
            # The learner closes its port soon.
            self._stop.wait(1.0)


def _close(session: tf.Session) -> None:
    try:
        session.close()
    except (tf.errors.OpError, RuntimeError):
        return

"""The threads of an actor process, for one run of the learner."""

import abc
import threading
from typing import Any, Callable, List, Optional, Sequence

from sc2impala.cluster.link import RunEnded, Stopped

_POLL_SECS = 0.1
_JOIN_SECS = 1.0


class Threads(abc.ABC):
    """A thread that follows the learner, and when that says so those that play."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._error: Optional[Exception] = None

    @abc.abstractmethod
    def _follow_learner(self, is_ready: threading.Event) -> None:
        """Runs until `_over` is set, and sets `is_ready` when games can be played."""

    @abc.abstractmethod
    def _players(self) -> Sequence[Callable[[], None]]:
        """What plays until `_over` is set, one for each thread."""

    @abc.abstractmethod
    def _interrupt(self) -> None:
        """Ends the calls of the learner that are under way."""

    @abc.abstractmethod
    def _settle(self) -> None:
        """Called when all threads have ended."""

    @abc.abstractmethod
    def _say_farewell(self) -> None:
        """Tells the learner that this process knows of its end, if it takes it soon."""

    @abc.abstractmethod
    def _say_goodbye(self) -> None:
        """Tells the learner that this process ends, if it takes it soon."""

    def play(self, stop: threading.Event) -> RunEnded:
        """Plays until the run has ended, and returns how.

        Args:
          stop: is set when this process is to end.

        Raises:
          Stopped: if this process is to end.
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
                # What waits for the learner fails.
                self._interrupt()
                thread.join(_JOIN_SECS)
        self._settle()
        if isinstance(self._error, RunEnded):
            if self._error.board is None:
                self._say_farewell()
            return self._error
        if self._error is not None:
            raise self._error
        self._say_goodbye()
        raise Stopped()

    def _thread(self, function: Callable[..., None], *arguments: Any) -> threading.Thread:
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

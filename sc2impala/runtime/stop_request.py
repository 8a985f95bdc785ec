"""Signals that request a stop: recorded by a handler, and detected inside of TensorFlow."""

import contextlib
import signal
import socket
import threading
from types import FrameType
from typing import Iterator, List, Optional

from sc2impala.errors import Interrupted
from sc2impala.runtime import console

_SIGNALS = ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK')
"""Windows has no SIGHUP; a population sends SIGBREAK there."""

_SIGHUP = getattr(signal, 'SIGHUP', None)

SIGNALS = frozenset(getattr(signal, name) for name in _SIGNALS if hasattr(signal, name))


def numbers() -> List[int]:
    """The signals that request a stop; empty outside of the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


def is_ignored_hangup(number: int) -> bool:
    """Returns True for SIGHUP under nohup."""
    return number == _SIGHUP and signal.getsignal(number) is signal.SIG_IGN


class StopRequest:
    """Set by the first signal; the second one has its usual effect.

    requested: True after a signal.
    number: number of the signal, None before.
    interrupts: True if the first signal raises `Interrupted` instead, in the main thread: while
        there is nothing to finish or save.
    """

    def __init__(self, interrupts: bool = False) -> None:
        self.requested = False
        self.number: Optional[int] = None
        self.interrupts = interrupts

    @contextlib.contextmanager
    def installed(self) -> Iterator['StopRequest']:
        """Handles the signals inside the block.

        SIGHUP stays ignored if it was, as under nohup. Outside of the main thread none is handled.
        """
        handled = [number for number in numbers() if not is_ignored_hangup(number)]
        before = {number: signal.getsignal(number) for number in handled}

        def on_signal(number: int, unused_frame: Optional[FrameType]) -> None:
            self.requested = True
            self.number = number
            signal.signal(number, before[number])
            if self.interrupts:
                raise Interrupted(number)
            console.write_from_signal_handler(
                b'\nstopping after this update; once more stops at once\n'
            )

        for number in handled:
            signal.signal(number, on_signal)
        try:
            yield self
        finally:
            for number in handled:
                signal.signal(number, before[number])


class SignalWatch:
    """Reports arrived signals to other threads before their handlers run.

    Create and close it in the same thread. Outside of the main thread, where Python cannot handle
    signals, it reports none.
    """

    def __init__(self) -> None:
        # Windows has no non-blocking pipes.
        self._read_end, self._write_end = socket.socketpair()
        for end in (self._read_end, self._write_end):
            end.setblocking(False)
        self._is_installed = threading.current_thread() is threading.main_thread()
        if self._is_installed:
            self._before = signal.set_wakeup_fd(self._write_end.fileno(), warn_on_full_buffer=False)

    def arrived(self) -> List[int]:
        """Numbers of handled signals that have arrived since the last call."""
        with contextlib.suppress(OSError):
            return list(self._read_end.recv(4096))
        return []

    def close(self) -> None:
        """Ends the watch."""
        if self._is_installed:
            signal.set_wakeup_fd(self._before)
        self._write_end.close()
        self._read_end.close()

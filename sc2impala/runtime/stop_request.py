"""The request to stop a training after the current update: Ctrl-C, SIGTERM, or a lost terminal."""

import contextlib
import signal
import threading
from typing import Any, Iterator, List, Optional

from sc2impala.errors import Interrupted
from sc2impala.runtime import console

_SIGNALS = ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK')
"""Windows has no SIGHUP. SIGBREAK, which only Windows has, is what a population sends there."""

_SIGHUP = getattr(signal, 'SIGHUP', None)

SIGNALS = frozenset(getattr(signal, name) for name in _SIGNALS if hasattr(signal, name))


def numbers() -> List[int]:
    """The signals that ask to stop; none outside of the main thread, where none can be handled."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


def is_ignored_hangup(number: int) -> bool:
    """Returns True for SIGHUP under nohup."""
    return number == _SIGHUP and signal.getsignal(number) is signal.SIG_IGN


class StopRequest:
    """Set by the first signal; the second one has its usual effect.

    requested: whether there was a signal.
    number: which one, None before.
    interrupts: whether the first signal raises `Interrupted` instead, in the main thread: where
        there is nothing to be finished or saved.
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

        def on_signal(number: int, unused_frame: Any) -> None:
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

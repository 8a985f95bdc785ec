"""The request to stop a training after the current update: Ctrl-C, SIGTERM, or a lost terminal."""

import contextlib
import signal
from typing import Any, Iterator, Optional

from sc2impala.errors import Interrupted
from sc2impala.runtime import console

_SIGNALS = ('SIGINT', 'SIGTERM', 'SIGHUP')
_SIGHUP = getattr(signal, 'SIGHUP', None)  # There is none on Windows.

SIGNALS = frozenset(getattr(signal, name) for name in _SIGNALS if hasattr(signal, name))


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

        SIGHUP stays ignored if it was, as under nohup.
        """
        numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in numbers}

        def on_signal(number: int, unused_frame: Any) -> None:
            self.requested = True
            self.number = number
            signal.signal(number, before[number])
            if self.interrupts:
                raise Interrupted(number)
            console.write_from_signal_handler(
                b'\nstopping after this update; once more stops at once\n'
            )

        for number in numbers:
            if number == _SIGHUP and before[number] is signal.SIG_IGN:
                continue  # nohup
            signal.signal(number, on_signal)
        try:
            yield self
        finally:
            for number in numbers:
                signal.signal(number, before[number])

"""The request to stop a training after the current update: Ctrl-C, SIGTERM, or a lost terminal."""

import contextlib
import signal
from typing import Any, Iterator

from sc2impala.runtime import console

_SIGNALS = ('SIGINT', 'SIGTERM', 'SIGHUP')
_SIGHUP = getattr(signal, 'SIGHUP', None)  # There is none on Windows.


class StopRequest:
    """Set by the first signal; the second one has its usual effect."""

    def __init__(self) -> None:
        self.requested = False

    @contextlib.contextmanager
    def installed(self) -> Iterator['StopRequest']:
        """Handles the signals inside the block.

        SIGHUP stays ignored if it was, as under nohup.
        """
        numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in numbers}

        def on_signal(number: int, unused_frame: Any) -> None:
            self.requested = True
            signal.signal(number, before[number])
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

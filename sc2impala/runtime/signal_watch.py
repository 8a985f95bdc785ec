"""Notices signals while the main thread is inside TensorFlow, where Python cannot handle them."""

import contextlib
import os
import signal
from typing import List


class SignalWatch:
    """Tells other threads which signals have arrived; their handlers run later.

    To be made and closed in the main thread.
    """

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        for end in (self._read_end, self._write_end):
            os.set_blocking(end, False)
        self._before = signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)

    def arrived(self) -> List[int]:
        """Numbers of the signals with a handler that have arrived since the last call."""
        with contextlib.suppress(OSError):
            return list(os.read(self._read_end, 4096))
        return []

    def close(self) -> None:
        """Ends the watch."""
        signal.set_wakeup_fd(self._before)
        os.close(self._write_end)
        os.close(self._read_end)

"""Notices signals while the main thread is inside TensorFlow, where Python cannot handle them."""

import contextlib
import signal
import socket
import threading
from typing import List


class SignalWatch:
    """Tells other threads which signals have arrived; their handlers run later.

    To be made and closed in the same thread. Outside of the main thread, where Python cannot handle
    signals, none arrives.
    """

    def __init__(self) -> None:
        # Pipes that do not block are not available on Windows.
        self._read_end, self._write_end = socket.socketpair()
        for end in (self._read_end, self._write_end):
            end.setblocking(False)
        self._is_installed = threading.current_thread() is threading.main_thread()
        if self._is_installed:
            self._before = signal.set_wakeup_fd(self._write_end.fileno(), warn_on_full_buffer=False)

    def arrived(self) -> List[int]:
        """Numbers of the signals with a handler that have arrived since the last call."""
        with contextlib.suppress(OSError):
            return list(self._read_end.recv(4096))
        return []

    def close(self) -> None:
        """Ends the watch."""
        if self._is_installed:
            signal.set_wakeup_fd(self._before)
        self._write_end.close()
        self._read_end.close()

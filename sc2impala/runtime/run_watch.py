"""Watches a run in another process: waits for it, and detects its end."""

import os
import time
from typing import Callable

from sc2impala.runtime import console, logdir, manifest

POLL_SECS = 1.0
REPORT_SECS = 30.0

GONE_SECS = 120.0
"""A run without a process for this long has ended; until then it may restart."""


class Wait:
    """Reports a wait at the start and then every 30 seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._since = clock()
        self._reported = -float('inf')

    def once_more(self, what: str) -> None:
        """Waits for one interval.

        Args:
          what: the awaited event.
        """
        now = self._clock()
        if now - self._reported >= REPORT_SECS:
            self._reported = now
            console.say(f'waiting for {what}, {now - self._since:.0f} s so far; Ctrl-C ends this')
        time.sleep(POLL_SECS)


def wait_for_run(folder: str) -> None:
    """Waits until a run has written its settings to a folder."""
    wait = Wait()
    while not os.path.exists(os.path.join(folder, manifest.MANIFEST)):
        wait.once_more(f'a run to start with --logdir={folder}')


class Presence:
    """Tells whether a run is active in a folder, or was until recently."""

    def __init__(self, folder: str, clock: Callable[[], float] = time.monotonic):
        self._folder = folder
        self._clock = clock
        self._last = clock()

    def absent_secs(self) -> float:
        """Returns the seconds without an active run; 0 while one is active."""
        if logdir.is_locked(self._folder):
            self._last = self._clock()
        return self._clock() - self._last

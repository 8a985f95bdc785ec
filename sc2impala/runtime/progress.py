"""The line that shows the progress of a run."""

import collections
import sys
import time
from typing import Any, Callable, Optional, TextIO

from sc2impala.runtime import console

Rates = collections.namedtuple('Rates', ['frames_per_second', 'agent_steps_per_second'])
"""Speed since the last line. An agent step lasts as many frames as its step multiplier."""


class Progress:
    """Prints frames, speed, returns and the time left, every N seconds.

    On a terminal the line is overwritten; in a file every line stays.
    """

    def __init__(
        self,
        phase: str,
        start_frames: int,
        total_frames: int,
        every_secs: float,
        stream: Optional[TextIO] = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._phase = phase
        self._total = total_frames
        self._every_secs = every_secs
        self._stream = stream or sys.stdout
        self._clock = clock
        self._first = self._last = (clock(), start_frames)
        self._steps = 0

    def update(self, frames: int, new_steps: int, episodes: Any) -> Optional[Rates]:
        """Prints if it is time to, and then returns the speed since the last line.

        Args:
          frames: environment frames so far, those of earlier starts included.
          new_steps: agent steps since the last call.
          episodes: `EpisodeLog`.
        """
        self._steps += new_steps
        now = self._clock()
        too_early = now - self._last[0] < self._every_secs
        if too_early or now == self._last[0] or frames == self._last[1]:
            return None
        seconds = now - self._last[0]
        rates = Rates((frames - self._last[1]) / seconds, self._steps / seconds)
        overall = (frames - self._first[1]) / (now - self._first[0])
        self._write(
            f'{self._phase}: {frames:,} of {self._total:,} frames | '
            f'{rates.frames_per_second:,.0f} frames/s, '
            f'{rates.agent_steps_per_second:,.0f} steps/s | '
            f'{_returns_text(episodes)} | {duration_text((self._total - frames) / overall)} left'
        )
        self._last = (now, frames)
        self._steps = 0
        return rates

    def finish(self, frames: int, episodes: Any) -> None:
        """Prints a last line."""
        seconds = self._clock() - self._first[0]
        self._write(
            f'{self._phase}: {frames:,} of {self._total:,} frames | {_returns_text(episodes)} | '
            f'{duration_text(seconds)} in this start'
        )
        if self._stream.isatty():
            console.write(self._stream, '\n')

    def _write(self, line: str) -> None:
        if self._stream.isatty():
            console.write(self._stream, '\r\x1b[K' + line)
        else:
            console.write(self._stream, line + '\n')


def duration_text(seconds: float) -> str:
    """8130 -> '2h 15m', 135 -> '2m 15s'."""
    seconds = max(0, int(round(seconds)))
    if seconds >= 86400:
        return f'{seconds // 86400}d {seconds % 86400 // 3600}h'
    if seconds >= 3600:
        return f'{seconds // 3600}h {seconds % 3600 // 60}m'
    if seconds >= 60:
        return f'{seconds // 60}m {seconds % 60}s'
    return f'{seconds}s'


def _returns_text(episodes: Any) -> str:
    aborted = f', {episodes.failed} aborted' if episodes.failed else ''
    if not episodes.last_count():
        return 'no episode finished yet' + aborted
    return f'mean return {episodes.last_mean():.2f} (last {episodes.last_count()}){aborted}'

"""The line that shows the progress of a run (`--progress_secs`)."""

import collections
import sys
import time
from typing import Callable, List, Optional, TextIO

import tensorflow.compat.v1 as tf

from sc2impala.learner.phases import Phase
from sc2impala.runtime import console
from sc2impala.runtime.console import duration_text
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.training.component import Component
from sc2impala.training.components.episodes import EpisodeLog
from sc2impala.training.run import Run

Rates = collections.namedtuple('Rates', ['frames_per_second', 'agent_steps_per_second'])
"""Speed since the last line. An agent step lasts as many frames as its step multiplier."""


def make(run: Run) -> List[Component]:
    """Returns the component."""
    return [ProgressHook(run.episodes, run.summaries, run.settings.output.progress_secs)]


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

    def update(self, frames: int, new_steps: int, episodes: EpisodeLog) -> Optional[Rates]:
        """Prints a line if one is due, and then returns the speed since the last line.

        Args:
          frames: environment frames so far, including earlier starts.
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

    def finish(self, frames: int, episodes: EpisodeLog) -> None:
        """Prints a last line."""
        seconds = self._clock() - self._first[0]
        self._write(
            f'{self._phase}: {frames:,} of {self._total:,} frames | {_returns_text(episodes)} | '
            f'{duration_text(seconds)} in this launch'
        )
        if self._stream.isatty():
            console.write(self._stream, '\n')

    def _write(self, line: str) -> None:
        if self._stream.isatty():
            console.write(self._stream, '\r\x1b[K' + line)
        else:
            console.write(self._stream, line + '\n')


def _returns_text(episodes: EpisodeLog) -> str:
    aborted = f', {episodes.failed} aborted' if episodes.failed else ''
    played = [t for t in range(len(episodes.map_names)) if episodes.last_count(t)]
    if not played:
        return 'no episode finished yet' + aborted
    if len(episodes.map_names) > 1:
        means = [f'{episodes.map_names[t]} {episodes.last_mean(t):.2f}' for t in played]
        return f'mean returns {", ".join(means)}{aborted}'
    return f'mean return {episodes.last_mean():.2f} (last {episodes.last_count()}){aborted}'


class ProgressHook(Component):
    """Prints a line of progress every few seconds, and writes the rates to TensorBoard."""

    def __init__(self, episodes: EpisodeLog, summaries: SummaryLog, every_secs: float):
        self._episodes = episodes
        self._summaries = summaries
        self._every_secs = every_secs
        self._progress: Optional[Progress] = None

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Starts the clock."""
        super().begin_phase(phase, frames)
        self._progress = Progress(phase.title, frames, phase.num_frames, self._every_secs)

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames and the agent steps of the update."""
        phase = self.phase
        return tf.train.SessionRunArgs(
            {'frames': phase.train, 'agent_steps': phase.agent_steps, 'step': phase.step}
        )

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Prints a line if one is due."""
        results = {name: int(value) for name, value in run_values.results.items()}
        assert self._progress is not None
        rates = self._progress.update(results['frames'], results['agent_steps'], self._episodes)
        if rates is not None:
            self._episodes.flush()
            self._summaries.add_scalars(rates._asdict(), results['step'])

    def end_phase(self, frames: int) -> None:
        """Prints a last line."""
        assert self._progress is not None
        self._progress.finish(frames, self._episodes)

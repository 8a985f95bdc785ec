"""Statistics of finished episodes, and the file that lists them."""

import collections
import csv
from typing import Any, Dict

import numpy as np

from sc2impala.runtime.errors import UserError

COLUMNS = ('start', 'global_step', 'episode_return', 'episode_frames', 'episode_steps')


class EpisodeLog:
    """Appends every finished episode to a CSV and remembers the last ones."""

    def __init__(self, path: str, start: int, window: int = 100):
        """Args:
        path: the file; it is continued if it is there.
        start: how often the run had been started before, kept with every episode.
        window: how many episodes the means are over.

        Raises:
          UserError: if the file cannot be written to.
        """
        try:
            _cut_unfinished_line(path)
            self._file = open(path, 'a', newline='')  # noqa: SIM115
        except OSError as error:
            raise UserError(
                f'{path} cannot be written to ({error.strerror}), expected a file that this user '
                'may change, or none.'
            ) from error
        self._writer = csv.writer(self._file)
        if not self._file.tell():
            self._writer.writerow(COLUMNS)
        self._start = start
        self._last = collections.deque(maxlen=window)
        self.aborted = 0

    def add(self, done: np.ndarray, infos: Any, global_step: int) -> Dict[str, float]:
        """Takes in one update's `done` and `infos` of [T, B].

        Returns:
          Mean 'episode_return' and 'episode_frames' of the episodes in it, if there is one; and
          'aborted_episodes', those of this start so far, if there is one more.
        """
        num_aborted = int(np.sum(infos.aborted))
        self.aborted += num_aborted
        rows = np.stack(
            [infos.episode_return[done], infos.episode_frames[done], infos.episode_steps[done]]
        ).T
        for episode_return, frames, steps in rows:
            self._writer.writerow(
                [self._start, global_step, float(episode_return), int(frames), int(steps)]
            )
            self._last.append(float(episode_return))
        values = {'aborted_episodes': float(self.aborted)} if num_aborted else {}
        if len(rows):
            means = rows.mean(axis=0)
            values.update(episode_return=float(means[0]), episode_frames=float(means[1]))
        return values

    def last_mean(self) -> float:
        """Mean return of the last episodes, NaN before the first one."""
        return float(np.mean(self._last)) if self._last else float('nan')

    def last_count(self) -> int:
        """Over how many episodes the mean is."""
        return len(self._last)

    def flush(self) -> None:
        """Lets others see what was written."""
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _cut_unfinished_line(path):
    """Cuts off what was being written when the run was killed; makes the file if there is none."""
    with open(path, 'ab+') as file:
        file.seek(0)
        file.truncate(file.read().rfind(b'\n') + 1)

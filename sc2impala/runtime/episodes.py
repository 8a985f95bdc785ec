"""Statistics of finished episodes, and the file that lists them."""

import collections
from typing import Any, Deque, Dict, List

import numpy as np

from sc2impala.errors import UserError
from sc2impala.runtime import console

COLUMNS = ('start', 'global_step', 'episode_return', 'episode_frames', 'episode_steps')


class EpisodeLog:
    """Appends every finished episode to a CSV and remembers the last ones.

    A disk that is full, or fails, does not end the training: rows that cannot be written are kept
    until there is room.
    """

    def __init__(self, path: str, start: int, window: int = 100):
        """Args:
        path: the file; it is continued if it exists.
        start: number of earlier starts of the run, written with every episode.
        window: number of episodes that the means are over.

        Raises:
          UserError: if the file cannot be written to.
        """
        self._path = path
        self._rows: List[str] = []
        self._failing = False
        self._start = start
        self._last: Deque[float] = collections.deque(maxlen=window)
        self.aborted = 0
        try:
            self._size = _cut_unfinished_line(path)
        except OSError as error:
            raise UserError(
                f'{path} cannot be written to ({error.strerror}), expected a file that this user '
                'may change, or none.'
            ) from error
        if not self._size:
            self._rows.append(','.join(COLUMNS))

    def add(self, done: np.ndarray, infos: Any, global_step: int) -> Dict[str, float]:
        """Adds the episodes that ended in one update.

        Args:
          done: bool [T, B], where an episode ended that counts.
          infos: `EpisodeInfo` of [T, B].
          global_step: environment frames after the update.

        Returns:
          Mean 'episode_return' and 'episode_frames' of these episodes, if there are any; and
          'aborted_episodes', the number of this start so far, if it has grown.
        """
        num_aborted = int(np.sum(infos.aborted))
        self.aborted += num_aborted
        rows = np.stack(
            [infos.episode_return[done], infos.episode_frames[done], infos.episode_steps[done]]
        ).T
        for episode_return, frames, steps in rows:
            row = (self._start, global_step, float(episode_return), int(frames), int(steps))
            self._rows.append(','.join(map(str, row)))
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
        """The number of episodes that the mean is over."""
        return len(self._last)

    def flush(self) -> None:
        """Writes the rows so far to the file; keeps them if that fails, and says so once."""
        if not self._rows:
            return
        content = ''.join(row + '\r\n' for row in self._rows).encode()
        try:
            with open(self._path, 'r+b' if self._size else 'wb') as file:
                # What an earlier attempt has written of these rows is overwritten.
                file.seek(self._size)
                file.truncate()
                file.write(content)
        except OSError as error:
            if not self._failing:
                console.say(
                    f'{self._path} cannot be written to ({error.strerror}): training goes on, and '
                    'its rows are kept until they can be written'
                )
            self._failing = True
            return
        self._size += len(content)
        self._rows.clear()
        self._failing = False

    def close(self) -> None:
        """Writes what is left."""
        self.flush()


def _cut_unfinished_line(path: str) -> int:
    """Removes a line that a kill has cut off; makes the file if there is none.

    Returns:
      The size of the file in bytes.
    """
    with open(path, 'ab+') as file:
        file.seek(0)
        size = file.read().rfind(b'\n') + 1
        file.truncate(size)
    return size

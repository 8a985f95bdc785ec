"""The finished episodes of a run, read from its `episodes.csv`."""

import csv
from typing import Tuple

import numpy as np

WINDOW = 100
"""Number of episodes in the running mean of a learning curve."""

COLUMNS = ('start', 'global_step', 'episode_return')
"""The columns that are read, among others."""


class NoEpisode(ValueError):
    """No episode has finished yet."""


MAP_COLUMN = 'map_name'
"""The last column in runs on several maps."""


def read_episodes(episodes_csv: str, map_name: str = '') -> Tuple[np.ndarray, np.ndarray]:
    """Reads the finished episodes of a run, without those that a later start replaced.

    A run that is killed resumes from its last checkpoint, at an earlier step than it had reached.
    The episodes after the checkpoint are in the file, but the training on them was lost: episodes
    of a start at or after the first step of a later start are skipped. Lines with too few or too
    many values are also skipped; they occur if the run is killed while it writes a line.

    Args:
      episodes_csv: file with the columns start, global_step and episode_return, among others.
      map_name: the map of the episodes, in a run on several maps; empty for all episodes.

    Returns:
      int64 [n] environment frames at the end of each episode, and float64 [n] returns; n > 0.

    Raises:
      ValueError: if the file cannot be read, if it lacks a column or a finished episode, or if a
        value in these columns is not a number.
    """
    try:
        with open(episodes_csv, newline='', encoding='utf-8', errors='replace') as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except (OSError, csv.Error) as error:
        raise ValueError(
            f'{episodes_csv} cannot be read ({error}), expected the list of episodes of a run.'
        ) from error
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise ValueError(
            '{} has no column {}, expected the list of episodes of a run.'.format(
                episodes_csv, ', '.join(missing)
            )
        )
    rows = [row for row in rows if len(row) == len(header)]
    if map_name and MAP_COLUMN in header:
        rows = [row for row in rows if row[header.index(MAP_COLUMN)] == map_name]
    if not rows:
        raise NoEpisode(f'{episodes_csv} has no finished episode, expected at least one.')
    try:
        starts, steps, returns = (
            np.array([row[header.index(name)] for row in rows]).astype(np.float64)
            for name in COLUMNS
        )
    except ValueError as error:
        raise ValueError(f'{episodes_csv} has a line without numbers: {error}.') from error
    mask = kept(starts, steps)
    return steps[mask].astype(np.int64), returns[mask]


def running_mean_and_std(values: np.ndarray, window: int) -> Tuple[np.ndarray, np.ndarray]:
    """Computes mean and standard deviation over a sliding window that ends at each value.

    Args:
      values: float64 [n].
      window: number of values, including the current one; at the beginning there are fewer.

    Returns:
      Mean and standard deviation, float64 [n] each.
    """
    counts = np.minimum(np.arange(len(values)) + 1, window)
    # Centred, since the difference of large sums is too inexact for a small variance.
    centered = values - values.mean()
    means, squares = (_window_sums(x, window) / counts for x in (centered, centered**2))
    return means + values.mean(), np.sqrt(np.maximum(squares - means**2, 0))


def _window_sums(values: np.ndarray, window: int) -> np.ndarray:
    """Returns the sums of the last `window` values, float64 [n]."""
    sums = np.cumsum(values)
    sums[window:] -= sums[:-window].copy()
    return sums


def kept(starts: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Returns the episodes that no later start replaced.

    Args:
      starts: [n], number of earlier starts of the run at each episode.
      steps: [n], environment frames at the end of each episode.

    Returns:
      A mask, bool [n].
    """
    result = np.ones([len(starts)], np.bool_)
    first_later_step = np.inf
    for start in sorted(set(starts), reverse=True):
        of_start = starts == start
        result[of_start] = steps[of_start] < first_later_step
        first_later_step = min(first_later_step, steps[of_start][0])
    return result

"""The learning curve of one or several runs: episode returns over environment frames."""

import csv
from typing import Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

WINDOW = 100
"""Number of episodes in the running mean."""

_LABELS = ('episode', f'mean of the last {WINDOW} episodes', 'one standard deviation')
_LINE_STYLES = ('--', ':', '-.', (0, (8, 2)))
_COLUMNS = ('start', 'global_step', 'episode_return')


class NoEpisode(ValueError):
    """No episode has finished yet."""


def save_learning_curve(
    episodes_csv: Union[str, Mapping[str, str]],
    path: str,
    map_name: str = '',
    levels: Optional[Mapping[str, float]] = None,
) -> None:
    """Draws the return of every finished episode, their running mean and standard deviation.

    Each dot is an episode. The line is the mean of the last WINDOW episodes, or of all if there are
    fewer; the band is one standard deviation of the same episodes.

    Args:
      episodes_csv: the `episodes.csv` of a run; or {label: file} to compare several runs.
      path: the PNG file to write, 900 x 500 pixels; an existing file is replaced.
      map_name: the title.
      levels: {label: return} to draw as horizontal lines, such as published scores.

    Raises:
      ValueError: as in `read_episodes`, or if `episodes_csv` is empty.
    """
    compared = isinstance(episodes_csv, Mapping)
    runs = episodes_csv if isinstance(episodes_csv, Mapping) else {'': episodes_csv}
    if not runs:
        raise ValueError(f'episodes_csv is {runs}, expected at least one file.')
    figure = Figure(figsize=(9, 5), dpi=100, layout='constrained')
    axes = figure.subplots()
    for i, (label, file) in enumerate(runs.items()):
        labels = (None, label, None) if compared else _LABELS
        frames, returns = read_episodes(file)
        _draw_run(axes, frames, returns, color=f'C{i}', labels=labels)
    for i, (label, level) in enumerate((levels or {}).items()):
        style = _LINE_STYLES[i % len(_LINE_STYLES)]
        axes.axhline(level, color='0.3', linestyle=style, linewidth=1, label=f'{label}: {level:g}')
    axes.set_xlabel('environment frames (game loops)')
    axes.set_ylabel('episode return')
    axes.set_title(map_name)
    axes.xaxis.set_major_formatter(ticker.EngFormatter(sep=''))
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    axes.spines['top'].set_visible(False)
    axes.spines['right'].set_visible(False)
    title = _LABELS[1] if compared else None
    axes.legend(loc='lower right', title=title, framealpha=0.7, edgecolor='none')
    FigureCanvasAgg(figure).print_png(path)


def read_episodes(episodes_csv: str) -> Tuple[np.ndarray, np.ndarray]:
    """Reads the finished episodes of a run, without those that a later start replaced.

    A run that is killed resumes from its last checkpoint, at an earlier step than it had reached.
    The episodes after the checkpoint are in the file, but the training on them was lost: episodes
    of a start at or after the first step of a later start are skipped. Lines with too few or too
    many values are also skipped; they occur if the run is killed while it writes a line.

    Args:
      episodes_csv: file with the columns start, global_step and episode_return, among others.

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
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise ValueError(
            '{} has no column {}, expected the list of episodes of a run.'.format(
                episodes_csv, ', '.join(missing)
            )
        )
    rows = [row for row in rows if len(row) == len(header)]
    if not rows:
        raise NoEpisode(f'{episodes_csv} has no finished episode, expected at least one.')
    try:
        starts, steps, returns = (
            np.array([row[header.index(name)] for row in rows]).astype(np.float64)
            for name in _COLUMNS
        )
    except ValueError as error:
        raise ValueError(f'{episodes_csv} has a line without numbers: {error}.') from error
    kept = _kept(starts, steps)
    return steps[kept].astype(np.int64), returns[kept]


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


def _kept(starts: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Returns for each episode whether no later start replaced it, bool [n]."""
    kept = np.ones([len(starts)], np.bool_)
    first_later_step = np.inf
    for start in sorted(set(starts), reverse=True):
        of_start = starts == start
        kept[of_start] = steps[of_start] < first_later_step
        first_later_step = min(first_later_step, steps[of_start][0])
    return kept


def _draw_run(
    axes: Axes,
    frames: np.ndarray,
    returns: np.ndarray,
    color: str,
    labels: Sequence[Optional[str]],
) -> None:
    axes.plot(frames, returns, '.', color=color, alpha=0.25, ms=4, mew=0, label=labels[0])
    # Several environments may end an episode at the same frame: only the last mean is drawn.
    last = np.append(np.diff(frames) > 0, True)
    mean, std = (values[last] for values in running_mean_and_std(returns, WINDOW))
    band = (frames[last], mean - std, mean + std)
    axes.plot(frames[last], mean, color=color, label=labels[1])
    axes.fill_between(*band, color=color, alpha=0.2, linewidth=0, label=labels[2])

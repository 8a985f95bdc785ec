"""The learning curve of one or several runs: episode returns over environment frames."""

from typing import Mapping, Optional, Sequence, Union

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sc2impala.evaluation.episode_table import WINDOW, read_episodes, running_mean_and_std

_LABELS = ('episode', f'mean of the last {WINDOW} episodes', 'one standard deviation')
_LINE_STYLES = ('--', ':', '-.', (0, (8, 2)))


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
        frames, returns = read_episodes(file, map_name)
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

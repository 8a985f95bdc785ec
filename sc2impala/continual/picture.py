"""Pictures of continual learning: matrices with numbers, and curves of all maps."""

import re
from typing import Mapping, Sequence, Tuple

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sc2impala.continual.runs import Run
from sc2impala.runtime import figures

COLORS = (
    '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000', '#999999',
    '#7f3b08', '#542788', '#8dd3c7', '#b3de69',
)  # fmt: skip
"""Of the arms; the first seven are those of Okabe and Ito, for colour-blind readers."""

_SHADE = '0.88'
_MAX_CHARACTERS = 14


def save_matrices(
    path: str, maps: Sequence[str], forgetting: np.ndarray, transfer: np.ndarray, title: str = ''
) -> None:
    """Draws isolated forgetting and transfer as heat maps with numbers.

    Args:
      path: the PNG file.
      maps: names of the M maps.
      forgetting: float64 [C, M, M], mean over runs; NaN where it is not defined.
      transfer: float64 [M, M], likewise.
      title: of the picture.

    Raises:
      UserError: if the picture cannot be written.
    """
    cycles, count = len(forgetting), len(maps)
    names = [_in_lines(name) for name in maps]
    labels = [f'{n} ({c + 1})' if cycles > 1 else n for c in range(cycles) for n in names]
    # [C, M, M] -> [M, C * M]
    wide = forgetting.transpose(1, 0, 2).reshape(count, -1)
    ratios = (cycles * count, count)
    size = (2.6 + 0.8 * sum(ratios), 2.3 + 0.6 * count)
    figure = Figure(figsize=size, dpi=100, layout='constrained')
    left, right = figure.subplots(1, 2, gridspec_kw={'width_ratios': ratios})
    defined = ~np.isnan(np.concatenate([wide, transfer], axis=1))
    # Red is worse in both: forgetting is bad, transfer is good. Arms have the same colors.
    limit = max([1.0, *np.abs(np.concatenate([wide, transfer], axis=1)[defined])])
    _draw_matrix(left, wide, names, labels, 'RdBu_r', limit)
    _draw_matrix(right, transfer, names, names, 'RdBu', limit)
    left.set_title('isolated\nforgetting', fontsize='medium')
    left.set_ylabel('forgotten map')
    left.set_xlabel('learned map (cycle)' if cycles > 1 else 'learned map')
    right.set_title('isolated\nzero-shot transfer', fontsize='medium')
    right.set_ylabel('map not yet learned')
    right.set_xlabel('learned map')
    if title:
        figure.suptitle(title, fontsize='medium')
    figures.save(figure, path, 'a folder')


def save_curves(path: str, arms: Mapping[str, Sequence[Run]]) -> None:
    """Draws the returns of each map over the frames of the runs, a panel per map.

    Blocks in which the map is learned are shaded, if an arm has blocks. Thin lines are runs, thick
    ones their mean.

    Args:
      path: the PNG file.
      arms: the runs of each arm, on the same maps.

    Raises:
      UserError: if the picture cannot be written.
    """
    everything = [run for runs in arms.values() for run in runs]
    maps = everything[0].maps
    height = max(0.6 + 1.7 * len(maps), 0.6 + 0.24 * len(arms))
    figure = Figure(figsize=(9, round(height, 1)), dpi=100, layout='constrained')
    # Names of several arms have a column of their own: next to a panel they would shrink it.
    ratios = (4, 1) if len(arms) > 1 else (1,)
    grid = figure.add_gridspec(len(maps), len(ratios), width_ratios=ratios)
    panels = [figure.add_subplot(grid[0, 0])]
    panels += [figure.add_subplot(grid[i, 0], sharex=panels[0]) for i in range(1, len(maps))]
    with_blocks = next((run for run in everything if len(run.blocks)), None)
    for i, axes in enumerate(panels):
        if with_blocks is not None:
            _shade(axes, with_blocks, i)
        for number, (name, runs) in enumerate(arms.items()):
            color = COLORS[number % len(COLORS)]
            if len(runs) > 1:
                for run in runs:
                    axes.plot(run.steps, run.returns[:, i], color=color, linewidth=0.6, alpha=0.5)
            steps, mean = _mean_curve(runs, i)
            axes.plot(steps, mean, color=color, label=name, marker='o', markersize=2.5)
        axes.set_title(maps[i], fontsize='medium', loc='left')
        axes.set_ylabel('mean return')
        axes.grid(alpha=0.3)
        axes.spines['top'].set_visible(False)
        axes.spines['right'].set_visible(False)
        axes.label_outer()
    panels[-1].set_xlabel('environment frames (game loops)')
    panels[-1].xaxis.set_major_formatter(ticker.EngFormatter(sep=''))
    panels[-1].set_xlim(0, max(run.frames for run in everything) or None)
    if len(arms) > 1:
        right = figure.add_subplot(grid[:, 1])
        right.axis('off')
        right.legend(*panels[0].get_legend_handles_labels(), loc='upper left', frameon=False)
    figures.save(figure, path, 'a folder')


def _mean_curve(runs: Sequence[Run], index: int) -> Tuple[np.ndarray, np.ndarray]:
    """Mean over runs, at the evaluations of the shortest one."""
    shortest = min(runs, key=lambda run: run.frames)
    steps = shortest.steps
    curves = [np.interp(steps, run.steps, run.returns[:, index]) for run in runs]
    return steps, np.mean(curves, axis=0)


def _shade(axes: Axes, run: Run, index: int) -> None:
    for block in np.flatnonzero(run.blocks == index):
        axes.axvspan(run.starts[block], run.block_ends[block], color=_SHADE, linewidth=0, zorder=0)


def _draw_matrix(
    axes: Axes,
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    colors: str,
    limit: float,
) -> None:
    axes.imshow(values, cmap=colors, vmin=-limit, vmax=limit, aspect='auto')
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        color = 'white' if abs(value) > 0.55 * limit else 'black'
        text = f'{value + 0.0:.2f}'.replace('-0.00', '0.00')
        axes.text(column, row, text, ha='center', va='center', color=color, fontsize='small')
    axes.set_xticks(range(len(columns)))
    axes.set_xticklabels(columns, rotation=40, ha='right', fontsize='small')
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels(rows, fontsize='small')
    for side in axes.spines.values():
        side.set_visible(False)


def _in_lines(name: str) -> str:
    """Breaks a long name before the capital letter that is nearest to its middle."""
    breaks = [match.start() for match in re.finditer('(?<=[a-z])[A-Z]', name)]
    if len(name) <= _MAX_CHARACTERS or not breaks:
        return name
    middle = min(breaks, key=lambda position: abs(position - len(name) / 2))
    return f'{name[:middle]}\n{name[middle:]}'

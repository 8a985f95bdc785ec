"""The picture of a comparison: intervals, performance profiles and sample efficiency."""

import os
from typing import Callable, List, Optional, Tuple

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sc2impala.compare import statistics
from sc2impala.compare.comparison import Comparison, Estimate
from sc2impala.compare.curves import Curve
from sc2impala.runtime import figures

NAME = 'comparison.png'

COLORS = ('#0072b2', '#d55e00')
"""Of A and B; they differ in lightness and for colour-blind readers."""

_NUM_THRESHOLDS = 101


def save(folder: str, found: Comparison, curves: Optional[Tuple[Curve, Curve]]) -> None:
    """Draws a panel for each part that there are data for.

    Args:
      folder: where to write.
      found: the comparison.
      curves: sample efficiency of A and B, or None.

    Raises:
      UserError: if the picture cannot be written.
    """
    draw: List[Callable[[Axes], None]] = [lambda axes: _draw_intervals(axes, found)]
    if not found.is_of_single_runs:
        draw.append(lambda axes: _draw_profiles(axes, found))
    if curves is not None:
        draw.append(lambda axes: _draw_curves(axes, found, curves))
    figure = Figure(figsize=(4.5 * len(draw), 3.8), dpi=100, layout='constrained')
    panels = figure.subplots(1, len(draw), squeeze=False)[0]
    for axes, panel in zip(panels, draw):
        panel(axes)
        axes.grid(alpha=0.3)
        axes.spines['top'].set_visible(False)
        axes.spines['right'].set_visible(False)
    panels[0].legend(
        [Line2D([], [], color=color, linewidth=3) for color in COLORS],
        found.settings.names,
        loc='lower left',
        bbox_to_anchor=(0, 1.08),
        ncol=2,
        frameon=False,
    )
    path = os.path.join(folder, NAME)
    figures.save(figure, path, 'an --output')


def _draw_intervals(axes: Axes, found: Comparison) -> None:
    """The aggregate at the top; below it the mean of each map in the same unit, if several."""
    rows = [('all maps' if len(found.of_maps) > 1 else next(iter(found.of_maps)), found.means)]
    if len(found.of_maps) > 1:
        for i, name in enumerate(found.of_maps):
            means = [Estimate(*[float(side[i].mean())] * 3) for side in found.scores]
            rows.append((name, (means[0], means[1])))
    for row, (_, estimates) in enumerate(rows):
        for side, estimate in enumerate(estimates):
            height = row + 0.18 * (2 * side - 1)
            if row == 0:
                width = (estimate.low, estimate.high)
                axes.plot(width, (height, height), color=COLORS[side], linewidth=7, alpha=0.35)
                axes.plot([estimate.value], [height], '|', color=COLORS[side], ms=14, mew=2.5)
            values = _points(found, side, row)
            axes.plot(values, [height] * len(values), 'o', color=COLORS[side], ms=4, alpha=0.8)
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(found.unit)
    level = f'{found.settings.confidence:.0%}'
    if found.is_of_single_runs:
        axes.set_title(f'runs; {level} intervals over episodes', fontsize='medium')
    else:
        axes.set_title(f'interquartile mean, {level} interval; runs', fontsize='medium')


def _points(found: Comparison, side: int, row: int) -> np.ndarray:
    """Scores of the runs of a row; with several maps the aggregate has none."""
    scores = found.scores[side]
    if len(scores) == 1:
        return scores[0]
    return scores[row - 1] if row else np.zeros([0])


def _draw_profiles(axes: Axes, found: Comparison) -> None:
    everything = np.concatenate([each for side in found.scores for each in side])
    margin = 0.05 * (everything.max() - everything.min()) or 1.0
    limits = (everything.min() - margin, everything.max() + margin)
    thresholds = np.linspace(limits[0], limits[1], _NUM_THRESHOLDS)
    rng = np.random.default_rng(found.settings.seed)
    for scores, color in zip(found.scores, COLORS):
        samples = statistics.performance_profile(
            statistics.resample(scores, found.settings.repetitions, rng), thresholds
        )
        low, high = statistics.interval(samples, found.settings.confidence)
        axes.fill_between(thresholds, low, high, color=color, alpha=0.15, linewidth=0, step='mid')
        profile = statistics.performance_profile(scores, thresholds)
        axes.step(thresholds, profile, color=color, where='mid')
    axes.set_xlim(limits[0], limits[1])
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(found.unit)
    axes.set_ylabel('fraction of runs with a higher score')
    axes.set_title('performance profile', fontsize='medium')


def _draw_curves(axes: Axes, found: Comparison, curves: Tuple[Curve, Curve]) -> None:
    for curve, color in zip(curves, COLORS):
        axes.plot(curve.x, curve.mean, color=color)
        if curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=color, alpha=0.15, linewidth=0)
    axes.set_ylabel(found.unit)
    axes.set_title('sample efficiency, episodes of the training', fontsize='medium')
    if len(found.of_maps) == 1:
        axes.set_xlabel('environment frames (game loops)')
        axes.xaxis.set_major_formatter(ticker.EngFormatter(sep=''))
    else:
        axes.set_xlabel('share of the frames of the shortest run per map')
        axes.xaxis.set_major_formatter(ticker.PercentFormatter(1))

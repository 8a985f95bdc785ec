"""The training curve: returns of the finished episodes, with the scores of others."""

from typing import List, Optional, Sequence

import numpy as np

from sc2impala.envs import scores
from sc2impala.evaluation.episode_table import WINDOW, running_mean_and_std
from sc2impala.report import chart, text
from sc2impala.report.chart import Dots, Level, Line, Mark
from sc2impala.report.run import Run


def section(runs: Sequence[Run]) -> str:
    """Returns the chart of all runs, by frames and by time."""
    present = [(i, run) for i, run in enumerate(runs) if len(run.episodes.returns)]
    alone = len(runs) == 1
    parts = [
        text.missing(run.episodes.fault if alone else f'{run.label}: {run.episodes.fault}')
        for run in runs
        if run.episodes.fault
    ]
    if not present:
        return ''.join(parts)
    by_frames = _chart([_line(i, run, run.episodes.steps) for i, run in present], runs)
    by_frames = by_frames._replace(marks=marks(runs[0]) if alone else ())
    if alone:
        episodes = runs[0].episodes
        by_frames = by_frames._replace(dots=[Dots(episodes.steps, episodes.returns)])
    variants = [('by frames', by_frames)]
    timed = [(i, run, clock(run, run.episodes.steps)) for i, run in present]
    known = [(i, run, seconds) for i, run, seconds in timed if seconds is not None]
    if known:
        by_time = _chart([_line(*each) for each in known], runs)._replace(
            unit=chart.SECONDS, end=max(run.events.duration for run in runs)
        )
        if alone:
            by_time = by_time._replace(dots=[Dots(known[0][2], runs[0].episodes.returns)])
        variants.append(('by time', by_time))
    if _is_flat(by_frames):
        variants.append(('close-up', by_frames._replace(levels=())))
    return text.variants([(name, chart.to_html(each)) for name, each in variants]) + ''.join(parts)


def levels(runs: Sequence[Run]) -> List[Level]:
    """Returns the scores of others on the map of all runs; empty if it has none, or they differ."""
    names = {run.map_name for run in runs if run.map_name}
    if len(names) != 1 or not names <= set(scores.SCORES):
        return []
    (name,) = names
    published, script = scores.SCORES[name], scores.SCRIPTS[name]
    return [
        Level(f'script {script.name}', script.mean),
        Level('FullyConv LSTM', published.fully_conv_lstm),
        Level('relational agent', published.relational),
        Level('human', published.human),
    ]


def levels_note(runs: Sequence[Run]) -> str:
    """Returns a sentence about the levels; empty without any."""
    if not levels(runs):
        return ''
    return (
        'Dashed: the best script of the map, on the simulator; the agents of SC2LE and of '
        'Zambaldi et al. and a grandmaster, on StarCraft II. All but the human act every 8 frames.'
    )


def marks(run: Run) -> List[Mark]:
    """Returns the ends of the phases and the resumes of a run."""
    found, end = [], 0
    for phase, following in zip(run.phases, run.phases[1:]):
        end += phase.num_frames
        found.append(Mark(f'{phase.title} ends, {following.title} begins', end))
    last = run.frames or 0
    found += [Mark('resumed', step) for _, step in run.events.starts if step]
    return [mark for mark in found if mark.x <= last]


def clock(run: Run, steps: np.ndarray) -> Optional[np.ndarray]:
    """Returns the seconds of training at some frames; None if they are unknown.

    Args:
      run: the run.
      steps: int64 [n], environment frames, in order.
    """
    known = [series for series in run.events.series.values() if len(series.steps) > 1]
    if not known:
        return None
    steps_of_all = np.concatenate([series.steps for series in known])
    clock_of_all = np.concatenate([series.clock for series in known])
    x, first = np.unique(steps_of_all, return_index=True)
    return np.interp(steps, x, np.maximum.accumulate(clock_of_all[first]))


def _is_flat(drawn: chart.Chart) -> bool:
    """Returns whether the levels leave less than half of a chart's height to its lines."""
    top = max(float(np.max(line.high)) for line in drawn.lines)
    bottom = min(0.0, *(float(np.min(line.low)) for line in drawn.lines))
    highest = max([level.value for level in drawn.levels], default=top)
    return highest - bottom > 2 * (top - bottom)


def _chart(lines: Sequence[Line], runs: Sequence[Run]) -> chart.Chart:
    what = f'Mean return of the last {WINDOW} episodes'
    dots = 'dots are episodes, ' if len(runs) == 1 else ''
    note = f'{what}; {dots}the band is one standard deviation. {levels_note(runs)}'
    return chart.Chart(
        'Return of training episodes',
        lines,
        levels=levels(runs),
        note=note,
        end=max(run.frames or 0 for run in runs),
        has_legend=len(runs) > 1,
    )


def _line(index: int, run: Run, x: np.ndarray) -> Line:
    # Several environments may end an episode at the same frame: only the last mean is drawn.
    last = np.append(np.diff(run.episodes.steps) > 0, True)
    mean, std = running_mean_and_std(run.episodes.returns, WINDOW)
    return Line(
        run.label,
        np.asarray(x, np.float64)[last],
        mean[last],
        index,
        (mean - std)[last],
        (mean + std)[last],
    )

"""Charts of the learner: policy, value, losses, schedules, and the phases before the main one."""

import fnmatch
from typing import List, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.report import chart, text
from sc2impala.report.chart import Line
from sc2impala.report.run import Run
from sc2impala.report.sections import returns


class Panel(NamedTuple):
    """A chart of summaries.

    title: above the chart.
    tags: patterns of the tags, one line each; a chart for each tag if `apart`.
    note: how to read it.
    band: tags of the lowest and the highest value, around the first line; or empty.
    is_log: whether the vertical axis is logarithmic.
    limits: bounds of the vertical axis.
    apart: whether every tag has its own chart.
    """

    title: str
    tags: Sequence[str]
    note: str = ''
    band: Tuple[str, ...] = ()
    is_log: bool = False
    limits: Tuple[float, float] = (-np.inf, np.inf)
    apart: bool = False


PANELS = {
    'Policy': (
        Panel('Entropy by head', ['entropy/*'], 'In nats; 0 is a deterministic choice.'),
        Panel(
            'Policy lag',
            ['policy_lag/updates'],
            'Age of the acting weights in updates; the band is from youngest to oldest.',
            band=('policy_lag/updates_min', 'policy_lag/updates_max'),
        ),
        Panel(
            'KL to the behaviour policy',
            ['kl/behaviour'],
            'Change of the policy since it acted.',
            is_log=True,
        ),
        Panel(
            'Largest importance weight',
            ['rho/max'],
            'pi / mu before clipping; 1 without a change of the policy.',
            is_log=True,
        ),
        Panel('Clipped steps', ['appo/clipped'], 'Share of steps without policy gradient.'),
    ),
    'Value': (
        Panel(
            'Explained variance',
            ['baseline/explained_variance', 'q/explained_variance'],
            '1 for a perfect baseline, 0 for a constant; below -1 it is drawn at -1.',
            limits=(-1.0, 1.0),
        ),
        Panel(
            'Baseline',
            ['baseline/mean'],
            'Mean; the band is from the lowest to the highest.',
            band=('baseline/min', 'baseline/max'),
        ),
        Panel('TD error', ['td_error/mean']),
    ),
    'Losses': (
        Panel('', ['loss/*'], apart=True),
        Panel('Gradient norm', ['grad_norm'], 'Before clipping.', is_log=True),
    ),
    'Schedules': (Panel('', ['learning_rate', 'entropy_cost', 'teacher_cost'], apart=True),),
    'Phases before the training': (
        Panel('Loss of cloning', ['cloning/loss']),
        Panel(
            'Agreement with the demonstrator',
            ['cloning/agreement'],
            'Share of labels that are the most probable choice of every head.',
        ),
        Panel('Evaluations of cloning', ['cloning/evaluation_return', 'cloning/best_return']),
        Panel('Baseline loss of critic pre-training', ['critic_pretrain/baseline_loss']),
    ),
}
"""Charts by the title of their group; charts without data are left out."""


def section(run: Run) -> str:
    """Returns the charts of one run."""
    parts = []
    for title, panels in PANELS.items():
        charts = ''.join(chart.to_html(each) for panel in panels for each in _charts(run, panel))
        if charts:
            parts.append(f'<h4>{title}</h4><div class="charts">{charts}</div>')
    if not parts:
        parts.append(text.missing('There are no summaries of the learner.'))
    return ''.join(parts) + text.missing(run.events.fault)


def _charts(run: Run, panel: Panel) -> List[chart.Chart]:
    """Returns the charts of a panel that have data."""
    series = run.events.series
    tags = [tag for pattern in panel.tags for tag in sorted(fnmatch.filter(series, pattern))]
    tags = [tag for tag in tags if np.isfinite(series[tag].values).any()]
    groups = [[tag] for tag in tags] if panel.apart else [tags] if tags else []
    return [_chart(run, panel, group) for group in groups]


def _chart(run: Run, panel: Panel, tags: Sequence[str]) -> chart.Chart:
    lines = []
    for i, tag in enumerate(tags):
        found = run.events.series[tag]
        label = tag.split('/', 1)[-1].replace('_', ' ')
        lines.append(Line(label, found.steps.astype(np.float64), found.values, i))
    bands = [run.events.series.get(tag) for tag in panel.band]
    if bands and all(each is not None and len(each.steps) == len(lines[0].x) for each in bands):
        low, high = (each.values for each in bands if each is not None)
        lines[0] = lines[0]._replace(low=low, high=high)
    title = panel.title or lines[0].label.capitalize()
    return chart.Chart(
        title,
        lines,
        marks=returns.marks(run),
        tag=tags[0] if len(tags) == 1 else panel.tags[0],
        note=panel.note,
        is_log=panel.is_log,
        limits=panel.limits,
        end=run.frames or 0,
        is_small=True,
    )

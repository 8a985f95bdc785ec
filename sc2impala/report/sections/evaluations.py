"""The evaluations of runs, with 95 % intervals."""

from typing import Dict, List, Sequence, Tuple

import numpy as np

from sc2impala.report import chart, tables, text
from sc2impala.report.chart import Line
from sc2impala.report.run import Run
from sc2impala.report.sections import overview, returns

_MAX_ROWS = 100


def curves(runs: Sequence[Run]) -> str:
    """Returns a chart of the evaluations of all runs; empty if none has two or more."""
    lines = [line for i, run in enumerate(runs) for line in _lines(i, run, len(runs) == 1)]
    if not any(len(line.x) > 1 for line in lines):
        return ''
    note = (
        'Mean return of whole episodes on games that occur in no training, with 95 % intervals '
        'of the mean.'
    )
    return chart.to_html(
        chart.Chart(
            'Return of evaluations',
            lines,
            levels=returns.levels(runs),
            note=note,
            end=max(run.frames or 0 for run in runs),
            has_legend=len(runs) > 1,
        )
    )


def section(run: Run) -> str:
    """Returns the table of the evaluations of a run."""
    found = run.evaluations.single + run.evaluations.rows[::-1]
    if not found:
        return text.missing(run.evaluations.fault)
    rows = [
        [
            text.count(each.frames),
            text.escaped(overview.mean_text(each)),
            text.escaped(tables.normalised_text(run.map_name, each.mean)) or text.UNKNOWN,
            text.value(each.std),
            f'{text.value(each.low)} to {text.value(each.high)}',
            text.count(each.num_episodes),
            text.escaped(each.policy),
            text.escaped(each.source),
        ]
        for each in found[:_MAX_ROWS]
    ]
    columns = ['frames', 'mean return', 'of human', 'deviation', 'range', 'episodes']
    columns += ['policy', 'file']
    more = len(found) - len(rows)
    rest = f'{more:,} earlier evaluations are in {tables.EVALUATIONS_CSV}.' if more else ''
    content = text.table(columns, rows, num_text=0, num_numbers=6)
    if len(rows) > 8:
        content = f'<details><summary>{len(rows)} evaluations</summary>{content}</details>'
    return content + text.paragraph(rest) + text.missing(run.evaluations.fault)


def _lines(index: int, run: Run, alone: bool) -> List[Line]:
    """Returns a line for each evaluated policy of a run."""
    groups: Dict[str, Dict[int, tables.Evaluation]] = {}
    for each in run.evaluations.rows:
        groups.setdefault(each.policy, {})[each.frames or 0] = each
    lines = []
    for number, (policy, by_frames) in enumerate(groups.items()):
        x, mean, margin = _columns(by_frames)
        label = policy if alone else run.label + (f', {policy}' if len(groups) > 1 else '')
        color = number if alone else index
        lines.append(Line(label, x, mean, color, mean - margin, mean + margin, is_bars=True))
    return lines


def _columns(by_frames: Dict[int, tables.Evaluation]) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns frames, means and margins in the order of the frames."""
    rows = [(frames, each.mean, each.margin) for frames, each in sorted(by_frames.items())]
    x, mean, margin = np.array(rows, np.float64).T
    return x, mean, margin

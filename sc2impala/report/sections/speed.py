"""The speed of runs over time, and what blocked the training."""

from typing import List, Optional, Sequence, Tuple

import numpy as np

from sc2impala.report import chart, text
from sc2impala.report.chart import Line
from sc2impala.report.events import Series
from sc2impala.report.run import Run

_RATE = 'frames_per_second'
_LEARNER = ('wait/learner_per_second', 'cluster/learner_wait_per_second')
_ACTORS = ('wait/actors_per_second', 'cluster/actor_wait_per_second')
_ACCOUNT = (
    ('account/played', 'generated'),
    ('account/trained', 'trained on'),
    ('account/discarded', 'discarded, in complete sequences'),
    ('account/aborted', 'in unrolls that an earlier launch did not finish'),
    ('account/waiting', 'not trained on yet'),
)
_LITTLE = 0.1
"""Share of the time below which waiting does not limit the speed."""


def curves(runs: Sequence[Run]) -> str:
    """Returns the chart of the speed of all runs; empty without data."""
    lines = []
    for i, run in enumerate(runs):
        series = run.events.series.get(_RATE)
        if series is not None:
            lines.append(Line(run.label, series.clock, series.values, i))
    if not lines:
        return ''
    return chart.to_html(
        chart.Chart(
            'Environment frames per second',
            lines,
            unit=chart.SECONDS,
            tag=_RATE,
            end=max(run.events.duration for run in runs),
            is_small=len(runs) == 1,
            has_legend=len(runs) > 1,
        )
    )


def section(run: Run, alone: bool) -> str:
    """Returns speed, waits and the account of frames of one run.

    Args:
      run: the run.
      alone: whether the report has no other run, whose speed would be in the same chart.
    """
    learner, actors = waits(run)
    charts = curves([run]) if alone else ''
    if learner is not None or actors is not None:
        named = (('the learner, for sequences', learner), ('an actor, for room', actors))
        lines = [
            Line(label, series.clock, 100 * series.values, i)
            for i, (label, series) in enumerate(named)
            if series is not None
        ]
        charts += chart.to_html(
            chart.Chart(
                'Waiting, in % of the time',
                lines,
                unit=chart.SECONDS,
                tag='wait/*',
                limits=(0.0, 100.0),
                end=run.events.duration,
                is_small=True,
            )
        )
    if not charts:
        return text.missing('There are no summaries of speed and waits.')
    sentence = verdict(learner, actors)
    return f'{text.paragraph(sentence)}<div class="charts fit">{charts}</div>{_account(run)}'


def waits(run: Run) -> Tuple[Optional[Series], Optional[Series]]:
    """Returns the shares of the time that the learner waits, and one actor on average."""
    series = run.events.series
    learner = next((series[tag] for tag in _LEARNER if tag in series), None)
    actors = next((series[tag] for tag in _ACTORS if tag in series), None)
    if actors is not None:
        number = max(1, int(run.config.get('num_actors', 1)))
        actors = actors._replace(values=actors.values / number)
    return learner, actors


def verdict(learner: Optional[Series], actors: Optional[Series]) -> str:
    """Returns a sentence about what limited the speed; empty if waits are unknown."""
    if learner is None or actors is None:
        return ''
    of_learner, of_actor = _mean(learner), _mean(actors)
    shares = (
        f'The learner waited for sequences {100 * of_learner:.0f} % of the time, '
        f'an actor for room in the queue {100 * of_actor:.0f} %'
    )
    if max(of_learner, of_actor) < _LITTLE:
        return f'{shares}: neither limited the speed much.'
    limit = 'actors' if of_learner > of_actor else 'learner'
    return f'{shares}: the {limit} limited the speed.'


def _mean(shares: Series) -> float:
    """Returns the mean share of the time; each value is that of the time since the one before."""
    seconds = np.diff(shares.clock, prepend=0.0)
    total = float(seconds.sum())
    return min(1.0, float((shares.values * seconds).sum()) / total) if total else 0.0


def _account(run: Run) -> str:
    """Returns the account of the frames, at its last event."""
    found: List[Tuple[str, str, float]] = []
    for tag, name in _ACCOUNT:
        series = run.events.series.get(tag)
        if series is not None and (series.values[-1] or not found):
            found.append((tag, name, float(series.values[-1])))
    if not found or not found[0][2] or found[0][0] != _ACCOUNT[0][0]:
        return ''
    rows = [
        [
            f'{text.escaped(name)} <code>{tag}</code>',
            text.count(frames),
            f'{100 * frames / found[0][2]:.1f} %',
        ]
        for tag, name, frames in found
    ]
    return text.table(['environment frames', 'number', 'share'], rows)

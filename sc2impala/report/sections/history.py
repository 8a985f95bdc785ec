"""The launches of a run, and the remarks in its log."""

from typing import List

from sc2impala.report import text
from sc2impala.report.launches import Launch
from sc2impala.report.run import Run
from sc2impala.report.sections import overview
from sc2impala.runtime import console

_MAX_REMARKS = 100


def section(run: Run) -> str:
    """Returns the table of launches and the list of remarks."""
    return _launches(run) + _remarks(run)


def _launches(run: Run) -> str:
    if not run.launches:
        return text.missing('The manifest has no launch.')
    rows = [
        [
            str(number),
            text.moment(launch.time),
            text.escaped(f'{launch.version} {overview.short_revision(launch)}'.strip()),
            _events_of(launch, number),
            text.count(launch.first_frames),
            text.count(launch.last_frames),
            text.duration(launch.seconds),
        ]
        for number, launch in enumerate(run.launches, 1)
    ]
    columns = ['launch', 'time', 'version', 'changes', 'first frame', 'last frame', 'duration']
    return text.table(columns, rows, num_text=4)


def _events_of(launch: Launch, number: int) -> str:
    """Returns the changed settings and skipped checkpoints of a launch, HTML."""
    parts: List[str] = []
    if number > 1:
        parts += [
            f'<code>--{text.escaped(n)}={text.escaped(v)}</code>' for n, v in launch.changed.items()
        ]
    parts += [
        text.escaped(f'checkpoint {frames} skipped: {reason}')
        for frames, reason in launch.skipped.items()
    ]
    return '<br>'.join(parts)


def _remarks(run: Run) -> str:
    if run.log.fault:
        return text.missing(run.log.fault)
    if not run.log.remarks:
        return text.paragraph(f'{console.NAME} has no error, warning or note.')
    rows = [
        [
            f'<span class="badge {remark.level}">{remark.level}</span>',
            text.escaped(remark.text),
            text.moment(remark.first),
            text.moment(remark.last) if remark.number > 1 else '',
            text.count(remark.number),
        ]
        for remark in run.log.remarks[-_MAX_REMARKS:]
    ]
    return text.table(['level', 'message', 'first', 'last', 'number'], rows, num_text=4)

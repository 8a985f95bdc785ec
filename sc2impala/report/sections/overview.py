"""The head of a run: its state, and its main numbers."""

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala.evaluation.episode_table import WINDOW
from sc2impala.report import launches, tables, text, train_log
from sc2impala.report.run import FINISHED, RUNNING, Run

_SHORT_REVISION = 10


class Summary(NamedTuple):
    """The main numbers of a run, as text.

    returns: mean return of the last episodes.
    evaluation: mean return of the best evaluation with its interval.
    frames, duration, speed: so far.
    """

    returns: str
    evaluation: str
    frames: str
    duration: str
    speed: str


def summarize(run: Run) -> Summary:
    """Returns the main numbers of a run."""
    returns = run.episodes.returns[-WINDOW:]
    best = best_evaluation(run)
    series = run.events.series.get('frames_per_second')
    return Summary(
        returns=text.value(float(np.mean(returns))) if len(returns) else text.UNKNOWN,
        evaluation=text.UNKNOWN if best is None else mean_text(best),
        frames=text.count(run.frames),
        duration=text.duration(launches.total_seconds(run.launches)),
        speed=text.UNKNOWN if series is None else text.count(float(np.median(series.values))),
    )


def best_evaluation(run: Run) -> Optional[tables.Evaluation]:
    """Returns the evaluation with the highest mean of a checkpoint; None without any."""
    found = [each for each in run.evaluations.rows + run.evaluations.single if each.frames]
    return max(found, key=lambda each: each.mean) if found else None


def mean_text(evaluation: tables.Evaluation) -> str:
    """25.8 and its interval: '25.8 ± 0.4'."""
    return f'{text.value(evaluation.mean)} \u00b1 {evaluation.margin:.2g}'


def short_revision(launch: launches.Launch) -> str:
    """Returns the beginning of a git revision, with '+' if the checkout was modified."""
    return launch.revision[:_SHORT_REVISION] + '+' * launch.revision.endswith('+')


def head(run: Run) -> str:
    """Returns the line below the title of a run, with its state."""
    names = [
        run.identity[name] for name in ('agent', 'algorithm', 'backend') if name in run.identity
    ]
    if 'seed' in run.identity:
        names.append(f'seed {run.identity["seed"]}')
    return f'<p class="subtitle">{badge(run)} {" &middot; ".join(map(text.escaped, names))}</p>'


def badge(run: Run) -> str:
    """Returns the state of a run."""
    return f'<span class="badge {run.state}">{run.state}</span>'


def tiles(run: Run) -> str:
    """Returns the main numbers of a run, and a sentence about its state."""
    found = summarize(run)
    total = run.total_frames
    best = best_evaluation(run)
    share = '' if best is None else tables.normalised_text(run.map_name, best.mean)
    launched = len(run.launches)
    items: List[Tuple[str, str, str]] = [
        (f'mean return, last {min(WINDOW, len(run.episodes.returns))} episodes', found.returns, ''),
        ('best evaluation', found.evaluation, f'{share} of human' if share else ''),
        ('environment frames', found.frames, '' if total is None else f'of {total:,}'),
        ('time of all launches', found.duration, f'{launched} launches' if launched > 1 else ''),
        ('frames per second, median', found.speed, ''),
        ('version', *_version(run)),
    ]
    cells = ''.join(
        f'<div class="tile"><dt>{text.escaped(title)}</dt><dd>{text.escaped(number)}'
        f'<small>{text.escaped(remark)}</small></dd></div>'
        for title, number, remark in items
    )
    return f'<dl class="tiles">{cells}</dl>{text.paragraph(state_sentence(run))}'


def state_sentence(run: Run) -> str:
    """Returns a sentence about a run that is not finished; empty for others."""
    if run.state == FINISHED:
        return ''
    if run.state == RUNNING:
        return 'A process is training in the folder; the report shows what it has written so far.'
    errors = [remark for remark in run.log.remarks if remark.level == train_log.ERROR]
    last_time = run.log.times[-1] if run.log.times else 0.0
    ended = [each.text for each in errors if each.last >= last_time - 1.0]
    if ended:
        return f'The last launch ended with an error: {ended[-1].replace("error: ", "", 1)}'
    if run.frames is None:
        return 'No process is training in the folder, and no frame was trained.'
    return 'No process is training in the folder; the command of the run resumes it.'


def comparison(runs: Sequence[Run]) -> str:
    """Returns a table of the main numbers of several runs."""
    rows = []
    for i, run in enumerate(runs):
        found = summarize(run)
        rows.append(
            [
                f'<a class="key c{i}" href="#run{i}">{text.escaped(run.label)}</a>',
                badge(run),
                *map(text.escaped, found),
                text.escaped(run.map_name or text.UNKNOWN),
                *(
                    text.escaped(run.identity.get(name, text.UNKNOWN))
                    for name in ('agent', 'algorithm')
                ),
            ]
        )
    columns = ['run', 'state', f'return, last {WINDOW}', 'best evaluation', 'frames', 'time']
    columns += ['frames/s', 'map', 'agent', 'algorithm']
    return f'<section>{text.table(columns, rows, num_text=2, num_numbers=5)}</section>'


def _version(run: Run) -> Tuple[str, str]:
    """Returns the version of the last launch, and its revision and TensorFlow."""
    if not run.launches:
        return text.UNKNOWN, ''
    last = run.launches[-1]
    return last.version or text.UNKNOWN, short_revision(last)

"""Compares two groups of runs: which is better, and how certain that is.

    python -m sc2impala.compare runs/appo-* --against runs/impala-* --output=comparison

A and B are folders of runs, folders that contain runs, or patterns. Runs are grouped by map; a
score is the mean return of an evaluation, or of the last episodes of the training. The statistics
are those of Agarwal et al. 2021, arXiv 2108.13264. See docs/guides/comparing.md.
"""

import argparse
import os
import sys
from typing import Any, Dict, List, Optional, Sequence

from sc2impala.compare import comparison, curves, picture, runs, tables
from sc2impala.compare import scores as scores_lib
from sc2impala.errors import UserError
from sc2impala.runtime import command, console, logdir

MARKDOWN = 'comparison.md'
LATEX = 'comparison.tex'
JSON = 'comparison.json'

_MAX_SHOWN = 12
_FEW_FRAMES = 0.1


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns the exit code."""
    options = _parser().parse_args(arguments)
    return command.exit_code_of(lambda: _run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.compare',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('a', nargs='+', metavar='A', help='folders of the first group')
    parser.add_argument(
        '--against', nargs='+', required=True, metavar='B', help='folders of the second group'
    )
    parser.add_argument('--names', default='A,B', help='names of both groups; A,B by default')
    parser.add_argument('--output', default='', help='folder for tables and picture; none if empty')
    parser.add_argument(
        '--scores',
        default='',
        choices=('', *scores_lib.SOURCES),
        help='file of the scores; the first one that all runs have if empty',
    )
    parser.add_argument(
        '--last', type=int, default=100, help='number of last episodes of the training'
    )
    parser.add_argument(
        '--frames', type=int, help='ignore later evaluations and episodes; no limit by default'
    )
    parser.add_argument('--repetitions', type=int, default=2000, help='number of bootstrap samples')
    parser.add_argument('--confidence', type=float, default=0.95, help='of intervals and test')
    parser.add_argument('--seed', type=int, default=0, help='seed of the bootstrap')
    return parser


def _run(options: argparse.Namespace) -> None:
    settings = _settings(options)
    sides = [runs.find_runs(paths) for paths in (options.a, options.against)]
    _check_disjoint(sides)
    scored = scores_lib.read_scores(
        [*sides[0], *sides[1]], options.scores, options.frames, options.last
    )
    count = len(sides[0])
    side_a = list(zip(sides[0], scored.scores[:count]))
    side_b = list(zip(sides[1], scored.scores[count:]))
    found = comparison.compare(side_a, side_b, settings)
    used = [
        [pair for pair in side if pair[0].map_name in found.of_maps] for side in (side_a, side_b)
    ]
    used_runs = [[run for run, _ in side] for side in used]
    notes = [*found.notes, *_notes(used, settings.names)]
    table = tables.markdown(found)
    parts = [
        comparison.answer(found),
        table,
        '\n'.join(
            [
                _describe_scores(scored, used, options.last),
                *_describe_method(found),
                *_describe_settings(used_runs, settings.names),
                *(f'Note: {note}' for note in notes),
            ]
        ),
    ]
    text = '\n\n'.join(part.strip('\n') for part in parts) + '\n'
    console.say(text, end='')
    if options.output:
        drawn = curves.make_curves(used_runs[0], used_runs[1], found, options.last)
        _write(options.output, found, text, notes, scored.source, drawn, used)


def _settings(options: argparse.Namespace) -> comparison.Settings:
    """Raises: UserError: if a flag is invalid."""
    names = [name.strip() for name in options.names.split(',')]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise UserError(f'--names={options.names}, expected two different names: A,B.')
    for flag, low, high in (
        ('last', 1, 10**9),
        ('frames', 0, 2**62),
        ('repetitions', 100, 10**6),
        ('seed', 0, 2**63 - 1),
    ):
        value = getattr(options, flag)
        if value is not None and not low <= value <= high:
            raise UserError(f'--{flag}={value}, expected a number from {low} to {high}.')
    if not 0.5 <= options.confidence <= 0.999:
        raise UserError(f'--confidence={options.confidence}, expected a number from 0.5 to 0.999.')
    return comparison.Settings(
        (names[0], names[1]), options.repetitions, options.confidence, options.seed
    )


def _check_disjoint(sides: Sequence[Sequence[runs.Run]]) -> None:
    paths = [{os.path.realpath(run.folder): run.folder for run in side} for side in sides]
    both = sorted(set(paths[0]) & set(paths[1]))
    if both:
        raise UserError(
            f'{paths[0][both[0]]} is on both sides of --against, expected different runs.'
        )


def _describe_scores(
    scored: scores_lib.ScoredRuns, used: Sequence[comparison.Side], last: int
) -> str:
    """A line about the source of the scores."""
    scores = [score for side in used for _, score in side]
    episodes = _range([score.num_episodes for score in scores])
    frames = [_range([score.frames for _, score in side]) for side in used]
    where = f'after {frames[0]} frames'
    if frames[0] != frames[1]:
        where = f'after {frames[0]} and {frames[1]} frames'
    if scored.policy is None:
        what = f'the last {last} episodes of the training ({scored.source})'
    else:
        what = f'the latest evaluation ({scored.source}, {scored.policy.flags})'
    return f'Scores: mean return of {what}, {episodes} episodes per run, {where}.'


def _range(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f'{low:,}' if low == high else f'{low:,} to {high:,}'


def _describe_method(found: comparison.Comparison) -> List[str]:
    level = f'{found.settings.confidence:.0%}'
    if found.is_of_single_runs:
        return [
            f'Brackets: {level} percentile bootstrap intervals over the episodes of each run, '
            f'{found.settings.repetitions} samples.'
        ]
    return [
        f'Brackets: {level} percentile intervals of a bootstrap over runs, stratified by map, '
        f'{found.settings.repetitions} samples. A difference is shown if its interval excludes 0 '
        f'and a permutation test of runs within maps has p <= '
        f'{1 - found.settings.confidence:.2g}.'
    ]


def _describe_settings(sides: Sequence[Sequence[runs.Run]], names: Sequence[str]) -> List[str]:
    """Lines about settings in which the sides, or the runs of one side, differ."""
    differing = runs.differing_settings(sides[0], sides[1])
    texts = [f'{name}: {_values(a)} | {_values(b)}' for name, (a, b) in differing.items()]
    lines = [f'Settings that differ ({names[0]} | {names[1]}): {_limited(texts) or "none"}.']
    for name, side in zip(names, sides):
        varying = runs.varying_settings(side)
        if varying:
            text = _limited([f'{each} ({_values(values)})' for each, values in varying.items()])
            lines.append(f'Note: runs of {name} on the same map differ in {text}.')
    return lines


def _values(values: Sequence[Any]) -> str:
    texts = [str(value) if str(value) else "''" for value in values]
    return ', '.join(text if len(text) <= 40 else text[:37] + '...' for text in texts)


def _limited(texts: Sequence[str]) -> str:
    more = [f'and {len(texts) - _MAX_SHOWN} more'] if len(texts) > _MAX_SHOWN else []
    return '; '.join([*texts[:_MAX_SHOWN], *more])


def _notes(used: Sequence[comparison.Side], names: Sequence[str]) -> List[str]:
    """Notes about seeds that occur twice and different amounts of training."""
    notes = []
    for name, side in zip(names, used):
        seeds = [(run.map_name, run.seed) for run, _ in side]
        twice = sorted({f'{seed} on {m}' for m, seed in seeds if seeds.count((m, seed)) > 1})
        if twice:
            notes.append(
                f'{name} has several runs with seed {"; ".join(twice)}: they may not be '
                'independent.'
            )
    for map_name in sorted({run.map_name for side in used for run, _ in side}):
        frames = [s.frames for side in used for run, s in side if run.map_name == map_name]
        if min(frames) < (1 - _FEW_FRAMES) * max(frames):
            notes.append(
                f'The runs on {map_name} were trained for {_range(frames)} frames: --frames='
                f'{min(frames)} compares them after the same number.'
            )
    return notes


def _write(
    folder: str,
    found: comparison.Comparison,
    text: str,
    notes: Sequence[str],
    source: str,
    drawn: Optional[Any],
    used: Sequence[comparison.Side],
) -> None:
    """Writes tables, numbers and picture.

    Raises:
      UserError: if a file cannot be written.
    """
    try:
        os.makedirs(folder, exist_ok=True)
        logdir.replace_text(
            os.path.join(folder, MARKDOWN), f'{text}\n![comparison]({picture.NAME})\n'
        )
        logdir.replace_text(os.path.join(folder, LATEX), tables.latex(found))
        logdir.replace_json(os.path.join(folder, JSON), _numbers(found, notes, source, used))
    except OSError as error:
        raise UserError(
            f'--output={folder} cannot be written to ({error.strerror}), expected a folder that '
            'this user may create files in.'
        ) from error
    picture.save(folder, found, drawn)
    console.say(f'\n{folder}: {MARKDOWN}, {LATEX}, {JSON}, {picture.NAME}')


def _numbers(
    found: comparison.Comparison,
    notes: Sequence[str],
    source: str,
    used: Sequence[comparison.Side],
) -> Dict[str, Any]:
    """All numbers of a comparison, for JSON."""
    return {
        **{k: v for k, v in found._asdict().items() if k not in ('of_maps', 'scores', 'settings')},
        'notes': notes,
        'is_shown': found.is_shown,
        'settings': found.settings._asdict(),
        'source': source,
        'of_maps': {name: of_map._asdict() for name, of_map in found.of_maps.items()},
        'runs': [
            [
                {
                    'folder': run.folder,
                    'map_name': run.map_name,
                    'seed': run.seed,
                    'frames': score.frames,
                    'num_episodes': score.num_episodes,
                    'mean_return': score.mean,
                }
                for run, score in side
            ]
            for side in used
        ],
    }


if __name__ == '__main__':
    sys.exit(main())

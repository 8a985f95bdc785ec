"""Computes the metrics of continual learning from the folders of sequential runs.

    python -m sc2impala.continual runs/clear-* --experts runs/expert-* --out=metrics

RUN are runs on the same maps that differ in their seeds, of `--map_name=A,B,C
--task_schedule=sequential`. The command prints a table with means over the runs and bootstrap
intervals:

    final and average performance       at the end of the run, and over all of its frames
    lost share                          of what was learned of a map, until it is learned again
    isolated forgetting and transfer    of CORA (arXiv 2110.10067)
    PM, FT, BT, RP, SE                  of l2metrics (arXiv 2201.08278)

With --experts, runs that have learned one map each, performance is also given relative to theirs.
With --l2logs the runs are written as logs of l2logger, from which l2metrics computes the last line
itself. See docs/guides/continual.md.
"""

import argparse
import os
import re
import sys
from typing import List, Optional, Sequence

from sc2impala.continual import l2log, summary, tables
from sc2impala.continual import runs as runs_lib
from sc2impala.errors import UserError
from sc2impala.runtime import command, console, logdir

MARKDOWN = 'continual.md'
JSON = 'continual.json'
MATRICES = 'matrices.png'
CURVES = 'curves.png'


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns the exit code."""
    options = _parser().parse_args(arguments)
    return command.exit_code_of(lambda: _run(options))


def write(
    folder: str, found: summary.Summary, bootstrap: summary.Bootstrap, title: str = ''
) -> None:
    """Writes tables, numbers and pictures of an arm.

    Args:
      folder: new or existing folder.
      found: the metrics.
      bootstrap: settings of intervals.
      title: of the picture of matrices.

    Raises:
      UserError: if a file cannot be written.
    """
    from sc2impala.continual import picture

    links = f'![curves]({CURVES})\n'
    if found.forgetting is not None:
        links = f'![forgetting and transfer]({MATRICES})\n\n{links}'
    try:
        os.makedirs(folder, exist_ok=True)
        logdir.replace_text(os.path.join(folder, MARKDOWN), f'{text(found, bootstrap)}\n{links}')
        logdir.replace_json(os.path.join(folder, JSON), summary.to_json(found, bootstrap))
    except OSError as error:
        raise UserError(
            f'{folder} cannot be written to ({error.strerror}), expected a folder that this user '
            'may create files in.'
        ) from error
    if found.forgetting is not None and found.transfer is not None:
        picture.save_matrices(
            os.path.join(folder, MATRICES),
            found.maps,
            found.forgetting.mean(axis=0),
            found.transfer.mean(axis=0),
            title,
        )
    picture.save_curves(os.path.join(folder, CURVES), {title or 'runs': found.runs})


def text(found: summary.Summary, bootstrap: summary.Bootstrap) -> str:
    """Returns the tables of an arm, and how to read them."""
    run = found.runs[0]
    seeds = ', '.join(str(each.seed) for each in found.runs)
    lines = [
        f'Maps: {", ".join(found.maps)}; {run.num_cycles or "no"} '
        f'cycle{"s" * (run.num_cycles != 1)}; seeds: {seeds}.',
        f'Evaluations: {len(run.steps)} of {run.num_episodes.min()} episodes per map, '
        f'{run.policy}.',
    ]
    if len(found.runs) > 1:
        lines.append(
            f'Brackets: {bootstrap.confidence:.0%} percentile intervals of a bootstrap over runs, '
            f'{bootstrap.repetitions} samples.'
        )
    parts = [tables.overall(found, bootstrap), tables.of_maps(found, bootstrap), '\n'.join(lines)]
    return '\n\n'.join(part.strip('\n') for part in parts) + '\n'


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.continual',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        'runs',
        nargs='+',
        metavar='RUN',
        help='folders of runs, folders that contain runs, patterns',
    )
    parser.add_argument(
        '--experts',
        nargs='+',
        default=[],
        metavar='RUN',
        help='runs that have learned one map each: on a single map, or sequential runs that end '
        'with their first block; at least one per map',
    )
    parser.add_argument(
        '--out', default='', metavar='FOLDER', help='folder for tables and pictures; none if empty'
    )
    parser.add_argument(
        '--l2logs',
        default='',
        metavar='FOLDER',
        help='folder for logs of l2logger, in runs/ and experts/; none if empty',
    )
    parser.add_argument('--repetitions', type=int, default=2000, help='number of bootstrap samples')
    parser.add_argument('--confidence', type=float, default=0.95, help='of the intervals')
    parser.add_argument('--seed', type=int, default=0, help='seed of the bootstrap')
    return parser


def _run(options: argparse.Namespace) -> None:
    bootstrap = _bootstrap(options)
    runs = [runs_lib.read_sequential(folder) for folder in runs_lib.find(options.runs)]
    experts = []
    if options.experts:
        experts = [runs_lib.read_expert(folder) for folder in runs_lib.find(options.experts)]
    found = summary.summarize(runs, experts)
    console.say(text(found, bootstrap), end='')
    if options.out:
        write(options.out, found, bootstrap)
        console.say(f'\n{options.out}: {MARKDOWN}, {JSON}, {MATRICES}, {CURVES}')
    if options.l2logs:
        _write_logs(os.path.join(options.l2logs, 'runs'), runs)
        if experts:
            _write_logs(os.path.join(options.l2logs, 'experts'), experts)
        console.say(f'\n{options.l2logs}: {len(runs)} runs, {len(experts)} experts')


def _bootstrap(options: argparse.Namespace) -> summary.Bootstrap:
    """Raises: UserError: if a flag is invalid."""
    if not 100 <= options.repetitions <= 10**6:
        raise UserError(
            f'--repetitions={options.repetitions}, expected a number from 100 to 1000000.'
        )
    if not 0.5 <= options.confidence <= 0.999:
        raise UserError(f'--confidence={options.confidence}, expected a number from 0.5 to 0.999.')
    if not 0 <= options.seed < 2**63:
        raise UserError(f'--seed={options.seed}, expected a number from 0 to {2**63 - 1}.')
    return summary.Bootstrap(options.repetitions, options.confidence, options.seed)


def _write_logs(folder: str, runs: Sequence[runs_lib.Run]) -> None:
    """Writes the logs of each run in a folder of its own, numbered so that names differ."""
    names: List[str] = []
    for number, run in enumerate(runs):
        name = re.sub(r'[^\w.-]', '_', os.path.basename(os.path.normpath(run.folder)))
        names.append(f'{number}-{name}')
        l2log.write(run, runs_lib.read_episodes(run), os.path.join(folder, names[-1]))


if __name__ == '__main__':
    sys.exit(main())

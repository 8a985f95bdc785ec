"""Compares the speed of this trainer with other trainers on the same work.

    python -m benchmarks.league --folder=../league
    python -m benchmarks.league --folder=../league --only sc2impala sample_factory --rounds=2
    python -m benchmarks.league --folder=../league --return

Makes a virtual environment for each peer with pinned versions in --folder, then runs the peers
alternately on the same cores, --rounds of --seconds each. Peers and versions are in
`benchmarks/league/environments.py`. One that cannot be installed or fails is listed with the
reason. A measurement begins --warm_up seconds after the first update, and both ends are ends of an
update.

The work: images of 72 x 96 pixels of three bytes, nine actions, the deep residual network of
IMPALA with an LSTM of 256 units, 32 games, unrolls of 20 steps, updates of 32 unrolls, one epoch.

--return measures the seconds until the mean return of the last 100 training episodes on
MoveToBeacon reaches --target, from the start of the command, each peer with settings of its own.
Peers that --only leaves out keep their results if these have the same target, limit, seeds, cores
and machine.

Results are written to league.json in --output, with tables in league_speed.md and league_return.md
and a picture in league.png. docs/performance.md shows those in docs/league.json:

    python -m benchmarks.league --folder=../league --output=docs
    python -m benchmarks.speed.performance --render

The last line of the output is JSON.
"""

import argparse
import json
import os
import signal
import statistics
import sys
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from benchmarks import subprocesses
from benchmarks.league import environments, runner, tables, work
from benchmarks.league.environments import ENTRIES, Installed, NotInstalled

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
"""Of this checkout."""

DOCS = os.path.join(ROOT, 'docs')

Reason = str

_PATHS = ('--folder', '--clones', '--output')

_ALIKE = ('target', 'limit', 'seeds', 'cores', 'machine')
"""Of results of --return whose entries are comparable."""


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = parse_arguments(argv)
    # As an exception, which ends the running peer.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    task = 'return' if getattr(arguments, 'return') else 'speed'
    names = [name for name in arguments.only or ENTRIES if task in ENTRIES[name].tasks]
    installed, reasons = install(names, arguments.folder, arguments.clones)
    if arguments.only_install:
        print(json.dumps(reasons))
        return
    measure = measure_returns if task == 'return' else measure_speeds
    os.makedirs(arguments.output, exist_ok=True)
    path = os.path.join(arguments.output, 'league.json')
    earlier = read(path)
    for result in measure(installed, reasons, arguments):
        if task == 'return':
            result = with_others(result, earlier.get(task))
        save(path, task, result)
    text = (tables.return_table if task == 'return' else tables.speed_table)(result)
    if arguments.output != DOCS:
        if task == 'speed' and tables.ranked(result):
            tables.draw_speeds(result, os.path.join(arguments.output, 'league.png'))
        with open(os.path.join(arguments.output, f'league_{task}.md'), 'w') as file:
            file.write(text + '\n')
    print(text)
    print(json.dumps(result))


def parse_arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Returns the command's arguments; exits with a message if one is invalid."""
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.league', description=(__doc__ or '').split('\n')[0]
    )
    parser.add_argument(
        '--folder', required=True, type=os.path.abspath, help='of the environments, outside of this'
    )
    parser.add_argument('--only', nargs='+', metavar='NAME', help=f'of: {", ".join(ENTRIES)}')
    parser.add_argument('--only_install', action='store_true', help='make environments, then stop')
    parser.add_argument(
        '--clones', help='folder with clones as owner/name, if GitHub cannot be reached'
    )
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=60, help='of each peer in each round')
    parser.add_argument('--warm_up', type=float, default=10, help='seconds before them')
    parser.add_argument('--cores', default='0,1', help='numbers of the cores of all peers')
    parser.add_argument('--return', action='store_true', help='measure seconds to --target')
    parser.add_argument('--target', type=float, default=25, help='mean return of 100 episodes')
    parser.add_argument('--limit', type=float, default=1200, help='seconds of a run of --return')
    parser.add_argument('--seeds', type=int, nargs='+', default=[0], help='of --return')
    parser.add_argument('--output', help='folder of the results, --folder by default')
    arguments = parser.parse_args(argv)
    words = sys.argv[1:] if argv is None else argv
    arguments.words = _without_paths(words)
    for name in arguments.only or ():
        if name not in ENTRIES:
            parser.error(f'--only={name} is unknown, expected some of: {", ".join(ENTRIES)}.')
    if arguments.rounds < 1:
        parser.error(f'--rounds={arguments.rounds} is too small, expected at least 1.')
    arguments.cores = _parse_cores(parser, arguments.cores)
    arguments.output = os.path.abspath(arguments.output or arguments.folder)
    return arguments


def _without_paths(words: Sequence[str]) -> List[str]:
    """Leaves out options that say where files are, which does not matter to others."""
    kept: List[str] = []
    is_path = False
    for word in words:
        if not is_path and not word.startswith(_PATHS):
            kept.append(word)
        is_path = word in _PATHS
    return kept


def _parse_cores(parser: argparse.ArgumentParser, text: str) -> List[int]:
    available = sorted(os.sched_getaffinity(0))
    try:
        cores = sorted({int(word) for word in text.split(',')})
    except ValueError:
        cores = []
    if not cores or not set(cores) <= set(available):
        parser.error(
            f'--cores={text} has no such cores, expected some of: {",".join(map(str, available))}.'
        )
    return cores


def install(
    names: Sequence[str], folder: str, clones: Optional[str]
) -> Tuple[Dict[str, Installed], Dict[str, Reason]]:
    """Makes the environments of entries.

    Args:
      names: of the entries.
      folder: of the environments.
      clones: see `environments.install`.

    Returns:
      The environments by entry, and the reasons of those that could not be made.
    """
    made: Dict[str, Installed] = {}
    reasons: Dict[str, Reason] = {}
    for name in names:
        print(f'installing {name}', flush=True)
        try:
            made[name] = environments.install(ENTRIES[name].environment, folder, clones)
        except NotInstalled as error:
            reasons[name] = f'could not be installed: {error}'
            print(f'{name} {reasons[name]}', flush=True)
    return made, reasons


def command(name: str, installed: Installed, task: str, num_cores: int, seed: int) -> List[str]:
    """Returns the command line of an entry."""
    entry = ENTRIES[name]
    module = f'benchmarks.league.peers.{entry.module}'
    result = [installed.python, '-m', module, f'--task={task}', f'--cores={num_cores}']
    result.append(f'--seed={seed}')
    if entry.variant:
        result.append(f'--variant={entry.variant}')
    return result


def measure_speeds(
    installed: Dict[str, Installed], reasons: Dict[str, Reason], arguments: argparse.Namespace
) -> Iterator[Dict[str, Any]]:
    """Runs all entries alternately on the common work, and yields the result after each round.

    Args:
      installed: environments by entry.
      reasons: why others have none.
      arguments: of the command.

    Yields:
      'entries': by name 'title', 'note', 'rounds' (dicts of `runner.Speed` with
      'steps_per_second' and 'steps_per_cpu_second') and, if it was not measured, 'reason';
      'flops_per_step', 'matrix_product_flops' (operations per second), the settings, date and
      machine.
    """
    reasons, rounds = dict(reasons), {name: [] for name in installed}  # type: ignore[var-annotated]
    products, flops = [], _probe(arguments.cores, 'flops')
    for index in range(arguments.rounds):
        products.append(_probe(arguments.cores, 'matrix_product'))
        for name in installed:
            if name in reasons:
                continue
            line = command(name, installed[name], 'speed', len(arguments.cores), seed=index)
            try:
                with _start(line, installed[name], arguments.cores) as peer:
                    speed = runner.measure_speed(peer, arguments.warm_up, arguments.seconds)
            except runner.PeerFailed as error:
                reasons[name] = f'failed: {error.reason or environments.reason(error.output)}'
                print(f'{name} failed:\n{error}', flush=True)
                continue
            row = dict(
                speed._asdict(),
                steps_per_second=speed.steps / speed.seconds,
                steps_per_cpu_second=speed.steps / max(speed.cpu_seconds, 1e-9),
            )
            rounds[name].append(row)
            print(
                f'round {index + 1}: {name:20} {row["steps_per_second"]:8,.1f} agent steps/s, '
                f'{row["steps_per_cpu_second"]:8,.1f} per CPU second',
                flush=True,
            )
        yield dict(
            _common(
                reasons, arguments, {name: {'rounds': found} for name, found in rounds.items()}
            ),
            num_rounds=index + 1,
            seconds=arguments.seconds,
            flops_per_step=flops,
            matrix_product_flops=statistics.median(products),
            work={
                name: getattr(work, name)
                for name in (
                    'HEIGHT',
                    'WIDTH',
                    'CHANNELS',
                    'NUM_ENVS',
                    'UNROLL_LENGTH',
                    'BATCH_STEPS',
                )
            },
        )


def measure_returns(
    installed: Dict[str, Installed], reasons: Dict[str, Reason], arguments: argparse.Namespace
) -> Iterator[Dict[str, Any]]:
    """Runs all entries on MoveToBeacon, and yields the result after each seed.

    Args:
      installed, reasons, arguments: see `measure_speeds`.

    Yields:
      'entries': by name 'title', 'note', 'runs' (dicts of `runner.TimeToReturn`) and, if it was
      not measured, 'reason'; 'target', 'limit', 'seeds', date and machine.
    """
    reasons, runs = dict(reasons), {name: [] for name in installed}  # type: ignore[var-annotated]
    for index, seed in enumerate(arguments.seeds):
        for name in installed:
            if name in reasons:
                continue
            line = command(name, installed[name], 'return', len(arguments.cores), seed)
            try:
                with _start(line, installed[name], arguments.cores) as peer:
                    found = runner.measure_return(peer, arguments.target, arguments.limit)
            except runner.PeerFailed as error:
                reasons[name] = f'failed: {error.reason or environments.reason(error.output)}'
                print(f'{name} failed:\n{error}', flush=True)
                continue
            runs[name].append(dict(found._asdict(), seed=seed))
            print(f'{name:20} seed {seed}: {found}', flush=True)
        measured = {name: {'runs': runs[name]} for name in runs if runs[name] or name in reasons}
        yield dict(
            _common(reasons, arguments, measured),
            target=arguments.target,
            limit=arguments.limit,
            seeds=arguments.seeds[: index + 1],
        )


def _common(
    reasons: Dict[str, Reason], arguments: argparse.Namespace, found: Dict[str, Dict[str, Any]]
) -> Dict[str, Any]:
    """Returns the entries that the results of both tasks share."""
    entries = {}
    for name, entry in ENTRIES.items():
        if name in found or name in reasons:
            entries[name] = dict(
                {'title': entry.title, 'note': entry.note, 'rounds': [], 'runs': []},
                **found.get(name, {}),
            )
            if name in reasons:
                entries[name]['reason'] = reasons[name]
    return {
        'entries': entries,
        'cores': arguments.cores,
        'machine': _probe(arguments.cores, 'machine'),
        'command': ' '.join(['python -m benchmarks.league'] + arguments.words),
        'date': time.strftime('%Y-%m-%d', time.gmtime()),
    }


def _start(line: Sequence[str], installed: Installed, cores: Sequence[int]) -> runner.Peer:
    """Starts a peer in the folder of its clone, where scalable_agent expects its files."""
    path = os.pathsep.join([ROOT] + [installed.sources] * bool(installed.sources))
    return runner.Peer(line, {'PYTHONPATH': path}, cores, installed.sources or ROOT)


def _probe(cores: Sequence[int], name: str) -> Any:
    """Runs `benchmarks.league.probe` on the cores; returns what it found."""
    confined = ['--cores', ','.join(map(str, cores)), name]
    return subprocesses.run_benchmark('benchmarks.league.probe', confined)[name]


def with_others(result: Dict[str, Any], earlier: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """Adds the entries that only an earlier result has, if it was measured in the same way.

    Args:
      result, earlier: of `measure_returns`; an earlier one of None has no entries.
    """
    if earlier is None or any(result[name] != earlier[name] for name in _ALIKE):
        return result
    entries = {**earlier['entries'], **result['entries']}
    return dict(result, entries={name: entries[name] for name in ENTRIES if name in entries})


def read(path: str) -> Dict[str, Any]:
    """Returns the results in a file by task; empty without a file."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def save(path: str, task: str, result: Dict[str, Any]) -> None:
    """Sets the result of a task in a file, and keeps that of the other one."""
    results = dict(read(path), **{task: result})
    with open(path + '.new', 'w') as file:
        json.dump(results, file, indent=1, sort_keys=True)
        file.write('\n')
    os.replace(path + '.new', path)


if __name__ == '__main__':
    main()

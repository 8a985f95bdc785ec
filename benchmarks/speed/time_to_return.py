"""Measures how long a training takes to reach a mean return, in seconds and environment frames.

Trains once for each seed until the mean return of the last 100 episodes, as printed in the lines of
progress, reaches --target. The clock starts with the games, after the graph has been built. With
--other a second checkout of the project is measured with the same flags, alternately with this one,
so that load on the machine affects both alike:

    python -m benchmarks.speed.time_to_return
    git worktree add ../before <revision>
    python -m benchmarks.speed.time_to_return --other=../before

With --actors a learner and so many actor processes are measured alternately with one process that
has as many actor threads:

    python -m benchmarks.speed.time_to_return --actors=3 --map_name=MoveToBeacon --num_envs=16

All flags of the training can be given; without any the quickstart is measured. The last line of the
output is JSON.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from benchmarks import subprocesses

QUICKSTART = (
    '--map_name=MoveToBeacon',
    '--agent=fully_conv_lstm',
    '--fixed_step_mul',
    '--step_mul=6',
    '--discounting_per_frame',
    '--total_environment_frames=2400000',
)
"""The flags of scripts/quickstart.sh."""

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
"""Of this checkout."""

_START = re.compile(r'logdir: ')
_PROGRESS = re.compile(r'training: ([\d,]+) of .*mean return (-?[\d.]+) \(last (\d+)\)')
_WINDOW = 100


class Way(NamedTuple):
    """A way of training.

    checkout: folder of the code.
    actors: actor processes beside the learner; 0 for one process.
    own_flags: after those of all ways.
    """

    checkout: str
    actors: int = 0
    own_flags: Tuple[str, ...] = ()


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains with every seed, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--target', type=float, default=25.0, help='mean return to reach')
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2])
    parser.add_argument(
        '--other', type=os.path.expanduser, help='folder of another checkout, measured alternately'
    )
    parser.add_argument('--actors', type=int, help='of a cluster, measured alternately')
    arguments, flags = parser.parse_known_args(argv)
    flags = flags or list(QUICKSTART)
    ways = _ways(arguments.other, arguments.actors)
    print('flags: {}'.format(' '.join(flags)))
    print('way       seed   seconds      frames  last mean')
    results: Dict[str, List[Dict[str, Any]]] = {name: [] for name in ways}
    for seed in arguments.seeds:
        for name, way in ways.items():
            found = measure(way, flags + [f'--seed={seed}'], arguments.target)
            results[name].append(dict(seed=seed, **found))
            print(
                '{:8}{:6}{:>10}{:>12}{:11.2f}'.format(
                    name, seed, _text(found['seconds']), _text(found['frames']), found['mean']
                ),
                flush=True,
            )
    summary = {name: _medians(rows) for name, rows in results.items()}
    for name, medians in summary.items():
        print(f'{name}: median of {_text(medians["seconds"])} s, {_text(medians["frames"])} frames')
    print(json.dumps({'flags': flags, 'target': arguments.target, 'runs': results, **summary}))


def _ways(other: Optional[str], actors: Optional[int]) -> Dict[str, Way]:
    """What is compared, by name, in the order in which it is measured."""
    if actors:
        return {
            'one': Way(ROOT, own_flags=(f'--num_actors={actors}',)),
            'cluster': Way(ROOT, actors, ('--num_actors=1',)),
        }
    before = {'other': Way(os.path.abspath(other))} if other else {}
    return dict(before, here=Way(ROOT))


def measure(way: Way, flags: Sequence[str], target: float) -> Dict[str, Any]:
    """Trains until the target or the total number of frames is reached.

    Args:
      way: of training.
      flags: of the training.
      target: mean return.

    Returns:
      'seconds' and 'frames' to the target, None if it was not reached, and 'mean', the last mean
      return.
    """
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            _command(way, f'{folder}/run', flags),
            cwd=way.checkout,
            env=dict(os.environ, PYTHONPATH=way.checkout),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
        try:
            found = watch(process.stdout or (), target, time.monotonic)
        finally:
            process.send_signal(signal.SIGTERM)
            if process.stdout:
                process.stdout.close()
            process.wait()
    return found


def _command(way: Way, logdir: str, flags: Sequence[str]) -> List[str]:
    command = subprocesses.training_command(logdir, [*flags, *way.own_flags], progress_secs=1)
    if not way.actors:
        return command
    launcher = [sys.executable, '-m', 'sc2impala.cluster_actors.launch', str(way.actors)]
    return launcher + command[command.index(f'--logdir={logdir}') :]


def watch(lines: Iterable[str], target: float, clock: Callable[[], float]) -> Dict[str, Any]:
    """Reads the output of a training up to the target.

    Args:
      lines: the output.
      target: mean return.
      clock: returns the time in seconds; called when a line has arrived.

    Returns:
      See `measure`.
    """
    started: Optional[float] = None
    mean = float('nan')
    for line in lines:
        if _START.match(line):
            started = clock()
        match = _PROGRESS.match(line)
        if match and started is not None:
            mean = float(match.group(2))
            if mean >= target and int(match.group(3)) == _WINDOW:
                frames = int(match.group(1).replace(',', ''))
                return {'seconds': round(clock() - started, 1), 'frames': frames, 'mean': mean}
    return {'seconds': None, 'frames': None, 'mean': mean}


def _medians(rows: Sequence[Dict[str, Any]]) -> Dict[str, Optional[float]]:
    """Returns the medians, or None if a run did not reach the target."""
    return {
        name: statistics.median([row[name] for row in rows])
        if all(row[name] is not None for row in rows)
        else None
        for name in ('seconds', 'frames')
    }


def _text(number: Optional[float]) -> str:
    return 'never' if number is None else f'{number:,}'


if __name__ == '__main__':
    main()

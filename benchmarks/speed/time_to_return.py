"""Measures how long a training takes to reach a mean return, in seconds and environment frames.

Trains once for each seed until the mean return of the last 100 episodes, as printed in the lines of
progress, reaches --target. The clock starts with the games, after the graph has been built. With
--other a second checkout of the project is measured with the same flags, alternately with this one,
so that load on the machine affects both alike:

    python -m benchmarks.speed.time_to_return
    git worktree add ../before <revision>
    python -m benchmarks.speed.time_to_return --other=../before

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
import tempfile
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

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


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains with every seed, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--target', type=float, default=25.0, help='mean return to reach')
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2])
    parser.add_argument('--other', help='folder of another checkout, measured alternately')
    arguments, flags = parser.parse_known_args(argv)
    flags = flags or list(QUICKSTART)
    checkouts = {'here': ROOT}
    if arguments.other:
        checkouts = {'other': os.path.abspath(arguments.other), 'here': ROOT}
    print('flags: {}'.format(' '.join(flags)))
    print('checkout  seed   seconds      frames  last mean')
    results: Dict[str, List[Dict[str, Any]]] = {name: [] for name in checkouts}
    for seed in arguments.seeds:
        for name, folder in checkouts.items():
            found = measure(folder, flags + [f'--seed={seed}'], arguments.target)
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


def measure(checkout: str, flags: Sequence[str], target: float) -> Dict[str, Any]:
    """Trains until the target or the total number of frames is reached.

    Args:
      checkout: folder of the code.
      flags: of the training.
      target: mean return.

    Returns:
      'seconds' and 'frames' to the target, None if it was not reached, and 'mean', the last mean
      return.
    """
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            subprocesses.training_command(f'{folder}/run', flags, progress_secs=1),
            cwd=checkout,
            env=dict(os.environ, PYTHONPATH=checkout),
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

"""Measures how long a training takes to a mean return, in seconds and in environment frames.

Trains once for each seed until the mean over the last 100 episodes, as the line of progress prints
it, has come to --target, and stops there. The clock starts when the games do: the graph is built by
then. With --other a second checkout of the project is measured by the same command, in turn with
this one, so that both meet the same load of the machine:

    python benchmarks/time_to_return.py
    git worktree add ../before <revision>
    python benchmarks/time_to_return.py --other=../before

Any flag of the training is passed on; without any the quickstart is measured. The last line of the
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

QUICKSTART = (
    '--map_name=MoveToBeacon',
    '--agent=fully_conv_lstm',
    '--fixed_step_mul',
    '--step_mul=6',
    '--discounting_per_frame',
    '--total_environment_frames=2400000',
)
"""The flags of scripts/quickstart.sh."""

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

_START = re.compile(r'logdir: ')
_PROGRESS = re.compile(r'training: ([\d,]+) of .*mean return (-?[\d.]+) \(last (\d+)\)')
_WINDOW = 100


def main(argv=None):
    """Trains with every seed and prints what came of it.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--target', type=float, default=25.0, help='mean return to reach')
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2])
    parser.add_argument('--other', help='folder of another checkout, measured in turn with this')
    arguments, flags = parser.parse_known_args(argv)
    flags = flags or list(QUICKSTART)
    checkouts = {'here': HERE}
    if arguments.other:
        checkouts = {'other': os.path.abspath(arguments.other), 'here': HERE}
    print('flags: {}'.format(' '.join(flags)))
    print('checkout  seed   seconds      frames  last mean')
    results = {name: [] for name in checkouts}
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


def measure(checkout, flags, target):
    """Trains until the target is reached or the frames are used up.

    Returns:
      dict of 'seconds' and 'frames' to the target, None if it was not reached, and 'mean', the last
      one seen.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={folder}/run']
        process = subprocess.Popen(
            command + list(flags) + ['--progress_secs=1'],
            cwd=checkout,
            env=dict(os.environ, PYTHONPATH=checkout),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
        try:
            found = watch(process.stdout, target, time.monotonic)
        finally:
            process.send_signal(signal.SIGTERM)
            process.stdout.close()
            process.wait()
    return found


def watch(lines, target, clock):
    """Reads the lines of a training, with the time at which each arrives, up to the target."""
    started, mean = None, float('nan')
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


def _medians(rows):
    """None where a run did not get there: it may be the slowest, or never end."""
    return {
        name: statistics.median([row[name] for row in rows])
        if all(row[name] is not None for row in rows)
        else None
        for name in ('seconds', 'frames')
    }


def _text(number):
    return 'never' if number is None else f'{number:,}'


if __name__ == '__main__':
    main()

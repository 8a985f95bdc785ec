"""SIGKILL at random moments in one run with replay, and with cloning from a recording.

    python -m benchmarks.faults.kills --kills 100
    python -m benchmarks.faults.kills --kills 20 --algorithm=r2d2

R2D2 has no cloning, nor has a run with --cloning_frames=0: they have a prioritised replay buffer.

The run has to end with the right number of frames, a balanced account, a list of episodes that
agrees with the last checkpoint, and no file without an owner. The last line of the output is JSON;
the exit code is 0 if all of that is so.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Sequence

from benchmarks.faults import runs
from sc2impala import learner
from sc2impala.training.components import account as account_lib

_START_SECS = 300
_LAST_FRAMES = 20000
"""Of the last start, which is not killed: some episodes of each game."""


def main(arguments: List[str]) -> int:
    """Runs the training and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--kills', type=int, default=100)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--secs', type=float, default=3.0, help='of training between two kills')
    parser.add_argument('--algorithm', default='impala', choices=sorted(learner.ALGORITHMS))
    parser.add_argument('--cloning_frames', type=int, default=20000, help='before the training')
    parsed = parser.parse_args(arguments)
    rng = random.Random(parsed.seed)
    clones = not learner.load_settings(parsed.algorithm).LEARNS_VALUES
    num_cloned = parsed.cloning_frames if clones else 0
    with tempfile.TemporaryDirectory() as folder:
        flags = [f'--algorithm={parsed.algorithm}', *flags_of(num_cloned, folder)]
        result = run(folder, parsed.kills, rng, parsed.secs, flags, num_cloned)
    print(json.dumps(result))
    return 1 if result['faults'] else 0


def run(
    folder: str,
    num_kills: int,
    rng: random.Random,
    secs: float,
    flags: Sequence[str],
    num_cloned: int,
) -> Dict[str, Any]:
    """Kills a run `num_kills` times, lets it end, and checks its files."""
    logdir, log = os.path.join(folder, 'run'), os.path.join(folder, 'log')
    faults: List[str] = []
    for number in range(num_kills):
        saved = kill(logdir, log, flags, rng, secs)
        if saved['after'] < saved['before']:
            faults.append(f'kill {number}: {saved}')
        print(number, saved, flush=True)
    total = max(0, runs.counters(logdir)['global_step']) + _LAST_FRAMES
    with open(log, 'w') as output:
        command = runs.command(logdir, [*flags, f'--total_environment_frames={total}'])
        code = subprocess.call(command, stdout=output, stderr=subprocess.STDOUT)
    if code:
        faults.append(f'the last start ended with {code}: {runs.read(log)[-1000:]}')
    return look(logdir, total, num_kills, faults, num_cloned)


def flags_of(num_cloned: int, folder: str) -> List[str]:
    """Flags of a run with `num_cloned` frames of cloning; records the demonstrations."""
    common = ['--replay_buffer_size=50', '--save_checkpoint_secs=0.5', '--unroll_length=6']
    if not num_cloned:
        own = ['--replay_sampler=prioritised', '--replay_proportion=0.5', '--replay_min_size=10']
        return common + own
    recording = runs.record(os.path.join(folder, 'recordings'), 20)
    return common + [
        f'--demonstrations={recording}',
        f'--num_cloning_frames={num_cloned}',
        '--phase_evaluations=0',
        '--replay_proportion=0.25',
    ]


def kill(
    logdir: str, log: str, flags: Sequence[str], rng: random.Random, secs: float
) -> Dict[str, int]:
    """Starts the run and kills it: in its start, or a while after its first update.

    Returns:
      The frames of the newest checkpoint before and after.
    """
    before = runs.saved_frames(logdir)
    with open(log, 'w') as output:
        command = runs.command(logdir, [*flags, '--total_environment_frames=1e9'])
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    if rng.random() < 0.2:
        time.sleep(rng.uniform(0, 10))
    else:
        end = time.monotonic() + _START_SECS
        while not runs.printed_frames(runs.read(log)) and time.monotonic() < end:
            if process.poll() is not None:
                raise RuntimeError(f'the run has ended by itself: {runs.read(log)}')
            time.sleep(0.02)
        time.sleep(rng.uniform(0, secs))
    process.send_signal(signal.SIGKILL)
    process.wait()
    return {'before': before, 'after': runs.saved_frames(logdir)}


def look(
    logdir: str, total: int, num_kills: int, faults: List[str], num_cloned: int
) -> Dict[str, Any]:
    """Returns the counts of the finished run, and the faults that were found."""
    counters, account = runs.counters(logdir), runs.account(logdir)
    shown = runs.last_event(logdir, 'account/')
    rows = runs.episodes(logdir)
    names = [
        os.path.relpath(os.path.join(parent, name), logdir)
        for parent, folders, files in os.walk(logdir)
        for name in (*folders, *files)
    ]
    strange = [name for name in names if not runs.OWNED.fullmatch(name)]
    steps = [row['global_step'] for row in rows]
    of_rows = sum(row['episode_frames'] for row in rows)
    parts = ('trained', 'discarded', 'aborted', 'waiting')
    checks = {
        'frames of the training': total <= counters['global_step'] < total + 10000,
        'frames of cloning': counters.get('cloning_frames', 0) >= num_cloned,
        'account and counters': account['trained'] + account['recorded'] == sum(counters.values()),
        'account in TensorBoard': shown['played'] == sum(shown[part] for part in parts),
        'account at the end': account_lib.UNBALANCED
        not in runs.read(os.path.join(logdir, 'train.log')),
        'episodes in order': steps == sorted(steps)
        and max(steps, default=0) <= sum(counters.values()),
        'episodes once': of_rows <= account['trained'],
        'files': not strange,
    }
    faults = faults + [name for name, holds in checks.items() if not holds]
    return {
        'kills': num_kills,
        'faults': faults,
        'counters': counters,
        'account': account,
        'frames_of_episodes': of_rows,
        'episodes': len(rows),
        'strange_files': strange,
    }


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

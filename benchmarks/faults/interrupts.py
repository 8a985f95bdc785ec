"""Ctrl-C in `training 2>&1 | tee log` at random moments: checkpoint, output and exit code.

    python -m benchmarks.faults.interrupts --trials 20

SIGINT goes to the process group of both, so that `tee` is gone when the training ends. Half of the
moments are before the first update: while Python imports, and while the graph is built. The last
line of the output is JSON; the exit code is 0 if every trial ended as it should.
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
from typing import Any, Dict, List

from benchmarks.faults import runs

_START_SECS = 300
_END_SECS = 120
_CODES = (128 + signal.SIGINT, -signal.SIGINT)
"""The second one is of a process that was still importing: shells report both as 130."""


def main(arguments: List[str]) -> int:
    """Runs the trials and prints their results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=20)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--build_secs', type=float, default=15.0, help='of the moments in a start')
    parsed = parser.parse_args(arguments)
    rng = random.Random(parsed.seed)
    results = []
    for number in range(parsed.trials):
        with tempfile.TemporaryDirectory() as folder:
            result = trial(folder, number % 2 == 0, number % 4 < 2, rng, parsed.build_secs)
        results.append(result)
        print(number, result, flush=True)
    failed = [result for result in results if not result['passed']]
    print(json.dumps({'trials': len(results), 'failed': len(failed), 'results': results}))
    return 1 if failed else 0


def trial(
    folder: str, in_start: bool, joined: bool, rng: random.Random, build_secs: float
) -> Dict[str, Any]:
    """One training that is interrupted.

    Args:
      folder: for all files.
      in_start: interrupt it at any moment of its start, else after its first update.
      joined: whether standard error goes into the pipe as well.
      rng: of the moment.
      build_secs: length of a start.
    """
    logdir, log, errors = (os.path.join(folder, n) for n in ('run', 'log', 'errors'))
    flags = ['--total_environment_frames=1e9', '--save_checkpoint_secs=1000']
    with open(errors, 'wb') as error_file:
        training = subprocess.Popen(
            runs.command(logdir, flags),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if joined else error_file,
            preexec_fn=os.setpgrp,
        )
        tee = subprocess.Popen(
            ['tee', log],
            stdin=training.stdout,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: os.setpgid(0, training.pid),
        )
        if training.stdout:
            training.stdout.close()
        began = time.monotonic()
        if in_start:
            time.sleep(rng.uniform(0, build_secs))
        else:
            while not runs.printed_frames(runs.read(log)):
                if training.poll() is not None or time.monotonic() - began > _START_SECS:
                    break
                time.sleep(0.05)
            time.sleep(rng.uniform(0, 2))
        moment = time.monotonic() - began
        os.killpg(training.pid, signal.SIGINT)
        try:
            code = training.wait(_END_SECS)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(training.pid, signal.SIGKILL)
        tee.wait()
    text = runs.read(log) + runs.read(errors) + runs.read(os.path.join(logdir, 'train.log'))
    printed, saved = runs.printed_frames(runs.read(log)), runs.saved_frames(logdir)
    traceback = 'Traceback' in text
    return {
        'moment': round(moment, 2),
        'exit_code': code,
        'printed_frames': printed,
        'saved_frames': saved,
        'traceback': traceback,
        'passed': code in _CODES and not traceback and (not printed or saved >= printed),
    }


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

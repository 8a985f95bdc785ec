"""Trains in a file system of 60 MB that fills, is emptied, made read-only and writable again.

The run keeps all of its checkpoints, so it fills the file system by itself; this program fills the
rest. Another process evaluates the run again and again: the last checkpoint must be intact at every
moment. The program needs the right to mount file systems.

    python -m benchmarks.faults.small_disk --minutes 10

The last line of the output is JSON. The exit code is 0 if nothing went wrong.
"""

import argparse
import contextlib
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Sequence

from sc2impala.checkpoints import directory

_PHASES = ('growing', 'full', 'emptied', 'read-only', 'writable')
_FLAGS = (
    '--from_scratch',
    '--map_name=MoveToBeacon',
    '--screen_size=16',
    '--minimap_size=16',
    '--agent=fully_conv',
    '--num_actors=1',
    '--num_envs=4',
    '--unroll_length=10',
    '--batch_size=4',
    '--replay_proportion=0.5',
    '--replay_buffer_size=100',
    '--total_environment_frames=1e9',
    '--save_checkpoint_secs=1',
    '--save_summaries_secs=1',
    '--keep_checkpoints=0',
)
_UNWRITABLE = ('No space left on device', 'Read-only file system')


def main(arguments: Sequence[str]) -> int:
    """Runs all phases in turn until the time is up; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=10.0, help='how long')
    parser.add_argument('--phase_secs', type=float, default=20.0, help='of each state of the disk')
    parser.add_argument('--evaluate', help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.evaluate:
        return _keep_evaluating(options.evaluate)
    with tempfile.TemporaryDirectory() as folder:
        disk = os.path.join(folder, 'disk')
        os.mkdir(disk)
        _run('mount', '-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', disk)
        try:
            summary = _train(disk, folder, options.minutes * 60, options.phase_secs)
        finally:
            for path in glob.glob(disk + '*'):
                while os.path.ismount(path):
                    _run('umount', '-l', path)
    print(json.dumps(summary))
    return 0 if summary['right'] else 1


def _train(disk: str, folder: str, secs: float, phase_secs: float) -> Dict[str, Any]:
    """Trains and evaluates in separate processes; returns the results."""
    logdir, log = os.path.join(disk, 'run'), os.path.join(folder, 'train.txt')
    results = os.path.join(folder, 'evaluations.txt')
    with open(log, 'wb') as output, open(results, 'wb') as evaluations:
        command = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={logdir}', *_FLAGS]
        training = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        evaluating = None
        try:
            _wait_for_checkpoint(logdir, training)
            own = [sys.executable, '-m', 'benchmarks.faults.small_disk', f'--evaluate={logdir}']
            evaluating = subprocess.Popen(own, stdout=evaluations, stderr=subprocess.DEVNULL)
            phases = _change(disk, training, time.monotonic() + secs, phase_secs)
            was_alive = training.poll() is None
            evaluating.terminate()
            evaluating.wait()
            training.send_signal(signal.SIGTERM)
            code = training.wait(300)
        finally:
            for process in filter(None, (training, evaluating)):
                process.kill()
                process.wait()
    with open(log, errors='replace') as file:
        text = file.read()
    with open(results) as file:
        outcomes = [json.loads(line) for line in file]
    wrong = [outcome for outcome in outcomes if not outcome['right']]
    last = _evaluate(logdir)
    return {
        'right': was_alive
        and not wrong
        and 'Traceback' not in text
        and last['right']
        and code in (0, 128 + signal.SIGTERM),
        'phases': phases,
        'exit_code': code,
        'tracebacks': text.count('Traceback'),
        'lines_about_the_disk': sum('cannot be written' in line for line in text.splitlines()),
        'lines_about_recovery': sum(' again in ' in line for line in text.splitlines()),
        'checkpoints_given_up': text.count(': the disk is full'),
        'evaluations': len(outcomes),
        'evaluations_that_could_not_write': sum(o['exit_code'] != 0 for o in outcomes),
        'wrong': wrong[:5],
        'output': '' if was_alive and code in (0, 128 + signal.SIGTERM) else text[-3000:],
    }


def _wait_for_checkpoint(logdir: str, training: Any) -> None:
    while not directory.saved(logdir):
        if training.poll() is not None:
            raise RuntimeError('the training has ended before its first checkpoint')
        time.sleep(0.2)


def _change(disk: str, training: Any, end: float, phase_secs: float) -> List[str]:
    """Changes the state of the file system until the time is over; returns the states."""
    states: List[str] = []
    filler, unwritable = os.path.join(disk, 'filler'), disk + '-unwritable'
    os.mkdir(unwritable)
    _run('mount', '--bind', disk, unwritable)
    _run('mount', '-o', 'remount,bind,ro', unwritable)
    while training.poll() is None and (time.monotonic() < end or len(states) % len(_PHASES)):
        phase = _PHASES[len(states) % len(_PHASES)]
        states.append(phase)
        phase_end = time.monotonic() + phase_secs
        if phase == 'emptied':
            os.remove(filler)
        elif phase == 'read-only':
            # Over the folder as it is, at once: files that are open would hinder it, and those that
            # are opened between two steps.
            _run('mount', '--bind', unwritable, disk)
        elif phase == 'writable':
            _run('umount', disk)
        while time.monotonic() < phase_end and training.poll() is None:
            if phase == 'full':
                status = os.statvfs(disk)
                # The training may take some of it meanwhile.
                with contextlib.suppress(OSError), open(filler, 'ab') as file:
                    file.write(bytes(status.f_bavail * status.f_frsize))
            time.sleep(0.2)
    return states


def _keep_evaluating(logdir: str) -> int:
    while True:
        print(json.dumps(_evaluate(logdir)), flush=True)


def _evaluate(logdir: str) -> Dict[str, Any]:
    """Evaluates the last checkpoint; right if only the result could not be written."""
    command = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={logdir}']
    flags = ['--mode=evaluate', '--num_episodes=1']
    process = subprocess.run(command + flags, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = process.stdout.decode(errors='replace')
    could_not_write = any(reason in text for reason in _UNWRITABLE)
    whole = 'damaged' not in text and 'Traceback' not in text
    is_right = whole and (process.returncode == 0 or could_not_write)
    result = {'right': is_right, 'exit_code': process.returncode}
    return result if is_right else dict(result, output=text[-1000:])


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

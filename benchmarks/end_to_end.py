"""Measures agent steps and environment frames per second of a training, as a user would run it.

The command itself runs for --seconds after its first update, with its summaries, checkpoints and
replay, in a folder that is thrown away; what it writes to TensorBoard about its speed is read. Any
flag of the training is passed on, so that every agent, map and backend can be measured:

    python benchmarks/end_to_end.py --workload=resnet
    python benchmarks/end_to_end.py --map_name=DefeatRoaches --num_envs=64

The last line of the output is JSON.
"""

import argparse
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import tensorflow.compat.v1 as tf
import workload

_EVERY_SECS = 1.0
_STARTING_SECS = 600.0


def main(argv=None):
    """Runs the training and prints its speed.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=30, help='length of the measurement')
    parser.add_argument('--warm_up', type=float, default=5, help='seconds before it')
    arguments, flags = workload.parse(parser, argv)
    result = measure(flags, arguments.seconds, arguments.warm_up)
    print('flags: {}'.format(' '.join(flags)))
    for name in ('agent_steps_per_second', 'frames_per_second'):
        print(f'{name:24}{result[name]:12,.1f}')
    print(json.dumps(result))


def measure(flags, seconds, warm_up):
    """Trains with `flags`, and returns the means over so many seconds after the warm-up."""
    workload.make_config(flags)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={folder}/run']
        command += list(flags) + [f'--progress_secs={_EVERY_SECS}']
        log_path = os.path.join(folder, 'log')
        with open(log_path, 'wb') as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
            try:
                _wait_for_progress(process, log_path)
                time.sleep(warm_up + seconds)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait()
        if process.returncode:
            with open(log_path) as log:
                sys.exit(log.read())
        rates = _rates(os.path.join(folder, 'run'), warm_up)
    return dict({'flags': list(flags), 'seconds': seconds}, **rates)


def _wait_for_progress(process, log_path):
    """Returns when the first line of progress is there, or the process has ended."""
    give_up = time.monotonic() + _STARTING_SECS
    while process.poll() is None and time.monotonic() < give_up:
        with open(log_path, 'rb') as log:
            if b' steps/s' in log.read():
                return
        time.sleep(0.1)


def _rates(logdir, warm_up):
    """Mean rates in the event file, those of the first seconds left out.

    A line of progress tells the mean since the one before, so that each counts by its duration.
    """
    found = []
    for path in glob.glob(os.path.join(logdir, 'events*')):
        for event in tf.train.summary_iterator(path):
            values = {value.tag: value.simple_value for value in event.summary.value}
            if 'agent_steps_per_second' in values:
                found.append((event.wall_time, values))
    start = found[0][0] + warm_up
    kept = [(before, now) for before, now in zip(found, found[1:]) if before[0] >= start]
    total = sum(now[0] - before[0] for before, now in kept)
    return {
        name: sum((now[0] - before[0]) * now[1][name] for before, now in kept) / total
        for name in ('agent_steps_per_second', 'frames_per_second')
    }


if __name__ == '__main__':
    main()

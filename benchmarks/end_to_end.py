"""Measures agent steps and environment frames per second of a training, as a user would run it.

The command itself runs for --seconds after its first update, with its summaries, checkpoints and
replay, in a folder that is thrown away; what it writes to TensorBoard about its speed is read. Any
flag of the training is passed on, so that every agent, map and backend can be measured:

    python benchmarks/end_to_end.py --workload=resnet
    python benchmarks/end_to_end.py --map_name=DefeatRoaches --num_envs=64

With --against_network training takes turns with the network acting alone and with the learner
alone, each in a process of its own. If every step were acted once and learned once and nothing else
took time, they would allow 1 / (1 / acting + 1 / learning) agent steps per second; what training
reaches of it is what environment, queue, replay and sessions leave:

    python benchmarks/end_to_end.py --workload=beacon32 --against_network

The last line of the output is JSON.
"""

import argparse
import glob
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import tensorflow.compat.v1 as tf
import workload

_EVERY_SECS = 1.0
_STARTING_SECS = 600.0

TARGET = 0.85
"""Of what the network allows: all the rest should take no more than what is missing."""


def main(argv=None):
    """Runs the training and prints its speed.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=30, help='length of the measurement')
    parser.add_argument('--warm_up', type=float, default=5, help='seconds before it')
    parser.add_argument(
        '--against_network',
        action='store_true',
        help='compare with what the network alone allows, in turns of --seconds each',
    )
    parser.add_argument('--rounds', type=int, default=3, help='turns, with --against_network')
    arguments, flags = workload.parse(parser, argv)
    print('flags: {}'.format(' '.join(flags)))
    if arguments.against_network:
        result = against_network(flags, arguments)
        _print_comparison(result)
    else:
        result = measure(flags, arguments.seconds, arguments.warm_up)
        for name in ('agent_steps_per_second', 'frames_per_second'):
            print(f'{name:24}{result[name]:12,.1f}')
    print(json.dumps(result))


def against_network(flags, arguments):
    """Trains, acts and learns in turn; returns all rates and what training reaches."""
    seconds = [f'--seconds={arguments.seconds}']
    rounds = []
    for _ in range(arguments.rounds):
        training = measure(flags, arguments.seconds, arguments.warm_up)
        acting = workload.in_process_of_its_own(
            'actor.py', ['--only_network'] + seconds + list(flags)
        )
        learning = workload.in_process_of_its_own(
            'learner.py', ['--only_rate'] + seconds + list(flags)
        )
        rounds.append(
            {
                'training': training['agent_steps_per_second'],
                'acting': acting['steps_per_second']['network'],
                'learning': learning['steps_per_second'],
            }
        )
    return dict({'flags': list(flags), 'seconds': arguments.seconds}, **comparison(rounds))


def comparison(rounds):
    """From the rates of every round: their medians, what the network allows, what is reached."""
    steps = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    allowed = workload.allowed_by_network(steps['acting'], steps['learning'])
    return {
        'rounds': rounds,
        'steps_per_second': steps,
        'allowed_by_network': allowed,
        'share': steps['training'] / allowed,
        'shares': [
            each['training'] / workload.allowed_by_network(each['acting'], each['learning'])
            for each in rounds
        ],
        'target': TARGET,
    }


def _print_comparison(result):
    for name, rate in result['steps_per_second'].items():
        print(f'{name:24}{rate:12,.1f} agent steps/s')
    print('{:24}{:12,.1f}'.format('the network allows', result['allowed_by_network']))
    print(
        'training reaches {:.1%} of it (target {:.0%}); by round: {}'.format(
            result['share'],
            result['target'],
            ', '.join(f'{share:.1%}' for share in result['shares']),
        )
    )


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
    start = found[0][0] + warm_up if found else 0.0
    kept = [(before, now) for before, now in zip(found, found[1:]) if before[0] >= start]
    if not kept:
        sys.exit(f'{len(found)} updates or fewer within the time, expected more: raise --seconds.')
    total = sum(now[0] - before[0] for before, now in kept)
    return {
        name: sum((now[0] - before[0]) * now[1][name] for before, now in kept) / total
        for name in ('agent_steps_per_second', 'frames_per_second')
    }


if __name__ == '__main__':
    main()

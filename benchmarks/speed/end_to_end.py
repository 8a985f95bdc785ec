"""Measures agent steps and environment frames per second of a training.

The training command runs in a temporary folder, with summaries, checkpoints and replay, for
--seconds after its first update. Its speed is read from its TensorBoard events. All flags of the
training can be given, so that every agent, map and backend can be measured:

    python -m benchmarks.speed.end_to_end --workload=resnet
    python -m benchmarks.speed.end_to_end --map_name=DefeatRoaches --num_envs=64

With --against_network the training is measured alternately with the network acting alone and the
learner alone, each in a process of its own. If every step were acted once and learned once, and
nothing else took time, training would reach 1 / (1 / acting + 1 / learning) agent steps per second,
the bound by the network. The share of it that training reaches shows the cost of environment,
queue, replay and sessions:

    python -m benchmarks.speed.end_to_end --workload=beacon32 --against_network

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
from typing import Any, Dict, List, Mapping, Optional, Sequence

import tensorflow.compat.v1 as tf

import benchmarks
from benchmarks import subprocesses, workload

PROGRESS_SECS = 1.0
_START_TIMEOUT_SECS = 600.0

TARGET = 0.85
"""Share of the bound by the network that training should reach at least."""


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Runs the training, and prints its speed and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=30, help='length of the measurement')
    parser.add_argument('--warm_up', type=float, default=5, help='seconds before it')
    parser.add_argument(
        '--against_network',
        action='store_true',
        help='compare with the bound by the network, alternately for --seconds each',
    )
    parser.add_argument('--rounds', type=int, default=3, help='of --against_network')
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


def against_network(flags: Sequence[str], arguments: argparse.Namespace) -> Dict[str, Any]:
    """Measures training, acting and learning alternately.

    Args:
      flags: of the training.
      arguments: `seconds`, `warm_up` and `rounds`.

    Returns:
      The entries of `comparison`, the flags and the seconds.
    """
    seconds = [f'--seconds={arguments.seconds}']
    rounds = []
    for _ in range(arguments.rounds):
        training = measure(flags, arguments.seconds, arguments.warm_up)
        acting = subprocesses.run_benchmark(
            'benchmarks.speed.actor', ['--only_network'] + seconds + list(flags)
        )
        learning = subprocesses.run_benchmark(
            'benchmarks.speed.learner', ['--only_rate'] + seconds + list(flags)
        )
        rounds.append(
            {
                'training': training['agent_steps_per_second'],
                'acting': acting['steps_per_second']['network'],
                'learning': learning['steps_per_second'],
            }
        )
    return dict({'flags': list(flags), 'seconds': arguments.seconds}, **comparison(rounds))


def comparison(rounds: Sequence[Dict[str, float]]) -> Dict[str, Any]:
    """Compares training with the bound by the network.

    Args:
      rounds: agent steps per second of 'training', 'acting' and 'learning' in each round.

    Returns:
      The medians over the rounds, the bound, and the shares of it that training reaches.
    """
    steps = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    bound = workload.network_bound(steps['acting'], steps['learning'])
    return {
        'rounds': rounds,
        'steps_per_second': steps,
        'allowed_by_network': bound,
        'share': steps['training'] / bound,
        'shares': [
            each['training'] / workload.network_bound(each['acting'], each['learning'])
            for each in rounds
        ],
        'target': TARGET,
    }


def _print_comparison(result: Dict[str, Any]) -> None:
    for name, rate in result['steps_per_second'].items():
        print(f'{name:24}{rate:12,.1f} agent steps/s')
    print('{:24}{:12,.1f}'.format('bound by the network', result['allowed_by_network']))
    print(
        'training reaches {:.1%} of the bound (target {:.0%}); by round: {}'.format(
            result['share'],
            result['target'],
            ', '.join(f'{share:.1%}' for share in result['shares']),
        )
    )


def measure(
    flags: Sequence[str],
    seconds: float,
    warm_up: float,
    sources: Optional[str] = None,
    variables: Optional[Mapping[str, str]] = None,
) -> Dict[str, Any]:
    """Trains in a separate process and measures its speed.

    Args:
      flags: of the training.
      seconds: length of the measurement.
      warm_up: seconds between the first update and the measurement.
      sources: folder with the package, if not this one.
      variables: of its environment, besides those of the user.

    Returns:
      'agent_steps_per_second' and 'frames_per_second', means over the measurement; 'flags' and
      'seconds'.

    Raises:
      SystemExit: if the training fails, or there are too few updates.
    """
    workload.make_settings(flags)
    environment = dict(benchmarks.USER_ENVIRONMENT, **(variables or {}))
    if sources is not None:
        environment['PYTHONPATH'] = sources
    with tempfile.TemporaryDirectory() as folder:
        logdir, log_path = os.path.join(folder, 'run'), os.path.join(folder, 'log')
        command = subprocesses.training_command(logdir, ['--from_scratch', *flags], PROGRESS_SECS)
        with open(log_path, 'wb') as log:
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=sources,
                env=environment,
            )
            try:
                wait_for_progress(process, log_path)
                time.sleep(warm_up + seconds)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait()
        if process.returncode not in subprocesses.STOPPED:
            with open(log_path) as output:
                sys.exit(output.read())
        found = rates(logdir, warm_up)
    return dict({'flags': list(flags), 'seconds': seconds}, **found)


def wait_for_progress(process: 'subprocess.Popen[bytes]', log_path: str) -> None:
    """Waits for the first line of progress, or for the end of the process."""
    give_up = time.monotonic() + _START_TIMEOUT_SECS
    while process.poll() is None and time.monotonic() < give_up:
        with open(log_path, 'rb') as log:
            if b' steps/s' in log.read():
                return
        time.sleep(0.1)


def rates(logdir: str, warm_up: float) -> Dict[str, float]:
    """Returns mean rates from the event file, without the first `warm_up` seconds.

    Each event has the mean rate since the previous one, so it is weighted by that duration.
    """
    found = []
    for path in glob.glob(os.path.join(logdir, 'events*')):
        for event in tf.train.summary_iterator(path):
            values = {value.tag: value.simple_value for value in event.summary.value}
            if 'agent_steps_per_second' in values:
                found.append((event.wall_time, values))
    start = found[0][0] + warm_up if found else 0.0
    kept: List[Any] = [(before, now) for before, now in zip(found, found[1:]) if before[0] >= start]
    if not kept:
        sys.exit(f'{len(found)} updates or fewer within the time, expected more: raise --seconds.')
    total = sum(now[0] - before[0] for before, now in kept)
    return {
        name: sum((now[0] - before[0]) * now[1][name] for before, now in kept) / total
        for name in ('agent_steps_per_second', 'frames_per_second')
    }


if __name__ == '__main__':
    main()

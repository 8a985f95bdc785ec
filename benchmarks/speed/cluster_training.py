"""Measures trainings of a learner and actors in processes of their own against one process.

Rows, measured in turns, each in processes of its own for --seconds after its first update:

* one: all games in one process, as many as in the other rows.
* cluster: a learner and --actors actor processes of one thread on this machine.
* network: the same, each in a network namespace of its own, joined by a bridge.
* slow: the same with a delay and a limit of bits per second for what each of them sends.

A row may have flags of its own. Where the system has no network namespaces, or cannot slow them
down (netem), connections go through relays in threads of this process; the JSON says so.

    python -m benchmarks.speed.cluster_training --workload=beacon16 --num_envs=16
    python -m benchmarks.speed.cluster_training --workload=beacon16 --num_envs=16 \
        --rows='network; slow; slow --weights_secs=2; slow --sequence_compression=zstd'

The last line of the output is JSON.
"""

import argparse
import contextlib
import glob
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from benchmarks import networks, subprocesses, workload
from benchmarks.speed import end_to_end

_PROGRESS_SECS = 1.0
_TAGS = (
    'policy_lag/updates',
    'cluster/bytes_in_per_second',
    'cluster/bytes_out_per_second',
    'cluster/learner_wait_per_second',
    'cluster/actor_wait_per_second',
)


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument('--rows', default='one; cluster', help='separated by semicolons')
    parser.add_argument('--actors', type=int, default=3, help='actor processes')
    parser.add_argument('--rounds', type=int, default=3, help='in which all rows are measured')
    parser.add_argument('--seconds', type=float, default=30, help='of each measurement')
    parser.add_argument('--warm_up', type=float, default=5, help='seconds before it')
    parser.add_argument('--delay_ms', type=float, default=5, help='of what each machine sends')
    parser.add_argument('--mbits', type=float, default=100, help='per second, of each machine')
    arguments, flags = workload.parse(parser, argv)
    workload.make_settings(flags)
    rows = [tuple(row.split()) for row in arguments.rows.split(';')]
    found: Dict[Tuple[str, ...], List[Dict[str, float]]] = {row: [] for row in rows}
    for _ in range(arguments.rounds):
        for row in rows:
            found[row].append(measure(row, flags, arguments))
            print(f'{" ".join(row)}: {found[row][-1]["agent_steps_per_second"]:,.1f} steps/s')
    result = {'flags': flags, 'actors': arguments.actors, 'rows': summary(found)}
    result['missing'] = networks.missing_for_shapes()
    for row in result['rows']:
        print(f'{row["row"]:50}{row["steps_per_second"]:12,.1f} steps/s{row["ratio"]:8.1%}')
    print(json.dumps(result))


def summary(found: Dict[Tuple[str, ...], List[Dict[str, float]]]) -> List[Dict[str, Any]]:
    """Medians over the rounds, and ratios to the first row of the same round.

    Args:
      found: what `measure` has returned in each round, by row.
    """
    first = [rates['agent_steps_per_second'] for rates in next(iter(found.values()))]
    rows = []
    for row, rounds in found.items():
        ratios = [r['agent_steps_per_second'] / f for r, f in zip(rounds, first)]
        names = set.intersection(*[set(rates) for rates in rounds])
        medians = {name: statistics.median(r[name] for r in rounds) for name in sorted(names)}
        steps = medians.pop('agent_steps_per_second')
        about = {'row': ' '.join(row), 'steps_per_second': steps}
        rows.append(dict(about, ratio=statistics.median(ratios), ratios=ratios, means=medians))
    return rows


def measure(
    row: Sequence[str], flags: Sequence[str], arguments: argparse.Namespace
) -> Dict[str, float]:
    """Trains for a time.

    Args:
      row: its name and its own flags.
      flags: of all trainings.
      arguments: of the command line.

    Returns:
      'agent_steps_per_second', 'frames_per_second', and means of summaries of the cluster.

    Raises:
      SystemExit: if the row is unknown, or the training fails.
    """
    kind, own = row[0], ['--from_scratch', *flags, *row[1:]]
    if kind not in ('one', 'cluster', 'network', 'slow'):
        sys.exit(f'the row {kind} is unknown, expected one, cluster, network or slow.')
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        logdir, log = os.path.join(folder, 'run'), os.path.join(folder, 'log')
        start = {'one': _start_one, 'cluster': _start_cluster}.get(kind, _start_in_network)
        process = start(logdir, log, own, arguments, kind, stack)
        try:
            end_to_end.wait_for_progress(process, log)
            time.sleep(arguments.warm_up + arguments.seconds)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
        if process.returncode not in subprocesses.STOPPED:
            with open(log) as output:
                sys.exit(output.read())
        rates = end_to_end.rates(logdir, arguments.warm_up)
        return dict(rates, **_means(logdir))


def _start_one(
    logdir: str,
    log: str,
    flags: Sequence[str],
    arguments: argparse.Namespace,
    kind: str,
    stack: contextlib.ExitStack,
) -> 'subprocess.Popen[bytes]':
    more = [*flags, f'--num_actors={arguments.actors}']
    return _run(subprocesses.training_command(logdir, more, _PROGRESS_SECS), log)


def _start_cluster(
    logdir: str,
    log: str,
    flags: Sequence[str],
    arguments: argparse.Namespace,
    kind: str,
    stack: contextlib.ExitStack,
) -> 'subprocess.Popen[bytes]':
    command = subprocesses.training_command(logdir, [*flags, '--num_actors=1'], _PROGRESS_SECS)
    command[2:3] = ['sc2impala.cluster_actors.launch', str(arguments.actors)]
    return _run(command, log)


def _start_in_network(
    logdir: str,
    log: str,
    flags: Sequence[str],
    arguments: argparse.Namespace,
    kind: str,
    stack: contextlib.ExitStack,
) -> 'subprocess.Popen[bytes]':
    shape, lack = None, networks.missing()
    if kind == 'slow':
        shape = networks.Shape(arguments.delay_ms / 1000, 1e6 * arguments.mbits)
        lack = networks.missing_for_shapes()
    make: Any = networks.Relays if lack else networks.Namespaces
    machines = make(1 + arguments.actors, stack, shape)
    own = [*flags, '--num_actors=1', '--job_name=learner']
    command = subprocesses.training_command(logdir, own, _PROGRESS_SECS)
    port = _free_port()
    address = f'--learner_address={machines.address(0, port)}'
    learner = _run([*machines.command(0), *command, address], log)
    for index in range(1, 1 + arguments.actors):
        address = f'--learner_address={machines.address(index, port)}'
        actor = [sys.executable, '-m', 'sc2impala.experiment', '--job_name=actor', address]
        process = _run([*machines.command(index), *actor, '--num_actors=1'], f'{log}-{index}')
        stack.callback(process.wait)
        stack.callback(process.kill)
    return learner


def _run(command: Sequence[str], log: str) -> 'subprocess.Popen[bytes]':
    with open(log, 'wb') as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(('', 0))
        return found.getsockname()[1]


def _means(logdir: str) -> Dict[str, float]:
    """Mean summaries of the second half of a run."""
    found: Dict[str, List[float]] = {tag: [] for tag in _TAGS}
    for path in glob.glob(os.path.join(logdir, 'events*')):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                if value.tag in found:
                    found[value.tag].append(value.simple_value)
    return {tag: statistics.mean(v[len(v) // 2 :]) for tag, v in found.items() if v}


if __name__ == '__main__':
    main()

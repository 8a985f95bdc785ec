"""Compares central with local inference: agent steps per second of a learner and its actors.

For each agent and number of actors both are measured in turns, each as a whole cluster on this
machine: the learner trains, every actor is a process of its own with --num_actors threads of
--num_envs games. All flags of a training can be given; they are those of the learner.

    python -m benchmarks.speed.central_inference --num_actors=1
    python -m benchmarks.speed.central_inference --agents=fully_conv_lstm --actors=2,4 --seconds=60

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional, Sequence

from benchmarks import subprocesses, workload
from benchmarks.speed import end_to_end

INFERENCES = ('local', 'central')

_END_SECS = 60.0


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=30, help='of each measurement')
    parser.add_argument('--warm_up', type=float, default=5, help='seconds before it')
    parser.add_argument('--rounds', type=int, default=3, help='measurements of each kind')
    parser.add_argument('--agents', default='fully_conv_lstm,impala_resnet')
    parser.add_argument('--actors', default='1,2,4,8', help='how many processes, with commas')
    arguments, flags = workload.parse(parser, argv)
    rows = []
    for agent in arguments.agents.split(','):
        for count in map(int, arguments.actors.split(',')):
            rows.append(compare(agent, count, flags, arguments))
            _print_row(rows[-1])
    print(json.dumps({'flags': flags, 'seconds': arguments.seconds, 'rows': rows}))


def compare(
    agent: str, count: int, flags: Sequence[str], arguments: argparse.Namespace
) -> Dict[str, Any]:
    """Measures both kinds of inference in turns.

    Args:
      agent: its name.
      count: number of actor processes.
      flags: of the training.
      arguments: `seconds`, `warm_up` and `rounds`.

    Returns:
      Agent and number of actors; for each kind of inference the median of the agent steps per
      second, and those of all rounds; and their quotient, central over local.
    """
    rounds: Dict[str, List[float]] = {name: [] for name in INFERENCES}
    for _ in range(arguments.rounds):
        for name in INFERENCES:
            chosen = [*flags, f'--agent={agent}', f'--inference={name}']
            rounds[name].append(measure(chosen, count, arguments.seconds, arguments.warm_up))
    row: Dict[str, Any] = {name: statistics.median(rounds[name]) for name in INFERENCES}
    quotient = row['central'] / row['local']
    return dict({'agent': agent, 'actors': count, 'quotient': quotient, 'rounds': rounds}, **row)


def measure(flags: Sequence[str], count: int, seconds: float, warm_up: float) -> float:
    """Agent steps per second of a learner with so many actors.

    Args:
      flags: of the learner.
      count: number of actor processes.
      seconds: length of the measurement.
      warm_up: seconds between the first update and the measurement.

    Raises:
      SystemExit: if the learner fails, or there are too few updates.
    """
    with socket.socket() as found:
        found.bind(('localhost', 0))
        address = f'--learner_address=localhost:{found.getsockname()[1]}'
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        logdir, log_path = os.path.join(folder, 'run'), os.path.join(folder, 'log')
        own = ['--job_name=learner', address, '--from_scratch', *flags]
        learner = _start(
            subprocesses.training_command(logdir, own, end_to_end.PROGRESS_SECS), log_path, stack
        )
        actor = [sys.executable, '-m', 'sc2impala.experiment', '--job_name=actor', address]
        for index in range(count):
            _start(actor, os.path.join(folder, f'log-{index}'), stack)
        end_to_end.wait_for_progress(learner, log_path)
        time.sleep(warm_up + seconds)
        learner.terminate()
        if learner.wait(_END_SECS):
            with open(log_path) as output:
                sys.exit(output.read())
        return end_to_end.rates(logdir, warm_up)['agent_steps_per_second']


def _start(
    command: Sequence[str], log_path: str, stack: contextlib.ExitStack
) -> 'subprocess.Popen[bytes]':
    """Starts a process, which is killed when the stack is closed."""
    with open(log_path, 'wb') as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _print_row(row: Dict[str, Any]) -> None:
    print(
        '{agent:18}{actors:3} actors{local:12,.1f} local{central:12,.1f} central agent steps/s, '
        'quotient {quotient:.2f}'.format(**row),
        flush=True,
    )


if __name__ == '__main__':
    main()

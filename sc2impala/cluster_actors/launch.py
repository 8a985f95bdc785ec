"""Starts a learner and actors on this machine, and ends them together.

    python -m sc2impala.cluster_actors.launch 4 --logdir=runs/beacon

The first argument is the number of actors. The flags are the learner's; the actors read them
from it, but both get --num_actors and --num_envs. The processes write to
<logdir>/learner.log and <logdir>/actor-<n>.log, and the learner's output is also shown. An actor
that dies is restarted. All of them end with the learner, and, on Linux, with this process,
even if it is killed.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from typing import Dict, List, Optional, Sequence, TextIO

from sc2impala.runtime import child_processes, console

_RESTART_SECS = 5.0
_GRACE_SECS = 60.0
_ACTOR_GRACE_SECS = 10.0
_COMMAND = [sys.executable, '-m', 'sc2impala.experiment']


def main(arguments: Sequence[str]) -> int:
    """Runs the cluster until the learner has ended.

    Args:
      arguments: number of actors, then flags.

    Returns:
      The exit code of the learner.
    """
    if not arguments or not arguments[0].isdecimal() or not int(arguments[0]):
        sys.stderr.write(f'{__doc__}\nerror: expected the number of actors as first argument\n')
        return 1
    flags = list(arguments[1:])
    logdir = os.path.expanduser(_value(flags, 'logdir') or 'runs/cluster')
    os.makedirs(logdir, exist_ok=True)
    address = f'127.0.0.1:{_free_port()}'
    with child_processes.stop_requests() as stop, contextlib.ExitStack() as stack:
        cluster = _Cluster(logdir, address, flags, stack)
        return cluster.run(int(arguments[0]), stop)


class _Cluster:
    """The processes."""

    def __init__(
        self, logdir: str, address: str, flags: Sequence[str], stack: contextlib.ExitStack
    ):
        self._logdir = logdir
        self._address = address
        self._flags = list(flags)
        self._stack = stack
        self._actors: Dict[int, subprocess.Popen] = {}
        self._restart_times: Dict[int, float] = {}

    def run(self, num_actors: int, stop: List[int]) -> int:
        """Starts all, waits for the learner, ends all; returns the exit code of the learner."""
        flags = [f'--logdir={self._logdir}', *self._flags]
        learner = self._start('learner', ['--job_name=learner', *flags])
        self._stack.callback(child_processes.end, [learner], 0.0)
        for index in range(num_actors):
            self._start_actor(index)
        print(
            f'{console.count_text(num_actors, "actor")} and a learner at {self._address}, process '
            f'{learner.pid}; their output is in {self._logdir}/*.log',
            flush=True,
        )
        with open(os.path.join(self._logdir, 'learner.log')) as log:
            while learner.poll() is None and not stop:
                _show(log)
                self._look_after_actors()
                time.sleep(child_processes.POLL_SECS)
            if stop:
                learner.terminate()
                child_processes.wait([learner], _GRACE_SECS, lambda: len(stop) > 1)
            _show(log)
        child_processes.end([learner], 0.0)
        child_processes.end(list(self._actors.values()), _ACTOR_GRACE_SECS)
        return learner.returncode

    def _start(self, name: str, flags: Sequence[str]) -> subprocess.Popen:
        path = os.path.join(self._logdir, name + '.log')
        command = [*_COMMAND, f'--learner_address={self._address}', *flags]
        with open(path, 'w' if name == 'learner' else 'a') as log:
            return child_processes.start(command, log)

    def _start_actor(self, index: int) -> None:
        own = [
            f'--{name}={_value(self._flags, name)}'
            for name in ('num_actors', 'num_envs')
            if _value(self._flags, name)
        ]
        self._actors[index] = self._start(
            f'actor-{index}', ['--job_name=actor', f'--task={index}', *own]
        )
        if len(self._restart_times) == 0:
            self._stack.callback(lambda: child_processes.end(list(self._actors.values()), 0.0))
        self._restart_times[index] = time.monotonic() + _RESTART_SECS

    def _look_after_actors(self) -> None:
        """Restarts killed actors; an actor that has reported an error is not restarted."""
        for index, process in list(self._actors.items()):
            code = process.poll()
            if code is None or code == 0 or time.monotonic() < self._restart_times[index]:
                continue
            if code > 0:
                print(f'actor {index} has ended with an error, see its log', flush=True)
                self._restart_times[index] = float('inf')
                continue
            print(f'actor {index} was killed by signal {-code}: restarting it', flush=True)
            self._start_actor(index)


def _show(log: TextIO) -> None:
    sys.stdout.write(log.read())
    sys.stdout.flush()


def _value(flags: Sequence[str], name: str) -> Optional[str]:
    """The value of the last flag of a name."""
    found = None
    for flag in flags:
        key, equals, value = flag.partition('=')
        if equals and key.lstrip('-') == name:
            found = value
    return found


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return found.getsockname()[1]


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

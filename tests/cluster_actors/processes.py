"""Learners and actors in separate processes, and their output."""

import functools
import itertools
import json
import os
import re
import socket
import time

import sc2impala
from benchmarks import networks
from tests.runtime import tiny

DEADLINE_SECS = 300
"""Much longer than anything takes here: a test that waits for so long has failed."""

PARTS = ('trained', 'discarded', 'aborted', 'queued', 'unsent', 'lost')
"""What becomes of the frames that were played."""


class Cluster:
    """Starts processes that use one port, and ends them all."""

    def __init__(self, processes, folder, stack, network=None):
        """Args:
        processes: see `conftest.py`.
        folder: for the run, and what the processes print.
        stack: ends them.
        network: `networks.Namespaces` or `networks.Relays`; None for this machine.
        """
        self.port = free_port()
        self.logdir = folder / 'logs'
        self._processes = processes
        self._folder = folder
        self._stack = stack
        self._network = network or networks.Relays(0, stack)
        self._numbers = itertools.count()

    def learner(self, *flags, environment=None):
        """Starts a learner on machine 0."""
        return self._start(0, [*tiny.FLAGS, f'--logdir={self.logdir}', *flags], environment)

    def actor(self, *flags, machine=0, environment=None, version=sc2impala.__version__):
        """Starts an actor."""
        return self._start(machine, list(flags), environment, version)

    def tf_config(self, job):
        """The environment in which a cluster manager starts a process."""
        cluster = {'learner': [self._network.address(0, self.port)], 'actor': ['unknown']}
        return {'TF_CONFIG': json.dumps({'cluster': cluster, 'task': {'type': job, 'index': 4}})}

    def _start(self, machine, flags, environment, version=sc2impala.__version__):
        output = str(self._folder / f'output-{next(self._numbers)}')
        if environment is None:
            job = 'learner' if any(flag.startswith('--logdir=') for flag in flags) else 'actor'
            address = self._network.address(machine, self.port)
            flags = [f'--job_name={job}', f'--learner_address={address}', *flags]
        enter = self._network.enter(machine)
        prepare = functools.partial(_prepare, enter, environment or {}, version)
        process = self._processes.Process(target=tiny.play, args=(flags, output, prepare))
        process.start()
        self._stack.callback(process.join)
        self._stack.callback(process.kill)
        return Process(process, output)


def _prepare(enter, environment, version):
    enter()
    os.environ.update(environment)
    sc2impala.__version__ = version


class Process:
    """A process and its output."""

    def __init__(self, process, output):
        self.process = process
        self._output = output

    def text(self):
        if not os.path.exists(self._output):
            return ''
        with open(self._output) as file:
            return file.read()

    def wait_for(self, pattern, count=1):
        """Waits until a pattern was printed `count` times; returns the matches."""
        end = time.monotonic() + DEADLINE_SECS
        while True:
            is_alive = self.process.is_alive()
            found = re.findall(pattern, self.text(), re.MULTILINE)
            if len(found) >= count:
                return found
            assert is_alive and time.monotonic() < end, (pattern, self.text())
            time.sleep(0.05)

    def wait_for_updates(self, count):
        """Waits for `count` more updates of a learner."""
        before = len(re.findall('^training: ', self.text(), re.MULTILINE))
        self.wait_for('^training: ', before + count)

    def send(self, number):
        """Sends a signal."""
        os.kill(self.process.pid, number)

    def end(self, number=None):
        """Sends a signal, if there is a number, and waits for the end; returns the exit code."""
        if number is not None:
            self.send(number)
        self.process.join(DEADLINE_SECS)
        return self.process.exitcode


def free_port():
    """A port that nothing uses."""
    with socket.socket() as found:
        found.bind(('localhost', 0))
        return found.getsockname()[1]


def learner_account(learner):
    """The amounts that a learner prints at its end."""
    (line,) = learner.wait_for(r'^environment frames of all actors: (.*)$')
    return {name: int(n.replace(',', '')) for n, name in re.findall(r'(\d[\d,]*) (\w+)', line)}


def actor_account(actor):
    """The amounts that an actor prints at the end of a run."""
    return json.loads(actor.wait_for(r'^environment frames for this run: (.*)$')[-1])


def is_balanced(amounts):
    """Whether everything that was played is accounted for."""
    return amounts['played'] == sum(amounts[name] for name in PARTS)


def total(updates):
    """The flag for a number of updates without replay."""
    return f'--total_environment_frames={updates * tiny.FRAMES_PER_UPDATE}'


def restored_frames(learner):
    """The frames of the checkpoint from which a learner has resumed."""
    (frames,) = learner.wait_for(r'resumed from .*checkpoints/(\d+)')
    return int(frames)

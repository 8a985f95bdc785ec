"""The command in a process of its own: nothing outlives it."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from sc2impala.population import jobs
from tests.cluster_actors.launch_test import DEADLINE_SECS, needs_proc, wait_until_gone
from tests.house import sources
from tests.population.command_test import FLAGS

FAKE = """
import os, sys, time
with open({pids!r}, 'a') as file:
    file.write('%d\\n' % os.getpid())
time.sleep(1000)
"""

COMMAND = """
import sys
from sc2impala.population import __main__, members
members.COMMAND = (sys.executable, '-c', {fake!r})
sys.exit(__main__.main(sys.argv[1:]))
"""


def read_pids(path, count):
    end = time.monotonic() + DEADLINE_SECS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            lines = path.read_text().split()
            if len(lines) >= count:
                return [int(line) for line in lines]
        time.sleep(0.05)
    raise AssertionError('too few processes')


@pytest.mark.long
@needs_proc
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_it(tmp_path, number):
    pids = tmp_path / 'pids'
    code = COMMAND.format(fake=FAKE.format(pids=str(pids)))
    process = subprocess.Popen(
        [sys.executable, '-c', code, *FLAGS, f'--logdir={tmp_path}', '--parallel=3'],
        stdout=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=sources.ROOT),
        universal_newlines=True,
    )
    started = read_pids(pids, 3)
    os.kill(process.pid, number)
    out, _ = process.communicate()
    wait_until_gone(started)
    assert process.returncode == (143 if number == signal.SIGTERM else -9)
    assert ('stopped: the same command' in out) == (number == signal.SIGTERM)


def test_so_many_at_a_time():
    class Process:
        pid = 2**30

        def __init__(self):
            self.code = None

        def poll(self):
            return self.code

        def wait(self):
            return self.code

    processes = []

    def start(flags, log):
        processes.append(Process())
        return processes[-1]

    with jobs.Jobs(2, start) as running:
        running.start(4, [], '')
        assert running.has_room()
        running.start(1, [], '')
        assert not running.has_room() and running.members == [1, 4]
        assert running.ended() == {}
        processes[0].code = -9
        assert running.ended() == {4: -9}
        assert running.has_room() and running.members == [1]
        assert running.ended() == {}

"""The launcher: what it starts, and that nothing outlives it."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from sc2impala.cluster_actors import launch
from tests.house import sources

FAKE = """
import os, sys, time
name = [a.split('=')[1] for a in sys.argv if a.startswith('--task=')] or ['learner']
with open(os.path.join({folder!r}, 'pids'), 'a') as file:
    file.write('%s %d\\n' % (name[0], os.getpid()))
print(' '.join(sys.argv[1:]), flush=True)
time.sleep({secs} if name == ['learner'] else 1000)
sys.exit(3)
"""
"""What is started in the place of learner and actors."""

LAUNCHER = """
import sys
from sc2impala.cluster_actors import launch
launch._COMMAND = [sys.executable, '-c', {fake!r}]
launch._RESTART_SECS = 0.1
sys.exit(launch.main(sys.argv[1:]))
"""

DEADLINE_SECS = 120


class Launcher:
    """A launcher in a process of its own, with fakes that sleep."""

    def __init__(self, folder, secs=1000):
        self.folder = folder
        code = LAUNCHER.format(fake=FAKE.format(folder=str(folder), secs=secs))
        flags = ['2', f'--logdir={folder}', '--num_envs=4', '--seed=3']
        environment = dict(os.environ, PYTHONPATH=sources.ROOT)
        self.process = subprocess.Popen(
            [sys.executable, '-c', code, *flags],
            stdout=subprocess.PIPE,
            env=environment,
            universal_newlines=True,
        )

    def pids(self, count):
        """(name, process) of all that were started, once there are so many."""
        end = time.monotonic() + DEADLINE_SECS
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                lines = (self.folder / 'pids').read_text().splitlines()
                if len(lines) >= count:
                    return [(line.split()[0], int(line.split()[1])) for line in lines]
            time.sleep(0.05)
        raise AssertionError('too few processes')


def wait_until_gone(pids):
    end = time.monotonic() + DEADLINE_SECS
    while any(is_running(pid) for pid in pids):
        assert time.monotonic() < end, 'an orphan is left'
        time.sleep(0.05)


def is_running(pid):
    """Whether a process exists and is no zombie."""
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


needs_proc = pytest.mark.skipif(sys.platform != 'linux', reason='looks into /proc')


@needs_proc
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_it(tmp_path, number):
    launcher = Launcher(tmp_path)
    pids = [pid for _, pid in launcher.pids(3)]
    os.kill(launcher.process.pid, number)
    launcher.process.communicate()
    wait_until_gone(pids)


@needs_proc
def test_all_end_with_the_learner(tmp_path):
    launcher = Launcher(tmp_path, secs=1)
    output, _ = launcher.process.communicate()
    assert launcher.process.returncode == 3
    wait_until_gone([pid for _, pid in launcher.pids(3)])
    assert '--job_name=learner' in output and f'--logdir={tmp_path}' in output


@needs_proc
def test_an_actor_that_is_killed_is_started_again(tmp_path):
    launcher = Launcher(tmp_path)
    victim = dict(launcher.pids(3))['1']
    os.kill(victim, signal.SIGKILL)
    names = [name for name, _ in launcher.pids(4)]
    assert sorted(names) == ['0', '1', '1', 'learner']
    launcher.process.terminate()
    launcher.process.communicate()
    wait_until_gone([pid for _, pid in launcher.pids(4)])


@needs_proc
def test_actors_get_the_flags_that_are_their_own(tmp_path):
    launcher = Launcher(tmp_path)
    launcher.pids(3)
    launcher.process.terminate()
    launcher.process.communicate()
    actor = (tmp_path / 'actor-1.log').read_text().split()
    assert actor[1:] == ['--job_name=actor', '--task=1', '--num_envs=4']
    learner = (tmp_path / 'learner.log').read_text().split()
    assert '--seed=3' in learner and '--num_envs=4' in learner
    assert learner[0] == actor[0] and learner[0].startswith('--learner_address=127.0.0.1:')


@pytest.mark.parametrize('arguments', [[], ['--logdir=x'], ['0'], ['-1']])
def test_wrong_arguments(arguments, capsys):
    assert launch.main(arguments) == 1
    assert 'expected the number of actors' in capsys.readouterr().err


@pytest.mark.parametrize(
    'flags, expected',
    [
        (['--num_envs=3'], '3'),
        (['-num_envs=3', '--num_envs=4'], '4'),
        (['--num_envs'], None),
        (['--other=num_envs=3'], None),
    ],
)
def test_values_of_flags(flags, expected):
    assert launch._value(flags, 'num_envs') == expected

"""Nothing outside of the backend of StarCraft II needs what Python lacks on Windows."""

import ast
import os
import shutil
import signal
import subprocess

import pytest

from sc2impala.runtime import child_processes, disk, plain_paths, stop_request
from sc2impala.runtime.trained_frames import TrainedFrames
from tests.house import sources

_OS = """
    O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC ST_RDONLY WNOHANG chown chroot
    fchdir fchmod fchown fdatasync fork forkpty fstatvfs get_blocking getegid geteuid getgid
    getgroups getloadavg getpgid getpgrp getpriority getsid getuid getxattr killpg lchown lockf
    memfd_create mkfifo mknod nice openpty pathconf pidfd_open pipe2 posix_fadvise
    posix_fallocate posix_spawn pread preadv pwrite pwritev readv register_at_fork
    sched_getaffinity sched_setaffinity sendfile set_blocking setgid setpgid setsid setuid
    statvfs sync sysconf sysconf_names uname wait wait3 wait4 waitid writev
"""
_SIGNAL = """
    SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 alarm
    getitimer pause pthread_kill pthread_sigmask setitimer sigpending sigtimedwait sigwait
"""
MISSING = {
    'os': _OS.split(),
    'signal': _SIGNAL.split(),
    'socket': ['AF_UNIX', 'SO_REUSEPORT'],
}
"""Names by module. `set_blocking` came to Windows with Python 3.12."""

MODULES = {'fcntl', 'grp', 'pty', 'pwd', 'resource', 'syslog', 'termios', 'tty'}

GUARDED = {
    'runtime/child_processes.py': {'os.killpg'},
    'runtime/disk.py': {'os.ST_RDONLY', 'os.statvfs'},
    'runtime/logdir.py': {'fcntl'},
    'runtime/memory.py': {'os.sysconf', 'os.sysconf_names'},
    'sim/file_lock.py': {'fcntl'},
}
"""Names that a module uses only where they exist."""


def names_missing_on_windows(source):
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in MISSING.get(node.value.id, ()):
                found.add(f'{node.value.id}.{node.attr}')
        elif isinstance(node, ast.Import):
            found.update(MODULES.intersection(alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module in MISSING:
            names = {alias.name for alias in node.names}.intersection(MISSING[node.module])
            found.update(f'{node.module}.{name}' for name in names)
    return found


def test_names_that_are_not_guarded():
    assert names_missing_on_windows('import fcntl\nos.pread(1)\nfrom signal import SIGHUP') == {
        'fcntl',
        'os.pread',
        'signal.SIGHUP',
    }
    package = os.path.join(sources.ROOT, 'sc2impala')
    found = {}
    for folder, _, names in os.walk(package):
        for name in names:
            path = os.path.join(folder, name)
            key = os.path.relpath(path, package).replace(os.sep, '/')
            if name.endswith('.py') and not key.startswith('envs/pysc2_backend/'):
                with open(path, encoding='utf-8') as file:
                    found[key] = names_missing_on_windows(file.read())
    assert {key: names for key, names in found.items() if names} == GUARDED


@pytest.fixture
def windows(monkeypatch, tmp_path):
    """Removes from the modules what Python lacks on Windows; pytest makes `tmp_path` before."""
    for module in (os, signal):
        for name in MISSING[module.__name__]:
            monkeypatch.delattr(module, name, raising=False)


def test_a_folder_is_checked(windows, monkeypatch, tmp_path):
    folder = disk.Folder(str(tmp_path))
    folder.check(1)
    # Python for Windows has another function of this name, which works.
    monkeypatch.setattr(shutil, 'disk_usage', lambda path: shutil._ntuple_diskusage(9, 9, 0))
    with pytest.raises(OSError, match='No space left'):
        folder.check(1)


def test_frames_are_noted(windows, tmp_path):
    frames = TrainedFrames(str(tmp_path))
    for number in (123456, 12):
        frames.note(number)
    assert frames.read() == 12
    frames.close()
    again = TrainedFrames(str(tmp_path))
    assert again.read() == 12
    again.close()


def test_paths_for_tensorflow(monkeypatch):
    monkeypatch.setattr(os, 'sep', '\\')
    assert plain_paths.plain_path('runs\\a\\checkpoints\\5\\variables') == (
        'runs/a/checkpoints/5/variables'
    )


def test_signals(windows, monkeypatch):
    monkeypatch.setattr(signal, 'SIGBREAK', signal.SIGURG, raising=False)
    assert set(stop_request.numbers()) == {signal.SIGINT, signal.SIGTERM, signal.SIGURG}
    with child_processes.stop_requests() as received:
        os.kill(os.getpid(), signal.SIGURG)
        os.kill(os.getpid(), signal.SIGTERM)
    assert received == [signal.SIGURG, signal.SIGTERM]


class Process:
    """A process that ends when it gets Ctrl-Break."""

    def __init__(self, ends):
        self.tape = []
        self._ends = ends

    def poll(self):
        return 0 if self._ends and 'break' in self.tape else None

    def send_signal(self, number):
        self.tape.append(number)

    def kill(self):
        self.tape.append('kill')

    def wait(self):
        self.tape.append('wait')


def test_processes_are_asked_to_end_and_then_killed(windows, monkeypatch):
    monkeypatch.setattr(signal, 'CTRL_BREAK_EVENT', 'break', raising=False)
    processes = [Process(True), Process(False)]
    child_processes.end(processes, 0.01)
    assert [process.tape for process in processes] == [['break', 'wait'], ['break', 'kill', 'wait']]


def test_processes_start_in_their_own_group(windows, monkeypatch):
    given = {}
    monkeypatch.setattr(subprocess, 'CREATE_NEW_PROCESS_GROUP', 512, raising=False)
    monkeypatch.setattr(subprocess, 'Popen', lambda command, **kwargs: given.update(kwargs))
    monkeypatch.setattr(child_processes.sys, 'platform', 'win32')
    child_processes.start(['x'], log=None)
    assert given['creationflags'] == 512 and given['preexec_fn'] is None

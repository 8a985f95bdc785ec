"""The process that plays one game. Trainers start it; it says why it failed, and leaves nothing.

It is the leader of a session of its own, with the game in its process group, so that both can be
killed with one signal. When its trainer is gone it sees to that itself.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any, Callable, List

from sc2impala.envs.pysc2_backend import protocol
from sc2impala.envs.pysc2_backend.game import Game, make_sc2_env
from sc2impala.envs.pysc2_backend.shared_arrays import SharedArrays

MAX_OUTPUT = 1 << 20
"""Bytes of output that are kept: game and PySC2 may print a line in every step of a long run."""

_WATCH_SECS = 0.2

_VANISH = """
kill -s KILL -- "-$1"
for i in 1 2 3 4 5; do sleep 0.2; rm -rf -- "$2" && test ! -e "$2" && exit; done
"""


def main(arguments: List[str], make_env: Callable[..., Any] = make_sc2_env) -> None:
    """Does what the trainer asks for until it asks for the end, or is gone.

    Args:
      arguments: process id of the trainer, file numbers of the connection and of the shared
        memory, and the folder to remove when the trainer is gone.
      make_env: see `make_sc2_env`.
    """
    trainer, connection_file, memory_file, folder = arguments
    stay_in_temporary_folder()
    for number in (connection_file, memory_file):
        os.set_inheritable(int(number), False)
    worker = _Worker(Connection(int(connection_file)), int(memory_file), make_env)
    watcher = threading.Thread(
        target=_watch, args=(int(trainer), folder, worker), name='watcher', daemon=True
    )
    watcher.start()
    try:
        worker.run()
    except _Disconnected:
        # Either the trainer is gone, which the watcher is about to see, or it has seen the same and
        # is about to kill this process.
        watcher.join()


def stay_in_temporary_folder() -> None:
    """Lets temporary files be in TMPDIR or nowhere.

    Without this Python takes /tmp where TMPDIR has vanished, as it has when another worker of a
    trainer that was killed has tidied up already; and nobody would remove what is there.
    """
    tempfile.tempdir = os.environ['TMPDIR']


class _Disconnected(Exception):
    """Nobody is at the other end of the connection."""


class _Worker:
    """Answers the commands of the trainer.

    launching: whether the game is being started.
    """

    def __init__(self, connection, memory_file, make_env):
        self.launching = False
        self._connection = connection
        self._memory_file = memory_file
        self._make_env = make_env
        self._game = None
        self._failed = False
        self._lock = threading.Lock()

    def run(self):
        """Raises: _Disconnected: if there was no command to close."""
        spec = pickle.loads(self._receive())
        arrays = SharedArrays(spec.observation_spec, spec.num_envs, self._memory_file)
        while True:
            command = self._receive()
            try:
                if command == protocol.CLOSE:
                    break
                self._carry_out(command, spec, arrays)
            except BaseException as error:
                self.fail(_describe(error))
                self._await_the_end()
            self._answer(protocol.OK)
        if self._game is not None:
            self._game.close()

    def fail(self, text):
        """Tells the trainer, which kills this process and the game; the first reason counts."""
        if not self._failed:
            self._failed = True
            reply = protocol.FAILED + text.encode('utf-8', 'replace')
            self._answer(reply[: protocol.MAX_REPLY])

    def _await_the_end(self):
        while True:
            self._receive()

    def _carry_out(self, command, spec, arrays):
        if command == protocol.LAUNCH:
            self.launching = True
            env = self._make_env(spec.map_name, spec.seed, spec.observation_spec, spec.settings)
            self.launching = False
            parts = arrays.of_game(spec.index)
            self._game = Game(env, spec.observation_spec, spec.action_spec, *parts)
        elif command == protocol.RESET:
            self._game.reset()
        elif command == protocol.STEP:
            if self._game.step():
                _limit_output()
        else:
            raise ValueError(f'command is {command!r}, expected one of `protocol`.')

    def _receive(self):
        try:
            return self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise _Disconnected from error

    def _answer(self, reply):
        try:
            with self._lock:
                self._connection.send_bytes(reply)
        except OSError as error:
            raise _Disconnected from error


def _watch(trainer, folder, worker):
    """Notices that the trainer is gone, and that the game died before anybody could talk to it."""
    ended_before = None
    while True:
        time.sleep(_WATCH_SECS)
        if os.getppid() != trainer:
            _vanish(folder)
        ended = _ended_child() if worker.launching else None
        # PySC2 may start and await other programs: those are gone the next time.
        if ended is not None and ended_before is not None and ended.si_pid == ended_before.si_pid:
            with contextlib.suppress(_Disconnected):
                worker.fail('the game ended while it started, with ' + _exit_text(ended))
        ended_before = ended


def _vanish(folder):
    """Ends this process and the game in the middle of whatever they do, and removes their files."""
    subprocess.Popen(
        ['/bin/sh', '-c', _VANISH, 'sh', str(os.getpgrp()), folder],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ).wait()


def _ended_child():
    """A child that has ended and was not awaited yet, or None; PySC2 itself may not look."""
    if not hasattr(os, 'waitid'):  # macOS
        return None
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None


def _exit_text(ended):
    if ended.si_code == os.CLD_EXITED:
        return f'exit code {ended.si_status}'
    return signal.Signals(ended.si_status).name


def _describe(error):
    """Kind, text and place of an error in one line."""
    text = ' '.join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = ''
    if frames:
        place = f' ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})'
    return f'{type(error).__name__}: {text[:1000]}{place}'


def _limit_output():
    """Empties the file that the output goes to when it has become long."""
    descriptor = sys.stderr.fileno()
    if os.fstat(descriptor).st_size > MAX_OUTPUT:
        os.ftruncate(descriptor, 0)

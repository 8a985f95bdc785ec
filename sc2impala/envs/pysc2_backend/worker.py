"""The worker process: runs one game and reports failures to its trainer.

It is the leader of its own session, and the game is in its process group, so that one signal kills
both. When the trainer has ended, the worker kills both and removes their files itself.
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
from typing import Any, Callable, List, Optional

from sc2impala.envs.pysc2_backend import protocol
from sc2impala.envs.pysc2_backend.game import Game, make_sc2_env
from sc2impala.envs.pysc2_backend.shared_arrays import SharedArrays

MAX_OUTPUT = 1 << 20
"""Limit of the output file in bytes: game and PySC2 may print a line in every step."""

_WATCH_SECS = 0.2

_VANISH = """
kill -s KILL -- "-$1"
for i in 1 2 3 4 5; do sleep 0.2; rm -rf -- "$2" && test ! -e "$2" && exit; done
"""


def main(arguments: List[str], make_env: Callable[..., Any] = make_sc2_env) -> None:
    """Executes the trainer's commands until CLOSE, or until the trainer has ended.

    Args:
      arguments: process id of the trainer, file numbers of the connection and of the shared
        memory, and the folder to remove when the trainer has ended.
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
        # Either the trainer has ended, and the watcher is about to notice it, or the trainer has
        # closed the connection and is about to kill this process.
        watcher.join()


def stay_in_temporary_folder() -> None:
    """Makes sure that temporary files are created in TMPDIR only.

    TMPDIR may have been removed already by another worker of a killed trainer. Python would then
    fall back to /tmp, where the files would never be removed.
    """
    tempfile.tempdir = os.environ['TMPDIR']


class _Disconnected(Exception):
    """The trainer's end of the connection is closed."""


class _Worker:
    """Executes and answers the commands of the trainer.

    launching: whether the game is being started.
    """

    def __init__(self, connection: Connection, memory_file: int, make_env: Callable[..., Any]):
        self.launching = False
        self._connection = connection
        self._memory_file = memory_file
        self._make_env = make_env
        self._game: Optional[Game] = None
        self._failed = False
        self._lock = threading.Lock()

    def run(self) -> None:
        """Executes commands until CLOSE.

        Raises:
          _Disconnected: if the connection is closed without this command.
        """
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

    def fail(self, text: str) -> None:
        """Reports the first failure to the trainer, which then kills this process and the game."""
        if not self._failed:
            self._failed = True
            reply = protocol.FAILED + text.encode('utf-8', 'replace')
            self._answer(reply[: protocol.MAX_REPLY])

    def _await_the_end(self) -> None:
        while True:
            self._receive()

    def _carry_out(self, command: bytes, spec: protocol.WorkerSpec, arrays: SharedArrays) -> None:
        if command == protocol.LAUNCH:
            self.launching = True
            env = self._make_env(spec.map_name, spec.seed, spec.observation_spec, spec.settings)
            self.launching = False
            parts = arrays.view_game(spec.slot)
            self._game = Game(env, spec.observation_spec, spec.action_spec, *parts)
        elif self._game is None:
            raise ValueError(f'command is {command!r}, expected {protocol.LAUNCH!r} first.')
        elif command == protocol.RESET:
            self._game.reset()
        elif command == protocol.STEP:
            if self._game.step():
                _limit_output()
        else:
            raise ValueError(f'command is {command!r}, expected one of `protocol`.')

    def _receive(self) -> bytes:
        try:
            return self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise _Disconnected from error

    def _answer(self, reply: bytes) -> None:
        try:
            with self._lock:
                self._connection.send_bytes(reply)
        except OSError as error:
            raise _Disconnected from error


def _watch(trainer: int, folder: str, worker: _Worker) -> None:
    """Detects in a loop that the trainer has ended, or that the game has died while starting."""
    ended_before = None
    while True:
        time.sleep(_WATCH_SECS)
        if os.getppid() != trainer:
            _vanish(folder)
        ended = _ended_child() if worker.launching else None
        # PySC2 may start other programs and wait for them; these are gone in the next iteration.
        if ended is not None and ended_before is not None and ended.si_pid == ended_before.si_pid:
            with contextlib.suppress(_Disconnected):
                worker.fail('the game ended while it started, with ' + _exit_text(ended))
        ended_before = ended


def _vanish(folder: str) -> None:
    """Kills this process and the game, and removes their files, by means of a separate process."""
    subprocess.Popen(
        ['/bin/sh', '-c', _VANISH, 'sh', str(os.getpgrp()), folder],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ).wait()


def _ended_child() -> Optional['os.waitid_result']:
    """Returns the `waitid` result of a child that has ended and was not waited for, or None.

    PySC2 itself does not always check whether the game has ended.
    """
    if not hasattr(os, 'waitid'):  # macOS
        return None
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None


def _exit_text(ended: 'os.waitid_result') -> str:
    if ended.si_code == os.CLD_EXITED:
        return f'exit code {ended.si_status}'
    return signal.Signals(ended.si_status).name


def _describe(error: BaseException) -> str:
    """Returns type, message and source line of an error in one line."""
    text = ' '.join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = ''
    if frames:
        place = f' ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})'
    return f'{type(error).__name__}: {text[:1000]}{place}'


def _limit_output() -> None:
    """Truncates the output file when it exceeds `MAX_OUTPUT`."""
    descriptor = sys.stderr.fileno()
    if os.fstat(descriptor).st_size > MAX_OUTPUT:
        os.ftruncate(descriptor, 0)

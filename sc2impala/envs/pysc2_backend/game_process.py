"""A worker and its game as the trainer sees them: started, asked, and killed with all they hold."""

import contextlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing import connection as connections
from typing import Iterable, List, Tuple

from sc2impala.envs.pysc2_backend import protocol
from sc2impala.envs.pysc2_backend.errors import GameFault

WORKER = 'sc2impala.envs.pysc2_backend.worker'
"""The module whose `main` is run."""

_PROGRAM = (
    'import importlib, json, sys; sys.path[:] = json.loads(sys.argv[2]); '
    'importlib.import_module(sys.argv[1]).main(sys.argv[3:])'
)
"""Looks for modules where the trainer does. A PYTHONPATH would reach the game as well, which may be
a Python program of another version."""

_OUTPUT = 'output.txt'
_TAIL_LINES = 15
_TAIL_BYTES = 3000
_REMOVE_SECS = 2.0


class GameProcess:
    """One worker process. Commands are answered in their order.

    connection: to wait for an answer with others, see `await_answers`.
    """

    def __init__(self, spec: protocol.WorkerSpec, memory_file: int, folder: str):
        """Starts the worker, which gets ready for LAUNCH.

        Args:
          spec: what it has to know.
          memory_file: file number of the shared memory.
          folder: temporary folder of the trainer's, in which the worker gets its own one for its
            output and for the files of the game.
        """
        self._folder = tempfile.mkdtemp(prefix=f'game-{spec.index}-', dir=folder)
        self.connection, theirs = connections.Pipe()
        paths = [os.path.abspath(path) for path in sys.path]
        arguments = [os.getpid(), theirs.fileno(), memory_file, folder]
        with theirs, open(os.path.join(self._folder, _OUTPUT), 'ab') as output:
            self._process = subprocess.Popen(
                [sys.executable, '-c', _PROGRAM, WORKER, json.dumps(paths)]
                + [str(argument) for argument in arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[theirs.fileno(), memory_file],
                env=dict(os.environ, TMPDIR=self._folder, OPENBLAS_NUM_THREADS='1'),
                start_new_session=True,
            )
        self._ending = threading.Lock()
        self.send(pickle.dumps(spec))

    def send(self, command: bytes) -> None:
        """Sends a command. That the worker is gone is noticed when it does not answer."""
        with contextlib.suppress(OSError):
            self.connection.send_bytes(command)

    def receive(self) -> None:
        """Takes the answer to a command, which must have arrived.

        Raises:
          GameFault: if it is another one than OK.
        """
        try:
            reply = self.connection.recv_bytes(protocol.MAX_REPLY)
        except (EOFError, OSError):
            self.kill()
            raise GameFault(f'its worker ended with {_exit_text(self._process)}') from None
        if reply[:1] == protocol.FAILED:
            raise GameFault(reply[1:].decode('utf-8', 'replace'))
        if reply != protocol.OK:
            raise GameFault(f'its worker answered {reply[:20]!r}')

    def kill(self) -> None:
        """Kills worker and game, whatever they are doing."""
        with self._ending:
            if self._process.returncode is not None:
                return
            # The worker has not been awaited yet: the number is still that of its process group.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def output_tail(self) -> str:
        """The last lines that worker and game have printed."""
        try:
            with open(os.path.join(self._folder, _OUTPUT), 'rb') as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
                lines = file.read().decode('utf-8', 'replace').splitlines()
        except OSError:
            return ''
        return '\n'.join(line.rstrip() for line in lines[-_TAIL_LINES:] if line.strip())

    def clear(self) -> None:
        """Removes what a killed worker and its game have left."""
        self.connection.close()
        remove_folder(self._folder)


def await_answers(
    processes: Iterable[GameProcess], deadline: float
) -> Tuple[List[GameProcess], List[GameProcess]]:
    """Waits until everyone has answered or ended, or the time is up.

    Args:
      processes: they have been sent a command each.
      deadline: as `time.monotonic` tells it.

    Returns:
      those that can be asked for their answer, and those that are late.
    """
    waiting = {process.connection: process for process in processes}
    arrived = []
    while waiting:
        left = deadline - time.monotonic()
        ready = connections.wait(list(waiting), max(left, 0))
        arrived += [waiting.pop(connection) for connection in ready]
        if not ready and left <= 0:
            break
    return arrived, list(waiting.values())


def remove_folder(folder: str) -> None:
    """Removes a folder to which killed processes may write until they are really gone."""
    give_up = time.monotonic() + _REMOVE_SECS
    while os.path.exists(folder):
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > give_up:
            return
        time.sleep(0.01)


def _exit_text(process):
    if process.returncode < 0:
        return signal.Signals(-process.returncode).name
    return f'exit code {process.returncode}'

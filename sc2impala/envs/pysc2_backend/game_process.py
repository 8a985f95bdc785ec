"""The trainer's handle of a worker process: starts it, sends commands, kills it and its game."""

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
from typing import Any, Dict, Iterable, List, Tuple

from sc2impala.envs.pysc2_backend import protocol
from sc2impala.envs.pysc2_backend.errors import GameFault

WORKER = 'sc2impala.envs.pysc2_backend.worker'
"""The module whose `main` the process runs."""

_PROGRAM = (
    'import importlib, json, sys; sys.path[:] = json.loads(sys.argv[2]); '
    'importlib.import_module(sys.argv[1]).main(sys.argv[3:])'
)
"""Runs the worker with the trainer's `sys.path`. A PYTHONPATH would be inherited by the game, which
may be a program of another Python version."""

_OUTPUT = 'output.txt'
_TAIL_LINES = 15
_TAIL_BYTES = 3000
_REMOVE_SECS = 2.0


class GameProcess:
    """One worker process, which answers commands in order.

    connection: the connection on which answers arrive; see `await_answers`.
    """

    def __init__(self, spec: protocol.WorkerSpec, memory_file: int, folder: str):
        """Starts the worker, which then expects the command LAUNCH.

        Args:
          spec: the worker's settings.
          memory_file: file number of the shared memory.
          folder: the trainer's temporary folder. The worker gets a folder in it for its output and
            the files of the game.
        """
        self._folder = tempfile.mkdtemp(prefix=f'game-{spec.slot}-', dir=folder)
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
        """Sends a command. If the worker has ended, the error is raised by `receive`."""
        with contextlib.suppress(OSError):
            self.connection.send_bytes(command)

    def receive(self) -> None:
        """Reads the answer to a command, which must have arrived.

        Raises:
          GameFault: if the answer is not OK.
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
        """Kills the worker and its game."""
        with self._ending:
            if self._process.returncode is not None:
                return
            # The worker has not been waited for, so its process id cannot have been reused.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def output_tail(self) -> str:
        """Returns the last lines that the worker and the game have printed."""
        try:
            with open(os.path.join(self._folder, _OUTPUT), 'rb') as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
                lines = file.read().decode('utf-8', 'replace').splitlines()
        except OSError:
            return ''
        return '\n'.join(line.rstrip() for line in lines[-_TAIL_LINES:] if line.strip())

    def clear(self) -> None:
        """Closes the connection of a killed worker and removes its folder."""
        self.connection.close()
        remove_folder(self._folder)


def await_answers(
    processes: Iterable[GameProcess], deadline: float
) -> Tuple[List[GameProcess], List[GameProcess]]:
    """Waits until all workers have answered or ended, or until a deadline.

    Args:
      processes: workers to each of which a command has been sent.
      deadline: time at which to stop waiting, on the clock of `time.monotonic`.

    Returns:
      The processes from which `receive` can read, and those that have not answered in time.
    """
    waiting: Dict[Any, GameProcess] = {process.connection: process for process in processes}
    arrived: List[GameProcess] = []
    while waiting:
        left = deadline - time.monotonic()
        ready = connections.wait(list(waiting), max(left, 0))
        arrived += [waiting.pop(connection) for connection in ready]
        if not ready and left <= 0:
            break
    return arrived, list(waiting.values())


def remove_folder(folder: str) -> None:
    """Removes a folder; tries again for a while, because killed processes may still write to it."""
    give_up = time.monotonic() + _REMOVE_SECS
    while os.path.exists(folder):
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > give_up:
            return
        time.sleep(0.01)


def _exit_text(process: 'subprocess.Popen[bytes]') -> str:
    if process.returncode < 0:
        return signal.Signals(-process.returncode).name
    return f'exit code {process.returncode}'

"""Child processes that end with this one, however it ends."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import IO, Callable, Iterator, List, Sequence

from sc2impala.runtime import stop_request

POLL_SECS = 0.2
_SET_PDEATHSIG = 1
_SIGKILL = getattr(signal, 'SIGKILL', None)  # Windows has none.


def start(command: Sequence[str], log: IO) -> subprocess.Popen:
    """Starts a process in its own session; on Linux the kernel kills it when this one ends.

    On Windows, without sessions, it is in its own process group.

    Args:
      command: program and arguments.
      log: open file for its output.
    """
    return subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        # Only this process gets Ctrl-C, and ends the others in order.
        start_new_session=True,
        creationflags=getattr(subprocess, 'CREATE_NEW_PROCESS_GROUP', 0),
        preexec_fn=_dies_with_parent() if sys.platform == 'linux' and _SIGKILL else None,
    )


@contextlib.contextmanager
def stop_requests() -> Iterator[List[int]]:
    """Collects the signals that have requested a stop. Under nohup SIGHUP stays ignored.

    Always empty outside of the main thread, where Python cannot handle signals.
    """
    received: List[int] = []
    before = {}
    for number in stop_request.numbers():
        if stop_request.is_ignored_hangup(number):
            continue
        before[number] = signal.signal(number, lambda number, frame: received.append(number))
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end(
    processes: Sequence[subprocess.Popen],
    grace_secs: float,
    is_enough: Callable[[], bool] = lambda: False,
) -> None:
    """Ends processes; after a grace period kills the remaining ones and their children.

    Args:
      processes: results of `start`.
      grace_secs: grace period; 0 kills at once.
      is_enough: returns True to end the grace period early.
    """
    if grace_secs:
        for process in processes:
            if process.poll() is None:
                _ask_to_end(process)
        wait(processes, grace_secs, is_enough)
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            _kill(process)
        process.wait()


def wait(processes: Sequence[subprocess.Popen], secs: float, is_enough: Callable[[], bool]) -> None:
    """Waits until processes have ended, for some seconds at most."""
    end_time = time.monotonic() + secs
    while any(process.poll() is None for process in processes):
        if time.monotonic() > end_time or is_enough():
            return
        time.sleep(POLL_SECS)


def _ask_to_end(process: subprocess.Popen) -> None:
    """Sends the signal on which a run saves and stops; on Windows SIGTERM would kill it."""
    if hasattr(signal, 'CTRL_BREAK_EVENT'):
        process.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        process.terminate()


def _kill(process: subprocess.Popen) -> None:
    """Kills a process and, except on Windows, its children: it is the leader of a session."""
    if hasattr(os, 'killpg') and _SIGKILL:
        os.killpg(process.pid, _SIGKILL)
    elif process.poll() is None:
        process.kill()


def _dies_with_parent() -> Callable[[], None]:
    """Lets the kernel kill the calling process when its parent ends."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return ask

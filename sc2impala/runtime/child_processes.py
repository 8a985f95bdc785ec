"""Processes that end with this one, whatever way it ends."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import Any, Callable, Iterator, List, Sequence

POLL_SECS = 0.2
_SET_PDEATHSIG = 1


def start(command: Sequence[str], log: Any) -> subprocess.Popen:
    """Starts a process in a session of its own; on Linux the kernel kills it when this one ends.

    Args:
      command: program and arguments.
      log: open file for what it prints.
    """
    return subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        # Ctrl-C is for this process, which ends the others in order.
        start_new_session=True,
        preexec_fn=_dies_with_parent() if sys.platform == 'linux' else None,
    )


@contextlib.contextmanager
def stop_requests() -> Iterator[List[int]]:
    """The signals that have asked to stop so far. Under nohup SIGHUP stays ignored."""
    received: List[int] = []
    before = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
            continue
        before[number] = signal.signal(number, lambda number, frame: received.append(number))
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end(
    processes: Sequence[Any], grace_secs: float, is_enough: Callable[[], bool] = lambda: False
) -> None:
    """Asks processes to end, and after a time kills those that have not, and what they started.

    Args:
      processes: from `start`.
      grace_secs: the time; 0 does not ask.
      is_enough: whether to wait no longer.
    """
    if grace_secs:
        for process in processes:
            if process.poll() is None:
                process.terminate()
        wait(processes, grace_secs, is_enough)
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # Each is the leader of a session of its own.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait(processes: Sequence[Any], secs: float, is_enough: Callable[[], bool]) -> None:
    """Waits until processes have ended, for some seconds at most."""
    end_time = time.monotonic() + secs
    while any(process.poll() is None for process in processes):
        if time.monotonic() > end_time or is_enough():
            return
        time.sleep(POLL_SECS)


def _dies_with_parent() -> Callable[[], Any]:
    """What a new process calls, so that the kernel kills it when this process ends."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return ask

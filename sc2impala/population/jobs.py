"""Processes of members, with limited parallelism."""

import subprocess
from typing import Any, Callable, Dict, List, Sequence

from sc2impala.population import members
from sc2impala.runtime import child_processes

GRACE_SECS = 120.0
"""Seconds for members to save."""


def start_process(flags: Sequence[str], log: str) -> subprocess.Popen:
    """Starts the command `sc2impala.experiment`.

    Args:
      flags: flags of the command.
      log: file to which its output is appended.

    Returns:
      A process, see `subprocess.Popen`, that ends with this one.
    """
    with open(log, 'ab') as file:
        return child_processes.start([*members.COMMAND, *flags], file)


class Jobs:
    """A limited number of processes, one per member; all of them end with the block."""

    def __init__(self, num_parallel: int, start: Callable[[Sequence[str], str], subprocess.Popen]):
        """Args:
        num_parallel: maximum number of processes.
        start: starts a process, see `start_process`.
        """
        self._num_parallel = num_parallel
        self._start = start
        self._running: Dict[int, Any] = {}

    def __enter__(self) -> 'Jobs':
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Kills all running processes."""
        child_processes.end(list(self._running.values()), 0.0)
        self._running.clear()

    @property
    def members(self) -> List[int]:
        """The running members."""
        return sorted(self._running)

    def has_room(self) -> bool:
        """Returns whether another process may start."""
        return len(self._running) < self._num_parallel

    def start(self, member: int, flags: Sequence[str], log: str) -> None:
        """Starts the process of a member."""
        self._running[member] = self._start(flags, log)

    def ended(self) -> Dict[int, int]:
        """The exit codes of members whose processes have ended since the last call."""
        codes = {}
        for member, process in list(self._running.items()):
            code = process.poll()
            if code is not None:
                del self._running[member]
                # Also its children.
                child_processes.end([process], 0.0)
                codes[member] = code
        return codes

    def stop(self, is_enough: Callable[[], bool]) -> None:
        """Requests all processes to end, and waits while they save.

        Args:
          is_enough: returns True to stop waiting.
        """
        child_processes.end(list(self._running.values()), GRACE_SECS, is_enough)
        self._running.clear()

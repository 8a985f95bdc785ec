"""Reports of a peer: lines of JSON in a file, written by any of its processes.

Each line has a `time` in seconds since the epoch and one of:

* `parameters`: number of trained parameters;
* `steps`: agent steps that have been learned so far, written after an update;
* `episode_return`: of an episode that a training game has just finished;
* `mean_return` and `episodes`: of the last episodes, from trainers that print nothing else.
"""

import argparse
import json
import os
import time
from typing import Any, Optional, Sequence

FILE_VARIABLE = 'LEAGUE_REPORT'
"""Environment variable with the path of the file; without it, reports go to standard output."""

TASKS = ('speed', 'return')


class Reporter:
    """Writes reports; for each process one of its own."""

    def __init__(self) -> None:
        path = os.environ.get(FILE_VARIABLE)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = os.open(path, flags) if path else 1

    def parameters(self, count: int) -> None:
        """Reports the number of trained parameters."""
        self.write(parameters=int(count))

    def steps(self, count: int) -> None:
        """Reports how many agent steps have been learned so far."""
        self.write(steps=int(count))

    def episode(self, episode_return: float) -> None:
        """Reports the return of a finished episode."""
        self.write(episode_return=float(episode_return))

    def write(self, **entries: Any) -> None:
        """Writes a line."""
        # One write to a file opened for appending: lines of several processes do not mix.
        os.write(self._file, (json.dumps(dict(entries, time=time.time())) + '\n').encode())


def parse(description: Optional[str], argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Returns the arguments that all peers have.

    Args:
      description: of the program; its first line is printed by --help.
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=(description or '').split('\n')[0])
    parser.add_argument('--task', choices=TASKS, required=True)
    parser.add_argument('--cores', type=int, default=2, help='for as many threads or workers')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--variant', default='', help='of peers that have several')
    return parser.parse_args(argv)

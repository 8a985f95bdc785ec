"""Runs a training and reports how long each part of its start took, up to the first update.

    python -m benchmarks.instrumented.training_start <start time, seconds since the epoch> <flags>

Time is attributed to the innermost timed function that runs, and to its part, one of `PARTS`. The
last line of the output is JSON, {part: seconds}. `benchmarks.speed.startup` runs this program.
"""

import importlib
import json
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

PARTS = (
    'interpreter',
    'imports',
    'settings',
    'specs and environments',
    'graph',
    'session and initialisation',
    'first checkpoint',
    'first update',
)
"""Parts of the start, in the order in which they begin."""


class Clock:
    """Attributes time to parts, which may be nested.

    seconds: {part: seconds} up to the last lap.
    """

    def __init__(self, started: float, now: Callable[[], float] = time.time):
        """Args:
        started: the time at which the first part, the interpreter, began.
        now: returns the time in seconds.
        """
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._now = now
        self._last = started
        self._parts = ['interpreter']

    def lap(self) -> None:
        """Adds the time since the last lap to the current part."""
        now = self._now()
        self.seconds[self._parts[-1]] += now - self._last
        self._last = now

    def switch(self, part: str) -> None:
        """Ends the current part and begins another one."""
        self.lap()
        self._parts[-1] = part

    def timed(self, function: Callable[..., Any], part: str) -> Callable[..., Any]:
        """Returns `function` with its time attributed to a part."""

        def timed_function(*args: Any, **kwargs: Any) -> Any:
            self.lap()
            self._parts.append(part)
            try:
                return function(*args, **kwargs)
            finally:
                self.lap()
                self._parts.pop()

        return timed_function

    def replace(self, owner: Any, name: str, part: str) -> None:
        """Replaces a function of a module or class by its timed form."""
        setattr(owner, name, self.timed(getattr(owner, name), part))


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Trains until the first update, also if that is one of imitation.

    Args:
      argv: start time and flags; None for the arguments of the process.

    Returns:
      The exit code.
    """
    argv = sys.argv[1:] if argv is None else argv
    clock = Clock(float(argv[0]))
    clock.switch('imports')
    from sc2impala import tf_setup

    tf_setup.enable()
    from benchmarks import workload

    for module in workload.STARTUP_MODULES:
        importlib.import_module(module)
    clock.switch('settings')
    for owner, name, part in workload.STARTUP_FUNCTIONS:
        clock.replace(owner, name, part)
    owner, name = workload.UPDATE_FUNCTION
    update = getattr(owner, name)
    after_updates: List[Dict[str, float]] = []

    def update_and_record(*args: Any) -> Any:
        result = update(*args)
        if not after_updates:
            os.kill(os.getpid(), signal.SIGTERM)
        after_updates.append(dict(clock.seconds))
        return result

    setattr(owner, name, update_and_record)
    code = workload.train(argv[1:])
    if after_updates:
        print(json.dumps(after_updates[0]))
    return code


if __name__ == '__main__':
    sys.exit(main())

"""Runs a training up to its first update and says where the time went.

    python benchmarks/timed_start.py <seconds since the epoch at which it was started> <flags>

Every moment belongs to one part, that of the innermost function which is timed; `PARTS` names them.
The last line of the output is JSON, {part: seconds}.
"""

import json
import sys
import time

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
"""In the order in which they begin."""


class Clock:
    """Splits time among parts that may lie within each other."""

    def __init__(self, started, now=time.time):
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._now = now
        self._last = started
        self._parts = ['interpreter']

    def lap(self):
        """Gives the time since the last lap to the present part."""
        now = self._now()
        self.seconds[self._parts[-1]] += now - self._last
        self._last = now

    def switch(self, part):
        """Goes on with another part."""
        self.lap()
        self._parts[-1] = part

    def timed(self, function, part):
        """`function`, whose time belongs to a part."""

        def timed_function(*args, **kwargs):
            self.lap()
            self._parts.append(part)
            try:
                return function(*args, **kwargs)
            finally:
                self.lap()
                self._parts.pop()

        return timed_function

    def replace(self, owner, name, part):
        """Puts the timed function in the place of the original one."""
        setattr(owner, name, self.timed(getattr(owner, name), part))


def main(argv=None):
    """Trains until an update is done.

    Args:
      argv: start and flags; None stands for the arguments of the process.

    Returns:
      The exit code.
    """
    argv = sys.argv[1:] if argv is None else argv
    clock = Clock(float(argv[0]))
    clock.switch('imports')
    from sc2impala import experiment
    from sc2impala.runtime import checkpoints, graph, loop, training
    from sc2impala.runtime import config as config_lib

    clock.switch('settings')
    clock.replace(training, 'train', 'graph')
    clock.replace(config_lib, 'make_specs', 'specs and environments')
    clock.replace(graph, 'make_environment', 'specs and environments')
    clock.replace(training, '_open_session', 'session and initialisation')
    clock.replace(checkpoints.CheckpointWriter, 'save', 'first checkpoint')
    clock.replace(loop.Loop, '_update', 'first update')
    update, at_first = loop.Loop._update, []

    def first_update(*args):
        result = update(*args)
        at_first.append(dict(clock.seconds))
        return result

    loop.Loop._update = first_update
    code = experiment.main(list(argv[1:]))
    if at_first:
        print(json.dumps(at_first[0]))
    return code


if __name__ == '__main__':
    sys.exit(main())

"""Processes of members that are over at once, and what they leave behind."""

import json
import os

from sc2impala.checkpoints import directory
from tests.checkpoints import examples

NO_PROCESS = 2**30
"""A number that no process has."""


class Process:
    """A process that has ended.

    pid: of nobody.
    """

    pid = NO_PROCESS

    def __init__(self, code):
        self.returncode = code

    def poll(self):
        return self.returncode

    def wait(self):
        return self.returncode

    def terminate(self):
        raise AssertionError('it has ended')


def value(flags, name):
    """The value of the last flag of a name, or None."""
    found = [flag.partition('=')[2] for flag in flags if flag.startswith(f'--{name}=')]
    return found[-1] if found else None


def member_of(flags):
    """The index of the member whose flags these are."""
    return int(value(flags, 'logdir').rpartition('-')[2])


def is_evaluation(flags):
    return '--mode=evaluate' in flags


def write_evaluation(flags, mean_return):
    """The result of an evaluation with these flags."""
    content = {'seed': int(value(flags, 'seed')), 'mean_return': mean_return}
    with open(os.path.join(value(flags, 'logdir'), 'evaluation.json'), 'w') as file:
        json.dump(content, file)


class Runs:
    """Starts processes in the place of `jobs.start_process`.

    Members train exactly as far as asked, in steps of 1000 frames; the score of an evaluation is
    that of `score`.

    started: the flags of all processes, in order.
    """

    def __init__(self, score, before=lambda flags: None):
        """Args:
        score: function of (member, number of the generation).
        before: called with the flags of each process; what it returns but None is the exit code.
        """
        self.started = []
        self._score, self._before = score, before

    def __call__(self, flags, log):
        self.started.append(list(flags))
        member, code = member_of(flags), self._before(flags)
        with open(log, 'a') as file:
            file.write(f'run {len(self.started)}\n')
            if code is not None:
                file.write(f'error: ended with {code}.\n')
                return Process(code)
        if is_evaluation(flags):
            frames = directory.saved(value(flags, 'logdir'))[-1]
            write_evaluation(flags, self._score(member, frames // 1000 - 1))
        else:
            frames = int(value(flags, 'stop_at_frames'))
            examples.write_text(value(flags, 'logdir'), frames, f'member {member}')
        return Process(0)

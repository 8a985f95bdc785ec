"""The file with all that a training has printed, over all its starts."""

import contextlib
import datetime
import os
import traceback
from typing import Callable

NAME = 'train.log'


def _now() -> datetime.datetime:
    return datetime.datetime.now().astimezone()


class TrainLog:
    """Appends lines with date and time; what cannot be written is dropped."""

    def __init__(self, logdir: str, clock: Callable[[], datetime.datetime] = _now):
        """Args:
        logdir: the folder of the run.
        clock: the time, with its zone.
        """
        self.path = os.path.join(logdir, NAME)
        self._clock = clock

    def write_line(self, text: str) -> None:
        """Appends a line, or several; may be called from any thread and from signal handlers."""
        time = self._clock().isoformat(sep=' ', timespec='milliseconds')
        content = ''.join(f'{time} {line}\n' for line in text.split('\n'))
        # One system call for each: lines of threads do not mix. The file is opened anew, since the
        # folder may have been moved, or the file to another place.
        with contextlib.suppress(OSError):
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(file, content.encode('utf-8', 'backslashreplace'))
            finally:
                os.close(file)

    def write_error(self, error: BaseException) -> None:
        """Appends the traceback of an error."""
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        self.write_line(''.join(lines).rstrip('\n'))

"""Output to the terminal that never ends a training, with a copy in a file.

Whoever reads the output may go away: Ctrl-C in `... | tee log` ends `tee` first, `head` closes its
pipe, a terminal is lost. From then on output is dropped.
"""

import contextlib
import os
import sys
from typing import Any, Iterator

from sc2impala.runtime.train_log import TrainLog

_STDERR = 2


def say(text: str, end: str = '\n') -> None:
    """Prints to standard output at once; drops the text if nothing reads it."""
    write(sys.stdout, text + end)


def write(stream: Any, text: str) -> None:
    """Writes to a text stream at once; drops the text if nothing reads it.

    Characters that the stream cannot encode are written as escapes.
    """
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:
            encoding = stream.encoding or 'ascii'
            stream.write(text.encode(encoding, 'backslashreplace').decode(encoding))
        stream.flush()
    except (OSError, ValueError):
        _discard_from_now_on(stream)


def flush() -> None:
    """Writes what Python still holds; its own flush at exit then cannot fail."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            write(stream, '')


def write_from_signal_handler(text: bytes) -> None:
    """Writes to standard error without Python's streams, which may be in the middle of a write."""
    with contextlib.suppress(OSError):
        os.write(_STDERR, text)
    log = getattr(sys.stderr, 'log', None)
    if log is not None:
        log.write_line(text.decode().strip())


@contextlib.contextmanager
def copied_to(log: TrainLog) -> Iterator[None]:
    """Everything that Python prints inside the block is written to a log as well."""
    before = sys.stdout, sys.stderr
    copies = tuple(_Copied(stream, log) for stream in before)
    sys.stdout, sys.stderr = copies
    try:
        yield
    finally:
        for copy in copies:
            copy.finish()
        # Code inside the block may have replaced them for longer than that.
        if sys.stdout is copies[0]:
            sys.stdout = before[0]
        if sys.stderr is copies[1]:
            sys.stderr = before[1]


class _Copied:
    """A text stream whose lines are written to a log as well, and which is never broken."""

    def __init__(self, stream: Any, log: TrainLog):
        self.log = log
        self._stream = stream
        self._line = ''

    def write(self, text: str) -> int:
        """Writes to both; a line of progress that is written over is a line of the log."""
        write(self._stream, text)
        lines = (self._line + text).replace('\r\x1b[K', '\n').split('\n')
        self._line = lines.pop()
        for line in filter(None, lines):
            self.log.write_line(line)
        return len(text)

    def finish(self) -> None:
        """Writes an unfinished line to the log."""
        if self._line:
            self.log.write_line(self._line)
        self._line = ''

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _discard_from_now_on(stream: Any) -> None:
    """Redirects a broken stream, so that Python's flush at exit does not fail on what is left."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)

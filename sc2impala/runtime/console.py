"""Output to the terminal that never ends a run, with a copy in a file.

The reader of output may end first: Ctrl-C in `... | tee log` ends `tee` first, `head` closes its
pipe, a terminal is lost. From then on output is dropped.
"""

import contextlib
import datetime
import os
import sys
import traceback
from typing import Any, Callable, Iterator, TextIO

NAME = 'train.log'


def _now() -> datetime.datetime:
    return datetime.datetime.now().astimezone()


class TrainLog:
    """Appends lines with date and time; lines that cannot be written are dropped."""

    def __init__(self, logdir: str, clock: Callable[[], datetime.datetime] = _now):
        """Args:
        logdir: the folder of the run.
        clock: returns the time with its zone.
        """
        self.path = os.path.join(logdir, NAME)
        self._clock = clock

    def write_line(self, text: str) -> None:
        """Appends a line, or several; may be called from any thread and from signal handlers."""
        time = self._clock().isoformat(sep=' ', timespec='milliseconds')
        content = ''.join(f'{time} {line}\n' for line in text.split('\n'))
        # One system call per line: lines of threads do not mix. The file is reopened, since the
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


_STDERR = 2


def say(text: str, end: str = '\n') -> None:
    """Prints to standard output at once; drops the text if nothing reads it."""
    write(sys.stdout, text + end)


def count_text(number: int, noun: str) -> str:
    """(1, 'row') -> '1 row', (2000, 'row') -> '2,000 rows'."""
    return f'{number:,} {noun}{"" if number == 1 else "s"}'


def duration_text(seconds: float) -> str:
    """8130 -> '2h 15m', 135 -> '2m 15s'."""
    seconds = max(0, int(round(seconds)))
    if seconds >= 86400:
        return f'{seconds // 86400}d {seconds % 86400 // 3600}h'
    if seconds >= 3600:
        return f'{seconds // 3600}h {seconds % 3600 // 60}m'
    if seconds >= 60:
        return f'{seconds // 60}m {seconds % 60}s'
    return f'{seconds}s'


def write(stream: TextIO, text: str) -> None:
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
    """Flushes Python's buffers, so that its flush at exit cannot fail."""
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
    """Copies Python's output inside the block to a log."""
    before = sys.stdout, sys.stderr
    copies = tuple(_Copied(stream, log) for stream in before)
    sys.stdout, sys.stderr = copies
    try:
        yield
    finally:
        for copy in copies:
            copy.finish()
        # Code inside the block may have replaced the streams permanently.
        if sys.stdout is copies[0]:
            sys.stdout = before[0]
        if sys.stderr is copies[1]:
            sys.stderr = before[1]


class _Copied:
    """A text stream that copies lines to a log, and never raises errors of a closed pipe."""

    def __init__(self, stream: TextIO, log: TrainLog):
        self.log = log
        self._stream = stream
        self._line = ''

    def write(self, text: str) -> int:
        """Writes to both; an overwritten line of progress becomes a line of the log."""
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


def _discard_from_now_on(stream: TextIO) -> None:
    """Redirects a broken stream, so that Python's flush at exit does not fail."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)

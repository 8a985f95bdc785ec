"""Output to the terminal that never ends a training.

Whoever reads the output may go away: Ctrl-C in `... | tee log` ends `tee` first, `head` closes its
pipe, a terminal is lost. From then on output is dropped.
"""

import contextlib
import os
import sys
from typing import Any

_STDERR = 2


def say(text: str, end: str = '\n') -> None:
    """Prints to standard output at once; drops the text if nothing reads it."""
    write(sys.stdout, text + end)


def write(stream: Any, text: str) -> None:
    """Writes to a text stream at once; drops the text if nothing reads it."""
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        _discard_from_now_on(stream)


def write_from_signal_handler(text: bytes) -> None:
    """Writes to standard error without Python's streams, which may be in the middle of a write."""
    with contextlib.suppress(OSError):
        os.write(_STDERR, text)


def _discard_from_now_on(stream: Any) -> None:
    """Redirects a broken stream, so that Python's flush at exit does not fail on what is left."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)

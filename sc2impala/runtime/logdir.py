"""The folder of a run: the lock of its writer, and atomic writes of its files.

Only the rotated files named in README.md are ever deleted or overwritten.
"""

import contextlib
import json
import os
import sys
import tempfile
import time
from typing import Optional, TextIO

from sc2impala.errors import UserError

if sys.platform != 'win32':
    import fcntl

EPISODES_CSV = 'episodes.csv'
EVALUATION_JSON = 'evaluation.json'

_LOCK = '.lock'
_LOOK_SECS = 0.2


def prepare(logdir: str) -> None:
    """Creates the folder and tries to write to it.

    Raises:
      UserError: if the folder is not writable.
    """
    try:
        os.makedirs(logdir, exist_ok=True)
        with tempfile.TemporaryFile(dir=logdir):
            pass
    except OSError as error:
        raise UserError(
            f'--logdir={logdir} cannot be written to ({error.strerror}), expected a folder that '
            'this user may create files in.'
        ) from error


class Lock:
    """Keeps a second run out of a folder while the first one writes to it."""

    def __init__(self, logdir: str):
        self._logdir = logdir
        self._file: Optional[TextIO] = None

    def __enter__(self) -> 'Lock':
        """Raises: UserError: if another process has locked the folder, or it cannot be locked."""
        if sys.platform == 'win32':
            return self
        path = os.path.join(self._logdir, _LOCK)
        try:
            self._file = open(path, 'w')  # noqa: SIM115
            _lock(self._file)
        except BlockingIOError as error:
            self.__exit__()
            raise UserError(
                f'--logdir={self._logdir} is being written to by another run, expected a folder of '
                'its own for each run.'
            ) from error
        except OSError as error:
            raise UserError(
                f'{path} cannot be locked ({error.strerror}), expected a --logdir that this user '
                'may write to, on a file system with locks.'
            ) from error
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._file is not None:
            self._file.close()


def _lock(file: TextIO) -> None:
    """Raises: BlockingIOError: if another process has the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # `is_locked` of another process may have it for a moment.
        time.sleep(_LOOK_SECS)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked(logdir: str) -> bool:
    """Returns whether a run writes to a folder; True if unknown."""
    if sys.platform == 'win32':
        return True
    try:
        with open(os.path.join(logdir, _LOCK)) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def write_json(path: str, content: object) -> None:
    """Writes a file atomically.

    Raises:
      UserError: if the file cannot be written.
    """
    try:
        replace_json(path, content)
    except OSError as error:
        raise UserError(
            f'{path} cannot be written ({error.strerror}), expected a --logdir with free space '
            'that this user may write to.'
        ) from error


def replace_json(path: str, content: object) -> None:
    """Like `write_json`, but raises OSError; nothing remains then."""
    replace_text(path, json.dumps(content, indent=2, sort_keys=True) + '\n')


def replace_text(path: str, content: str) -> None:
    """Writes a file atomically.

    Raises:
      OSError: if the file cannot be written; nothing remains then.
    """
    temporary = path + '.tmp'
    try:
        with open(temporary, 'w') as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def cut_unfinished_line(path: str) -> int:
    """Removes a line that a kill has cut off; creates the file if missing.

    Returns:
      The size of the file in bytes.
    """
    with open(path, 'ab+') as file:
        file.seek(0)
        size = file.read().rfind(b'\n') + 1
        file.truncate(size)
    return size

"""The folder of a run: who may write to it, and files that are written whole or not at all.

Nothing in it is deleted or overwritten but what README.md says is rotated.
"""

import json
import os
import sys
import tempfile
from typing import Any, Optional, TextIO

from sc2impala.errors import UserError

if sys.platform != 'win32':
    import fcntl

_LOCK = '.lock'


def prepare(logdir: str) -> None:
    """Makes the folder and tries to write to it.

    Raises:
      UserError: if that does not work.
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
        """Raises: UserError: if another process holds the folder, or it cannot be locked."""
        if sys.platform == 'win32':
            return self
        path = os.path.join(self._logdir, _LOCK)
        try:
            self._file = open(path, 'w')  # noqa: SIM115
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
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

    def __exit__(self, *exc_info: Any) -> None:
        if self._file is not None:
            self._file.close()


def write_json(path: str, content: Any) -> None:
    """Writes a file whole or not at all.

    Raises:
      UserError: if that does not work.
    """
    temporary = path + '.tmp'
    try:
        with open(temporary, 'w') as file:
            json.dump(content, file, indent=2, sort_keys=True)
            file.write('\n')
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(
            f'{path} cannot be written ({error.strerror}), expected a --logdir with free space '
            'that this user may write to.'
        ) from error

"""Detects a full, read-only or missing file system early, and reports it at most once a minute."""

import errno
import os
import shutil
import time
from typing import Callable, Optional, Tuple

from sc2impala.runtime import console

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers that free space resolves."""

_KNOWN = (*FULL, errno.EROFS, errno.EACCES, errno.EIO, errno.ENOENT, errno.ESTALE)
_REPORT_SECS = 60.0


class Folder:
    """A folder that must not be moved or replaced."""

    def __init__(self, path: str):
        """Args: path: path of a folder that exists before the first check."""
        self._path = path
        self._identity = self._look()

    def check(self, num_bytes: int) -> None:
        """Checks that the folder is the same, and has room.

        Args:
          num_bytes: number of bytes to write.

        Raises:
          OSError: with `errno` and `strerror` as from a failed write.
        """
        found = self._look()
        self._identity = self._identity or found
        if found is None or found != self._identity:
            raise OSError(errno.ENOENT, 'the folder was removed or replaced', self._path)
        if _is_read_only(self._path):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), self._path)
        if _free_bytes(self._path) < num_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)

    def _look(self) -> Optional[Tuple[int, int]]:
        """Device and number of the folder; None if it is missing."""
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_dev, status.st_ino


def _free_bytes(path: str) -> float:
    """The free space of a file system; infinity if unknown."""
    try:
        return shutil.disk_usage(path).free
    except AttributeError:
        return float('inf')


def _is_read_only(path: str) -> bool:
    """Returns True if a file system is mounted read-only, False if unknown."""
    if not hasattr(os, 'statvfs'):  # Windows
        return False
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


class Trouble:
    """Reports failed writes, once a minute while they last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        """Args: clock: gives seconds."""
        self._clock = clock
        self._since: Optional[float] = None
        self._reported = -float('inf')

    @property
    def secs(self) -> float:
        """Seconds since the first failure; 0 without one."""
        return 0.0 if self._since is None else self._clock() - self._since

    def report(self, what: str, error: BaseException, consequence: str) -> None:
        """Reports a failure, at most once a minute.

        Args:
          what: name of the file or folder.
          error: the error.
          consequence: consequence for the run, as a clause.
        """
        now = self._clock()
        self._since = now if self._since is None else self._since
        if now - self._reported >= _REPORT_SECS:
            self._reported = now
            console.say(f'{what} cannot be written ({reason(error)}): {consequence}')

    def over(self, text: str) -> None:
        """Reports the end of failures, if there were any."""
        if self._since is not None:
            console.say(text)
        self._since, self._reported = None, -float('inf')


def number(error: BaseException) -> Optional[int]:
    """The `errno` of an error; TensorFlow's errors have it only in their text."""
    if isinstance(error, OSError):
        return error.errno
    return next((n for n in _KNOWN if os.strerror(n) in str(error)), None)


def reason(error: BaseException) -> str:
    """Returns a short reason for a failed write."""
    found = number(error)
    if isinstance(error, OSError) and error.strerror:
        return str(error.strerror)
    return os.strerror(found) if found else (str(error).splitlines() or [type(error).__name__])[0]

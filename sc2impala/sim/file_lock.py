"""A lock between processes."""

import pathlib
from typing import IO, Any, Optional

try:
    import fcntl
except ImportError:  # Windows: processes do not wait for each other.
    fcntl: Any = None  # type: ignore[no-redef]


class FileLock:
    """A lock that one process at a time holds; it is released when the process ends.

    Where the file cannot be written there is no lock.
    """

    def __init__(self, path: pathlib.Path):
        """Args: path: of a file that stays empty."""
        self._path = path
        self._file: Optional[IO[bytes]] = None

    def acquire(self) -> None:
        """Waits until no other process holds the lock."""
        if fcntl is None or self._file is not None:
            return
        try:
            self._file = open(str(self._path), 'ab')  # noqa: SIM115
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError:
            self.release()

    def release(self) -> None:
        """Releases the lock, if this process holds it."""
        if self._file is not None:
            self._file.close()
            self._file = None

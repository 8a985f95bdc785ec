"""Record of trained frames, to report frames lost by a kill."""

import contextlib
import os
from typing import BinaryIO, Optional

_NAME = '.frames'


class TrainedFrames:
    """Writes the frames after every update to `.frames` in the folder of a run.

    It is not flushed to the disk: it survives a crash of the process, not of the machine.
    """

    def __init__(self, logdir: str):
        """Opens the file, if it is writable; else nothing is recorded.

        Args:
          logdir: the folder of the run.
        """
        self._file: Optional[BinaryIO] = None
        with contextlib.suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT
            descriptor = os.open(os.path.join(logdir, _NAME), flags, 0o600)
            self._file = open(descriptor, 'r+b', buffering=0)  # noqa: SIM115

    def read(self) -> int:
        """Returns the last written frames, or 0."""
        if self._file is None:
            return 0
        with contextlib.suppress(OSError, ValueError):
            self._file.seek(0)
            return int(self._file.read(20))
        return 0

    def note(self, frames: int) -> None:
        """Writes frames."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.seek(0)
                self._file.write(b'%-19d\n' % frames)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

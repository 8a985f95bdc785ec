"""A note of how many frames were trained, to know after a kill what no checkpoint holds."""

import contextlib
import os
from typing import BinaryIO, Optional

_NAME = '.frames'


class TrainedFrames:
    """Notes the frames after every update in a file of the folder of a run, `.frames`.

    It is written without waiting for the disk: it survives the process and not the machine.
    """

    def __init__(self, logdir: str):
        """Opens the file. One that cannot be written to is done without.

        Args:
          logdir: the folder of the run.
        """
        self._file: Optional[BinaryIO] = None
        with contextlib.suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT
            descriptor = os.open(os.path.join(logdir, _NAME), flags, 0o600)
            self._file = open(descriptor, 'r+b', buffering=0)  # noqa: SIM115

    def read(self) -> int:
        """The frames that were noted last, 0 if there are none."""
        if self._file is None:
            return 0
        with contextlib.suppress(OSError, ValueError):
            self._file.seek(0)
            return int(self._file.read(20))
        return 0

    def note(self, frames: int) -> None:
        """Notes frames."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.seek(0)
                self._file.write(b'%-19d\n' % frames)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

"""A note of how many frames were trained, to know after a kill what no checkpoint holds."""

import contextlib
import os
from typing import Optional

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
        self._descriptor: Optional[int] = None
        with contextlib.suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT
            self._descriptor = os.open(os.path.join(logdir, _NAME), flags, 0o600)

    def read(self) -> int:
        """The frames that were noted last, 0 if there are none."""
        if self._descriptor is None:
            return 0
        with contextlib.suppress(OSError, ValueError):
            return int(os.pread(self._descriptor, 20, 0))
        return 0

    def note(self, frames: int) -> None:
        """Notes frames."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._descriptor, b'%-19d\n' % frames, 0)

    def close(self) -> None:
        """Closes the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

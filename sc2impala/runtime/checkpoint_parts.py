"""What a checkpoint holds beside the variables: one file for each part of the state."""

import abc
from typing import Any

from sc2impala import replay as replay_lib


class Part(abc.ABC):
    """A part of the state of a training with a file of its own in every checkpoint.

    name: of its files, `<name>-<frames>.npz`.
    otherwise: what happens without a file.
    """

    name: str
    otherwise = 'it starts empty'

    @abc.abstractmethod
    def save(self, path: str, session: Any) -> None:
        """Writes the file, whole or not at all.

        Args:
          path: of the new file.
          session: with the variables.

        Raises:
          OSError: if it cannot be written.
        """

    @abc.abstractmethod
    def load(self, path: str, session: Any) -> None:
        """Restores what `save` wrote; the variables have been restored before.

        Raises:
          OSError: if the file cannot be read.
          ValueError: if it is damaged, or of another training.
        """


class ReplayPart(Part):
    """The replay buffer and its random state."""

    name = 'replay'

    def __init__(self, table: replay_lib.ReplayTable):
        """Args: table: the replay buffer."""
        self._table = table

    def save(self, path: str, session: Any) -> None:
        """Writes the table, locked meanwhile."""
        with self._table.lock:
            replay_lib.save(path, self._table.get_state())

    def load(self, path: str, session: Any) -> None:
        """Fills the table."""
        self._table.set_state(replay_lib.load(path))

"""The files of a checkpoint besides its variables: the replay buffer, and all states."""

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import replay, saved_arrays
from sc2impala.checkpoints.writer import SavedFile
from sc2impala.errors import UserError
from sc2impala.training.actors import Actors
from sc2impala.training.state import State

REPLAY = 'replay.npz'
STATE = 'state.npz'

_FORMAT = 1


class ReplayFile(SavedFile):
    """The replay buffer and its random state."""

    def __init__(self, table: replay.ReplayTable):
        """Args: table: the replay buffer."""
        self._table = table

    def save(self, path: str, session: tf.Session) -> None:
        """See `SavedFile`; locks the table."""
        with self._table.lock:
            replay.save(path, self._table.get_state())

    def load(self, path: str, session: tf.Session, is_kept: bool = True) -> None:
        """See `SavedFile`."""
        if is_kept:
            self._table.set_state(replay.load(path))


class StateFile(SavedFile):
    """The states of actors, queue and components.

    `restore` restores its content once the session exists: initial values of local
    variables are set after TensorFlow's checkpoint is restored.
    """

    otherwise = 'all games start new episodes, and what waited for an update is lost'

    def __init__(self, states: Sequence[State], actors: Actors):
        """Args:
        states: further states besides the actors' and components'.
        actors: halted while their state is read.
        """
        self._actors = actors
        self._states = list(states)
        self._failed = False
        self._loaded: Optional[Mapping[str, np.ndarray]] = None
        self._is_kept = True
        self._path = ''

    def add(self, states: Sequence[State]) -> None:
        """Adds states of a component."""
        self._states += states

    def save(self, path: str, session: tf.Session) -> None:
        """Writes the state between two unrolls of each actor; waits for current unrolls.

        Does not wait for games that cannot be saved.
        """
        found: Dict[str, Any] = {}
        if self._failed:
            states = [state for state in self._all() if state.survives_errors]
            found.update((state.name, state.get_state(session)) for state in states)
        else:
            with self._actors.halted(session):
                for state in self._all():
                    if state.needs_halt:
                        found[state.name] = state.get_state(session)
            for state in self._all():
                if not state.needs_halt:
                    found[state.name] = state.get_state(session)
        replay.save(path, dict(saved_arrays.join(found), format=np.array(_FORMAT)))

    def fail(self) -> None:
        """Excludes states that depend on actors from now on.

        Call it after an error: an actor may have stopped within an unroll.
        """
        self._failed = True

    def load(self, path: str, session: tf.Session, is_kept: bool = True) -> None:
        """See `SavedFile`; reads the file for `restore`."""
        self._loaded, self._path, self._is_kept = read_arrays(path), path, is_kept

    def restore(self, session: tf.Session) -> List[str]:
        """Restores the loaded states, before any actor acts.

        Returns:
          Sentences about states that were not restored.

        Raises:
          UserError: if the content of the file is damaged.
        """
        if self._loaded is None:
            return []
        loaded, self._loaded = self._loaded, None
        states = self._all()
        if not self._is_kept:
            states = [state for state in states if state.survives_transfer]
        sentences = []
        for state in states:
            arrays = saved_arrays.part(loaded, state.name)
            if not arrays and state.is_never_empty:
                sentences.append(f'{state.otherwise}: that was not saved')
                continue
            try:
                state.set_state(session, arrays)
            except saved_arrays.DifferentState as error:
                sentences.append(f'{state.otherwise}: {str(error).rstrip(".")}')
            except ValueError as error:
                raise UserError(
                    f'{self._path} cannot be restored ({error}); move it away to resume without it.'
                ) from error
        return sentences

    def _all(self) -> List[State]:
        """All states; the actors' account is restored before the states counted in it."""
        return [*self._actors.states, *self._states]


def read_arrays(path: str) -> Dict[str, np.ndarray]:
    """Reads all arrays of an untrusted state file into memory, by name.

    Raises:
      ValueError: if it is truncated, damaged, or of another version.
      OSError: if there is no such file, or it cannot be read.
    """
    saved = replay.load(path)
    state = {name: np.array(saved[name]) for name in saved}
    found = state.pop('format', np.array(0))
    if found.shape != () or found.dtype.kind != 'i' or int(found) != _FORMAT:
        raise ValueError(f'it has the format {found}, expected {_FORMAT}')
    return state

"""Memory that a trainer and the workers of its K games share: one block, and its arrays.

The file behind it has no name from the start: whoever still has it open keeps it, and when the last
one is gone, in whatever way, so is the memory.
"""

import mmap
import os
import tempfile
from typing import Any, Dict, Tuple

import numpy as np

from sc2impala.envs.pysc2_api import actions as pysc2_actions
from sc2impala.envs.specs import ArraySpec, ObservationSpec

NUM_ARGUMENT_TYPES = len(pysc2_actions.TYPES)

_IN_MEMORY = '/dev/shm'
_PAGE = 4096

_CALL = {
    'arguments': ArraySpec((NUM_ARGUMENT_TYPES, 2), np.dtype(np.int32)),
    'function_id': ArraySpec((), np.dtype(np.int32)),
    'step_mul': ArraySpec((), np.dtype(np.int32)),
}
"""What a game is to do: PySC2's id of a function, arguments by the id of their type, (x, y) or
(value, unused), and game loops to play."""

_RESULT = {
    'done': ArraySpec((), np.dtype(np.bool_)),
    'episode_frames': ArraySpec((), np.dtype(np.int32)),
    'reward': ArraySpec((), np.dtype(np.float32)),
}
"""What came of it, of the episode that the step was part of."""


class SharedArrays:
    """Arrays of K games.

    fileno: of the memory, to be passed to the worker.
    calls: dict of [K, ...], see _CALL. results: dict of [K, ...], see _RESULT.
    """

    def __init__(self, observation_spec: ObservationSpec, num_envs: int, fileno: int = -1):
        """Allocates the memory, or with a file number attaches to it.

        Raises:
          OSError: if there is no room for it.
        """
        structure = observation_spec.structure()
        dtype = _record({'call': _CALL, 'observation': structure, 'result': _RESULT}, num_envs)
        self._file = None
        if fileno < 0:
            self._file = _nameless_file(dtype.itemsize)
            fileno = self._file.fileno()
        self.fileno = fileno
        memory = mmap.mmap(fileno, dtype.itemsize)
        self._block = np.ndarray([], dtype, buffer=memory)
        record, offset = dtype.fields['observation'][:2]
        self._observation_dtype = record
        self._observation_bytes = np.ndarray([record.itemsize], np.uint8, memory, offset)
        self.calls = _views(self._block['call'])
        self.results = _views(self._block['result'])

    def copy_observation(self) -> Dict[str, Any]:
        """The observations of all games as a nested dict of [K, ...], in one new block."""
        # Of a record, NumPy would copy one field after the other.
        copy = self._observation_bytes.copy()
        return _views(np.ndarray([], self._observation_dtype, copy))

    def of_game(self, index: int) -> Tuple[Dict[str, Any], Dict[str, Any], Dict[str, Any]]:
        """Call, observation and result of one game: nested dicts of arrays to read or write."""
        return tuple(_views(self._block[name], index) for name in ('call', 'observation', 'result'))


def _nameless_file(size):
    """A file of zeros, in memory if there is room: pages are taken now, not when written to."""
    folders = [_IN_MEMORY] if os.path.isdir(_IN_MEMORY) else []
    for folder in folders + [None]:
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        try:
            file.write(bytes(-(-size // _PAGE) * _PAGE))
            file.flush()
            return file
        except OSError:
            file.close()
            if folder is None:
                raise


def _record(structure, num_envs):
    """A nested dict of ArraySpecs -> a dtype with the same nesting, and [K] before every shape."""
    fields = [
        (name, _record(spec, num_envs))
        if isinstance(spec, dict)
        else (name, spec.dtype, (num_envs,) + spec.shape)
        for name, spec in structure.items()
    ]
    return np.dtype(fields, align=True)


def _views(record, index=slice(None)):
    """A record -> a nested dict of views of what it holds, or of one game's part of it."""
    return {
        name: _views(record[name], index) if record.dtype[name].names else record[name][index, ...]
        for name in record.dtype.names
    }

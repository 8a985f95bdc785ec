"""Arrays in memory shared by a trainer and the workers of its K games.

The memory is an unnamed file. It is freed when the last process that has it open ends, in whatever
way that happens.
"""

import contextlib
import mmap
import os
import tempfile
from typing import IO, Dict, Mapping, Optional, Tuple, Union

import numpy as np

from sc2impala.envs.pysc2_api import actions as pysc2_actions
from sc2impala.envs.specs import ArraySpec, ObservationSpec
from sc2impala.structs import Nest

NUM_ARGUMENT_TYPES = len(pysc2_actions.TYPES)

_IN_MEMORY = '/dev/shm'
_PAGE = 4096

_CALL = {
    'arguments': ArraySpec((NUM_ARGUMENT_TYPES, 2), np.dtype(np.int32)),
    'function_id': ArraySpec((), np.dtype(np.int32)),
    'selection': ArraySpec((4,), np.dtype(np.int32)),
    'step_mul': ArraySpec((), np.dtype(np.int32)),
}
"""The next action of a game: PySC2's function id, one row of arguments per argument type, (x, y) or
(value, unused), the selection before it, see `conversion.pack_selections`, and the number of frames
to advance."""

_RESULT = {
    'done': ArraySpec((), np.dtype(np.bool_)),
    'episode_frames': ArraySpec((), np.dtype(np.int32)),
    'reset': ArraySpec((), np.dtype(np.bool_)),
    'reward': ArraySpec((), np.dtype(np.float32)),
}
"""The result of a step. `episode_frames` is the total of the episode to which the step belongs, and
`reset` means that the step only started the next episode after a truncated one."""


class SharedArrays:
    """Arrays of K games in shared memory.

    fileno: file number of the memory, to be passed to the workers.
    calls: dict of arrays [K, ...], see _CALL.
    results: dict of arrays [K, ...], see _RESULT.
    """

    def __init__(self, observation_spec: ObservationSpec, num_envs: int, fileno: int = -1):
        """Allocates the memory, or attaches to existing memory if a file number is passed.

        Raises:
          OSError: if there is not enough space.
        """
        structure = observation_spec.structure()
        dtype = _record({'call': _CALL, 'observation': structure, 'result': _RESULT}, num_envs)
        self._file: Optional[IO[bytes]] = None
        if fileno < 0:
            self._file = _unnamed_file(dtype.itemsize)
            fileno = self._file.fileno()
        self.fileno = fileno
        memory = mmap.mmap(fileno, dtype.itemsize)
        self._block = np.ndarray([], dtype, buffer=memory)
        record, offset = _field(dtype, 'observation')
        self._observation_dtype = record
        self._observation_bytes = np.ndarray([record.itemsize], np.uint8, memory, offset)
        self.calls = _views(self._block['call'])
        self.results = _views(self._block['result'])

    def copy_observation(self) -> Dict[str, Nest]:
        """Returns the observations of all games, a nested dict of [K, ...] in one new block."""
        # Copied as bytes because NumPy copies a record field by field, which is slower.
        copy = self._observation_bytes.copy()
        return _views(np.ndarray([], self._observation_dtype, copy))

    def view_game(self, index: int) -> Tuple[Dict[str, Nest], Dict[str, Nest], Dict[str, Nest]]:
        """Returns views of the call, observation and result of one game, as nested dicts."""
        call, observation, result = (
            _views(self._block[name], index) for name in ('call', 'observation', 'result')
        )
        return call, observation, result


def _unnamed_file(size: int) -> IO[bytes]:
    """Creates an unnamed file of zeros, in memory if there is enough space."""
    if os.path.isdir(_IN_MEMORY):
        with contextlib.suppress(OSError):
            return _zeros(_IN_MEMORY, size)
    return _zeros(None, size)


def _zeros(folder: Optional[str], size: int) -> IO[bytes]:
    # Writing allocates the pages now: a lack of space is an OSError here and not a SIGBUS later.
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
    try:
        file.write(bytes(-(-size // _PAGE) * _PAGE))
        file.flush()
    except OSError:
        file.close()
        raise
    return file


def _record(structure: Mapping[str, Nest], num_envs: int) -> np.dtype:
    """Returns a dtype nested like a dict of ArraySpecs, with [K] in front of every shape."""
    fields = [
        (name, _record(spec, num_envs))
        if isinstance(spec, dict)
        else (name, spec.dtype, (num_envs,) + spec.shape)
        for name, spec in structure.items()
    ]
    return np.dtype(fields, align=True)


def _field(dtype: np.dtype, name: str) -> Tuple[np.dtype, int]:
    """Returns dtype and offset of a field of a record."""
    fields = dtype.fields
    assert fields is not None
    return fields[name][0], fields[name][1]


def _views(record: np.ndarray, index: Union[int, slice] = slice(None)) -> Dict[str, Nest]:
    """Returns a nested dict of views of the fields of a record, or of one game's part of them."""
    return {
        name: _views(record[name], index) if record.dtype[name].names else record[name][index, ...]
        for name in record.dtype.names or ()
    }

"""A memory of sequences of fixed size, sampled uniformly.

The memory knows no structure: a sequence is a list of components, the flattened arrays of a
trajectory. Each component has one array [capacity, ...] for all sequences, allocated once.
"""

import threading
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from sc2impala.replay.eviction import EVICTIONS

Spec = Tuple[Sequence[int], Any]
"""Shape and dtype of one component of one sequence."""

_RNG_ENTRIES = ('rng_name', 'rng_keys', 'rng_position', 'rng_has_gauss', 'rng_gauss')


def memory_bytes(specs: Sequence[Spec], capacity: int) -> int:
    """Returns the bytes that the sequences of a full `Replay(capacity, specs, ...)` take."""
    return capacity * sum(_num_bytes(shape, dtype) for shape, dtype in specs)


class Replay:
    """Keeps up to `capacity` sequences and samples them uniformly.

    Each method may be called from any thread. `lock` keeps the others out for more than one call.
    """

    def __init__(
        self, capacity: int, specs: Sequence[Spec], eviction: str, rng: np.random.RandomState
    ):
        """Allocates the memory; `memory_bytes` tells beforehand how much.

        Args:
          capacity: how many sequences are kept.
          specs: shape and dtype of each component of one sequence.
          eviction: 'reservoir' keeps a uniform sample of all sequences ever inserted, as CLEAR
            does; 'fifo' keeps the latest.
          rng: the source of all randomness, the replay's own from now on.

        Raises:
          ValueError: no capacity, unknown eviction, or a component that holds no plain numbers.
        """
        if capacity < 1:
            raise ValueError(f'`capacity` must be at least 1, but is {capacity}.')
        if eviction not in EVICTIONS:
            raise ValueError(f'`eviction` must be one of {sorted(EVICTIONS)}, but is {eviction!r}.')
        for index, (_, dtype) in enumerate(specs):
            if np.dtype(dtype).kind not in 'biufc':
                raise ValueError(f'`specs[{index}]` must hold plain numbers, but holds {dtype}.')
        self.capacity = capacity
        self.lock = threading.RLock()
        self._eviction = eviction
        self._rng = rng
        self._num_inserted = 0
        self._storage = [np.zeros((capacity,) + tuple(shape), dtype) for shape, dtype in specs]

    @property
    def size(self) -> int:
        """How many sequences are kept now."""
        return min(self._num_inserted, self.capacity)

    @property
    def num_inserted(self) -> int:
        """How many sequences were ever inserted, kept or not."""
        return self._num_inserted

    def insert(self, components: Sequence[np.ndarray]) -> None:
        """Offers N sequences to the memory, one after the other.

        Args:
          components: for each spec an array [N, ...].

        Raises:
          ValueError: an array differs from its spec, or from the others in N. Nothing is inserted.
        """
        num_new = self._check_insert(components)
        with self.lock:
            row_of_slot = {}
            for row in range(num_new):
                slot = EVICTIONS[self._eviction](self._num_inserted, self.capacity, self._rng)
                self._num_inserted += 1
                if slot is not None:
                    row_of_slot[slot] = row
            slots, rows = list(row_of_slot.keys()), list(row_of_slot.values())
            for stored, component in zip(self._storage, components):
                stored[slots] = component[rows]

    def sample(self, count: int) -> List[np.ndarray]:
        """Draws `count` different sequences, all equally likely.

        Returns:
          For each spec an array [count, ...], a copy.

        Raises:
          ValueError: the memory holds fewer sequences.
        """
        with self.lock:
            if count > self.size:
                raise ValueError(
                    f'`count` must be at most the {self.size} sequences held, but is {count}.'
                )
            slots = self._rng.choice(self.size, size=count, replace=False)
            return [stored[slots] for stored in self._storage]

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns all that `set_state` needs to go on identically, the random state included.

        The sequences are views of the memory, which may be too large to copy: hold `lock` until the
        state is written, so that nothing is inserted meanwhile.
        """
        with self.lock:
            state = {
                'capacity': np.asarray(self.capacity),
                'eviction': np.asarray(self._eviction),
                'num_inserted': np.asarray(self._num_inserted),
            }
            state.update(zip(_RNG_ENTRIES, map(np.asarray, self._rng.get_state())))
            for index, stored in enumerate(self._storage):
                state[_component_entry(index)] = stored[: self.size]
            return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from a state that `get_state` of a replay of the same arguments returned.

        Args:
          state: asked for each entry once, so that it may be larger than the memory that is left.

        Raises:
          ValueError: the state is that of a replay of other arguments, or of something else. The
            memory is then empty.
        """
        with self.lock:
            self._num_inserted = 0
            self._check_arguments(state)
            num_inserted = int(state['num_inserted'])
            size = min(num_inserted, self.capacity)
            for index, stored in enumerate(self._storage):
                entry = _component_entry(index)
                restored = state[entry]
                expected = (size,) + stored.shape[1:]
                _check_array(f'state[{entry!r}]', restored, expected, stored.dtype)
                stored[:size] = restored
            name, keys, position, has_gauss, gauss = (state[entry] for entry in _RNG_ENTRIES)
            self._rng.set_state((str(name), keys, int(position), int(has_gauss), float(gauss)))
            self._num_inserted = num_inserted

    def _check_insert(self, components):
        """Returns N."""
        if len(components) != len(self._storage):
            raise ValueError(
                f'`components` must have {len(self._storage)} arrays, but has {len(components)}.'
            )
        num_new = len(components[0])
        for index, (stored, component) in enumerate(zip(self._storage, components)):
            expected = (num_new,) + stored.shape[1:]
            _check_array(f'components[{index}]', component, expected, stored.dtype)
        return num_new

    def _check_arguments(self, state):
        expected = sorted(self.get_state())
        if sorted(state) != expected:
            raise ValueError(f'`state` must have the entries {expected}, but has {sorted(state)}.')
        for name, value in (('capacity', self.capacity), ('eviction', self._eviction)):
            if state[name] != value:
                raise ValueError(f'`state[{name!r}]` must be {value!r}, but is {state[name]}.')


def _num_bytes(shape, dtype):
    return int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize


def _component_entry(index):
    return f'component_{index}'


def _check_array(name, array, shape, dtype):
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(
            f'`{name}` must be {dtype} {list(shape)}, but is {array.dtype} {list(array.shape)}.'
        )

"""A memory of sequences of fixed size, sampled uniformly.

The memory knows no structure: a sequence is a list of components, the flattened arrays of a
trajectory. `stores` keeps them, compressed or not; what is sampled does not depend on it.
"""

import threading
from typing import Dict, List, Mapping, Sequence

import numpy as np

from sc2impala.replay import entries
from sc2impala.replay.codec import Spec
from sc2impala.replay.eviction import EVICTIONS
from sc2impala.replay.pages import PAGE_BYTES
from sc2impala.replay.stores import STORES

_MOST_COMPRESSION = 100
"""No sequence with floats in it comes near to being so many times smaller."""

_RNG_ENTRIES = ('rng_name', 'rng_keys', 'rng_position', 'rng_has_gauss', 'rng_gauss')


def memory_bytes(specs: Sequence[Spec], capacity: int) -> int:
    """Returns the bytes of the sequences of a full `Replay(capacity, specs, ...)`, uncompressed."""
    return capacity * sum(_num_bytes(shape, dtype) for shape, dtype in specs)


def least_compressed_bytes(specs: Sequence[Spec], capacity: int) -> int:
    """Returns what no full compressed memory stays below; sequences of real games take far more."""
    per_sequence = max(memory_bytes(specs, 1) // _MOST_COMPRESSION, PAGE_BYTES)
    return capacity * per_sequence


class Replay:
    """Keeps up to `capacity` sequences and samples them uniformly.

    Each method may be called from any thread. `lock` keeps the others out for more than one call.
    """

    def __init__(
        self,
        capacity: int,
        specs: Sequence[Spec],
        eviction: str,
        rng: np.random.RandomState,
        compression: str = 'none',
    ):
        """Allocates the memory, unless it is compressed and taken when it is needed.

        Args:
          capacity: how many sequences are kept.
          specs: shape and dtype of each component of one sequence.
          eviction: 'reservoir' keeps a uniform sample of all sequences ever inserted, as CLEAR
            does; 'fifo' keeps the latest.
          rng: the source of all randomness, the replay's own from now on.
          compression: 'none', which takes what `memory_bytes` tells, or 'zstd'. Sequences are the
            same bit for bit.

        Raises:
          ValueError: no capacity, unknown eviction or compression, or a component that holds no
            plain numbers.
        """
        if capacity < 1:
            raise ValueError(f'`capacity` must be at least 1, but is {capacity}.')
        if eviction not in EVICTIONS:
            raise ValueError(f'`eviction` must be one of {sorted(EVICTIONS)}, but is {eviction!r}.')
        if compression not in STORES:
            raise ValueError(
                f'`compression` must be one of {sorted(STORES)}, but is {compression!r}.'
            )
        for index, (_, dtype) in enumerate(specs):
            if np.dtype(dtype).kind not in 'biufc':
                raise ValueError(f'`specs[{index}]` must hold plain numbers, but holds {dtype}.')
        self.capacity = capacity
        self.lock = threading.RLock()
        self._eviction = eviction
        self._rng = rng
        self._num_inserted = 0
        self._specs = [(tuple(shape), np.dtype(dtype)) for shape, dtype in specs]
        self._store = STORES[compression](capacity, self._specs)

    @property
    def size(self) -> int:
        """How many sequences are kept now."""
        return min(self._num_inserted, self.capacity)

    @property
    def num_inserted(self) -> int:
        """How many sequences were ever inserted, kept or not."""
        return self._num_inserted

    @property
    def num_bytes(self) -> int:
        """The memory that the sequences take now, in bytes; uncompressed it is taken at once."""
        return self._store.num_bytes

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
                slot = EVICTIONS[self._eviction](self._num_inserted + row, self.capacity, self._rng)
                if slot is not None:
                    row_of_slot[slot] = row
            # Only what is kept is compressed, and only what was written counts.
            self._store.write(list(row_of_slot.keys()), components, list(row_of_slot.values()))
            self._num_inserted += num_new

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
            read = self._store.read(slots)
        return read()

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
            state.update(self._store.get_state(self.size))
            return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from a state that `get_state` of a replay of the same arguments returned.

        The compression may be another one.

        Args:
          state: its arrays may be larger than the memory that is left, if they are read from a file
            while they are used.

        Raises:
          ValueError: the state is that of a replay of other arguments, or of something else. The
            memory is then empty.
        """
        with self.lock:
            self._num_inserted = 0
            self._check_arguments(state)
            num_inserted = int(state['num_inserted'])
            self._store.set_state(state, min(num_inserted, self.capacity))
            name, keys, position, has_gauss, gauss = (state[entry] for entry in _RNG_ENTRIES)
            self._rng.set_state((str(name), keys, int(position), int(has_gauss), float(gauss)))
            self._num_inserted = num_inserted

    def _check_insert(self, components):
        """Returns N."""
        if len(components) != len(self._specs):
            raise ValueError(
                f'`components` must have {len(self._specs)} arrays, but has {len(components)}.'
            )
        num_new = len(components[0])
        for index, (component, (shape, dtype)) in enumerate(zip(components, self._specs)):
            entries.check_array(f'components[{index}]', component, (num_new,) + shape, dtype)
        return num_new

    def _check_arguments(self, state):
        own = ['capacity', 'eviction', 'num_inserted'] + list(_RNG_ENTRIES)
        expected = sorted(own + entries.names(state, len(self._specs)))
        if sorted(state) != expected:
            raise ValueError(f'`state` must have the entries {expected}, but has {sorted(state)}.')
        for name, value in (('capacity', self.capacity), ('eviction', self._eviction)):
            if state[name] != value:
                raise ValueError(f'`state[{name!r}]` must be {value!r}, but is {state[name]}.')


def _num_bytes(shape, dtype):
    return int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize

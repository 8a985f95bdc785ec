"""The replay table: a fixed number of sequences with a sampler and a remover.

The table knows no structure: a sequence is a list of components, the flattened arrays of a
trajectory. `stores` keeps the sequences, compressed or not; sampling does not depend on it.
"""

import threading
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from sc2impala.replay import entries
from sc2impala.replay.codec import Spec
from sc2impala.replay.pages import PAGE_BYTES
from sc2impala.replay.removers import Remover
from sc2impala.replay.samplers import Sampler, Uniform
from sc2impala.replay.stores import STORES


class Sample(NamedTuple):
    """Sampled sequences.

    components: for each spec an array [count, ...].
    keys: int64 [count].
    probabilities: float64 [count], the probability with which a single draw selects this sequence.
    """

    components: List[np.ndarray]
    keys: np.ndarray
    probabilities: np.ndarray


_MAX_COMPRESSION = 100
"""Upper bound of the compression ratio of sequences that contain floats."""

_RNG_ENTRIES = ('rng_name', 'rng_keys', 'rng_position', 'rng_has_gauss', 'rng_gauss')

_RNG_WORDS = 624

_SCALAR_KINDS = {
    'capacity': 'iu',
    'num_inserted': 'iu',
    'size': 'iu',
    'eviction': 'U',
    'sampler': 'U',
    'rng_name': 'U',
    'rng_position': 'iu',
    'rng_has_gauss': 'iu',
    'rng_gauss': 'f',
}
"""Kinds of the dtypes of entries without dimensions."""

_SAMPLER_PREFIX = 'sampler_'
"""Precedes the names of the sampler's own arrays in a state."""

_NO_KEY = -1


def uncompressed_bytes(specs: Sequence[Spec], capacity: int) -> int:
    """Returns the size of `capacity` uncompressed sequences in bytes."""
    return capacity * sum(_num_bytes(shape, dtype) for shape, dtype in specs)


def min_compressed_bytes(specs: Sequence[Spec], capacity: int) -> int:
    """Returns a lower bound of the size of `capacity` compressed sequences in bytes.

    Sequences of real games take far more.
    """
    per_sequence = max(uncompressed_bytes(specs, 1) // _MAX_COMPRESSION, PAGE_BYTES)
    return capacity * per_sequence


class ReplayTable:
    """A replay buffer of up to `capacity` sequences.

    Each inserted sequence has a key, its insertion number: the first one ever inserted has key 0.
    All methods may be called from any thread. A caller that holds `lock` makes several calls
    without calls of other threads in between.
    """

    def __init__(
        self,
        capacity: int,
        specs: Sequence[Spec],
        sampler: Sampler,
        remover: Remover,
        rng: np.random.RandomState,
        compression: str = 'none',
        defaults: Optional[Mapping[int, int]] = None,
    ):
        """Creates an empty table. Uncompressed, it allocates the memory of all sequences.

        Args:
          capacity: maximum number of sequences.
          specs: shape and dtype of each component of one sequence.
          sampler: selects the sequences to sample; used by this table only.
          remover: selects the sequence that a new one overwrites when the table is full.
          rng: the source of all randomness; used by this table only.
          compression: 'none', which takes `uncompressed_bytes`, or 'zstd', which is lossless and
            allocates memory when it is needed.
          defaults: for the last components, {index: scalar}: the value of a component in sequences
            that were saved before the component existed; see `set_state`.

        Raises:
          ValueError: the capacity is less than 1, the compression is unknown, a component does not
            consist of plain numbers, or `defaults` names other components than the last ones.
        """
        if capacity < 1:
            raise ValueError(f'`capacity` must be at least 1, but is {capacity}.')
        if compression not in STORES:
            raise ValueError(
                f'`compression` must be one of {sorted(STORES)}, but is {compression!r}.'
            )
        for index, (_, dtype) in enumerate(specs):
            if np.dtype(dtype).kind not in 'biufc':
                raise ValueError(f'`specs[{index}]` must hold plain numbers, but holds {dtype}.')
        defaults = dict(defaults or {})
        if sorted(defaults) != list(range(len(specs) - len(defaults), len(specs))):
            raise ValueError(
                f'`defaults` must name the last of {len(specs)} components, but names '
                f'{sorted(defaults)}.'
            )
        self.capacity = capacity
        self.lock = threading.RLock()
        self._sampler = sampler
        self._remover = remover
        self._rng = rng
        self._specs: List[Spec] = [(tuple(shape), np.dtype(dtype)) for shape, dtype in specs]
        self._defaults = {
            index: np.full((1,) + tuple(self._specs[index][0]), value, self._specs[index][1])
            for index, value in defaults.items()
        }
        self._store = STORES[compression](capacity, self._specs)
        self._keys = np.empty([capacity], np.int64)
        self._slot_of_key: Dict[int, int] = {}
        self._num_inserted = self._size = self._first_key = 0
        self._clear()

    @property
    def size(self) -> int:
        """Number of sequences in the table."""
        return self._size

    @property
    def num_inserted(self) -> int:
        """Number of sequences ever inserted, kept or not."""
        return self._num_inserted

    @property
    def num_bytes(self) -> int:
        """Memory that the sequences take now, in bytes; uncompressed it is constant."""
        return self._store.num_bytes

    @property
    def has_priorities(self) -> bool:
        """Returns whether the sampler uses priorities."""
        return self._sampler.has_priorities

    def insert(
        self, components: Sequence[np.ndarray], priorities: Optional[np.ndarray] = None
    ) -> np.ndarray:
        """Inserts N sequences, one after the other.

        Args:
          components: for each spec an array [N, ...].
          priorities: float [N], finite and not negative; None leaves the choice to the sampler.

        Returns:
          int64 [N]: the key of each sequence, or -1 where the remover rejected it. A later sequence
          of the same call may already have overwritten an earlier one, whose key is then returned
          but no longer in the table.

        Raises:
          ValueError: an array differs from its spec, or from the others in N; or priorities are
            invalid, or the sampler does not use any. Nothing is inserted.
        """
        num_new = self._check_components(components)
        if priorities is not None:
            self._check_has_priorities()
            priorities = _check_priorities(priorities, num_new)
        with self.lock:
            keys = np.full([num_new], _NO_KEY, np.int64)
            size = self._size
            row_of_slot: Dict[int, int] = {}
            for row in range(num_new):
                key = self._num_inserted + row
                slot: Optional[int] = size
                if size < self.capacity:
                    size += 1
                else:
                    number = key - self._first_key
                    slot = self._remover.next_slot(number, self.capacity, self._rng)
                if slot is not None:
                    keys[row] = key
                    row_of_slot[slot] = row
            slots, rows = list(row_of_slot.keys()), list(row_of_slot.values())
            self._remove_keys(slots)
            # Only sequences that are kept are compressed, and only those written are counted.
            self._store.write(slots, components, rows)
            self._add_keys(slots, keys[rows])
            self._sampler.insert(
                np.array(slots, np.int64), None if priorities is None else priorities[rows]
            )
            self._num_inserted += num_new
            self._size = size
        return keys

    def sample(self, count: int) -> Sample:
        """Draws `count` sequences with the sampler.

        Returns:
          `Sample(components, keys, probabilities)`: for each spec an array [count, ...], a copy;
          the keys of the sequences, int64 [count]; and the probability with which a single draw
          selects each sequence, float64 [count].

        Raises:
          ValueError: the table has fewer sequences.
        """
        with self.lock:
            if count > self.size:
                raise ValueError(
                    f'`count` must be at most the {self.size} sequences held, but is {count}.'
                )
            slots, probabilities = self._sampler.sample(self.size, count, self._rng)
            keys = self._keys[slots]
            read = self._store.read(slots)
        return Sample(read(), keys, probabilities)

    def update_priorities(self, keys: np.ndarray, priorities: np.ndarray) -> None:
        """Replaces the priorities of sequences.

        Args:
          keys: int64 [N], as returned by `insert` or `sample`. Keys that are -1 or no longer in the
            table are ignored. Of a repeated key the last priority counts.
          priorities: float [N], finite and not negative.

        Raises:
          ValueError: the sampler does not use priorities, or the arguments are invalid. Nothing is
            changed.
        """
        self._check_has_priorities()
        keys = np.asarray(keys)
        if keys.dtype.kind not in 'iu' or keys.ndim != 1:
            raise ValueError(f'`keys` must be int64 [N], but is {keys.dtype} {list(keys.shape)}.')
        priorities = _check_priorities(priorities, len(keys))
        with self.lock:
            slots = [self._slot_of_key.get(key) for key in keys.tolist()]
            updates = {s: p for s, p in zip(slots, priorities.tolist()) if s is not None}
            self._sampler.update(
                np.array(list(updates.keys()), np.int64),
                np.array(list(updates.values()), np.float64),
            )

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns all that `set_state` needs to continue identically, with the random state.

        The sequences are views of the table, which may be too large to copy: hold `lock` until the
        state is written, so that nothing is inserted meanwhile. The entries are

        * capacity, num_inserted: int64 scalars;
        * eviction, sampler: text, the names of the remover and the sampler;
        * size: int64 scalar, only if an enlarged table is not full yet;
        * keys: int64 [size], the key of the sequence in each slot. It is -1 after an insertion into
          the slot failed halfway, e.g. for lack of memory;
        * rng_<...>: the random state;
        * sampler_<name>: the arrays of the sampler;
        * the arrays of the sequences, see `entries`.
        """
        with self.lock:
            state = {
                'capacity': np.asarray(self.capacity),
                'eviction': np.asarray(self._remover.name),
                'num_inserted': np.asarray(self._num_inserted),
                'sampler': np.asarray(self._sampler.name),
                'keys': self._keys[: self.size].copy(),
            }
            if self.size < min(self.capacity, self._num_inserted):
                state['size'] = np.asarray(self.size)
            state.update(zip(_RNG_ENTRIES, map(np.asarray, self._rng.get_state())))
            for name, array in self._sampler.get_state(self.size).items():
                state[_SAMPLER_PREFIX + name] = array
            state.update(self._store.get_state(self.size))
            return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Continues from a state that `get_state` of a table of the same arguments returned.

        The state may differ from this table in the following, and in nothing else:

        * The compression may be another one.
        * The capacity may be another one. A smaller table keeps the sequences that
          `Remover.kept_slots` chooses; a larger one has free slots for new sequences.
        * It may lack the last components if `defaults` has values for all that it lacks. All its
          sequences get these values.
        * It may have neither of the entries `keys` and `sampler`, as all states saved before tables
          had keys. Its sampler was `Uniform`, and its sequences get the numbers of their slots as
          keys: 0 to size - 1. They never equal the key of a later sequence, since that is at least
          `num_inserted`.

        Args:
          state: its arrays may be larger than the free memory, if they are read from a file while
            they are used: sequences are restored one by one.

        Raises:
          ValueError: the state is from a table of other arguments, or is invalid.
            The table is then empty.
        """
        with self.lock:
            self._clear()
            try:
                self._restore(state)
            except BaseException:
                self._clear()
                raise

    def _restore(self, state: Mapping[str, np.ndarray]) -> None:
        has_keys = 'keys' in state or 'sampler' in state
        self._check_arguments(state, has_keys)
        num_inserted = int(state['num_inserted'])
        size = _saved_size(state)
        keys = state['keys'] if has_keys else np.arange(size, dtype=np.int64)
        _check_keys(keys, size, num_inserted)
        name, words, position, has_gauss, gauss = (state[entry] for entry in _RNG_ENTRIES)
        self._rng.set_state((str(name), words, int(position), int(has_gauss), float(gauss)))
        kept = np.arange(size)
        if state['capacity'] != self.capacity:
            kept = self._remover.kept_slots(keys, self.capacity, self._rng)
        self._store.set_state(state, size, self._defaults, kept.tolist())
        self._add_keys(range(len(kept)), keys[kept])
        of_sampler = {n: state[_SAMPLER_PREFIX + n] for n in self._sampler.get_state(0)}
        of_sampler = dict(self._sampler.kept_state(of_sampler, size, kept))
        self._sampler.set_state(of_sampler, len(kept))
        self._num_inserted, self._size = num_inserted, len(kept)
        self._first_key = self._remover.first_key(self._keys[: len(kept)], self.capacity)

    def _clear(self) -> None:
        """Empties the table; the store overwrites its sequences later."""
        self._num_inserted = self._size = self._first_key = 0
        self._keys[:] = _NO_KEY
        self._slot_of_key.clear()
        self._sampler.reset(self.capacity)

    def _remove_keys(self, slots: Sequence[int]) -> None:
        """Removes the keys of sequences that are about to be overwritten.

        Called before they are: should writing fail halfway, no key refers to a wrong sequence.
        """
        for slot in slots:
            self._slot_of_key.pop(int(self._keys[slot]), None)
            self._keys[slot] = _NO_KEY

    def _add_keys(self, slots: Sequence[int], keys: np.ndarray) -> None:
        for slot, key in zip(slots, keys.tolist()):
            self._keys[slot] = key
            if key != _NO_KEY:
                self._slot_of_key[key] = slot

    def _check_components(self, components: Sequence[np.ndarray]) -> int:
        """Returns N."""
        if len(components) != len(self._specs):
            raise ValueError(
                f'`components` must have {len(self._specs)} arrays, but has {len(components)}.'
            )
        num_new = len(components[0])
        for index, (component, (shape, dtype)) in enumerate(zip(components, self._specs)):
            entries.check_array(f'components[{index}]', component, (num_new, *shape), dtype)
        return num_new

    def _check_has_priorities(self) -> None:
        if not self.has_priorities:
            raise ValueError(
                f'The sampler {self._sampler.name!r} of this replay table does not use priorities.'
            )

    def _check_arguments(self, state: Mapping[str, np.ndarray], has_keys: bool) -> None:
        _check_scalars(state)
        own = ['capacity', 'eviction', 'num_inserted'] + list(_RNG_ENTRIES)
        own += ['size'] if 'size' in state else []
        if has_keys:
            own += ['keys', 'sampler']
            own += [_SAMPLER_PREFIX + name for name in self._sampler.get_state(0)]
        num_components = entries.num_saved_components(state, self._specs, self._defaults)
        expected = sorted(own + entries.names(state, num_components))
        saved_sampler = state.get('sampler', Uniform.name)
        if saved_sampler != self._sampler.name:
            # Before the names of the entries, since these depend on the sampler.
            raise ValueError(
                f"`state['sampler']` must be {self._sampler.name!r}, but is {saved_sampler}."
            )
        if sorted(state) != expected:
            raise ValueError(f'`state` must have the entries {expected}, but has {sorted(state)}.')
        _check_random_state(state)
        if state['eviction'] != self._remover.name:
            raise ValueError(
                f"`state['eviction']` must be {self._remover.name!r}, but is {state['eviction']}."
            )


def _check_scalars(state: Mapping[str, np.ndarray]) -> None:
    """Checks the types of numbers and text in a state."""
    for name, kinds in _SCALAR_KINDS.items():
        if name in state and (state[name].shape != () or state[name].dtype.kind not in kinds):
            raise ValueError(f'`state[{name!r}]` must be a number or text of one of {kinds!r}.')


def _saved_size(state: Mapping[str, np.ndarray]) -> int:
    """Returns the number of sequences in a state."""
    capacity, full = int(state['capacity']), min(int(state['num_inserted']), int(state['capacity']))
    if capacity < 1:
        raise ValueError(f"`state['capacity']` must be at least 1, but is {capacity}.")
    size = int(state.get('size', full))
    if not 0 <= size <= full:
        raise ValueError(f"`state['size']` must be from 0 to {full}, but is {size}.")
    return size


def _check_random_state(state: Mapping[str, np.ndarray]) -> None:
    """Checks numbers, also those that NumPy's generator takes unchecked."""
    if state['num_inserted'] < 0:
        raise ValueError(f"`state['num_inserted']` must not be {state['num_inserted']}.")
    entries.check_array("state['rng_keys']", state['rng_keys'], [_RNG_WORDS], np.uint32)
    position, has_gauss = int(state['rng_position']), int(state['rng_has_gauss'])
    if not 0 <= position <= _RNG_WORDS or has_gauss not in (0, 1):
        raise ValueError(
            f"`state['rng_position']` must be from 0 to {_RNG_WORDS} and `state['rng_has_gauss']` "
            f'0 or 1, but are {position} and {has_gauss}.'
        )


def _check_keys(keys: np.ndarray, size: int, num_inserted: int) -> None:
    entries.check_array("state['keys']", keys, [size], np.int64)
    known = keys[keys != _NO_KEY]
    if np.any((known < 0) | (known >= num_inserted)) or len(np.unique(known)) < len(known):
        raise ValueError(
            f"`state['keys']` must be different numbers from 0 to {num_inserted - 1}, or -1."
        )


def _check_priorities(priorities: np.ndarray, count: int) -> np.ndarray:
    """Returns float64 [count]."""
    priorities = np.asarray(priorities, np.float64)
    if priorities.shape != (count,):
        raise ValueError(
            f'`priorities` must have shape {[count]}, but has {list(priorities.shape)}.'
        )
    if not np.all(np.isfinite(priorities) & (priorities >= 0)):
        raise ValueError(
            f'`priorities` must be finite and not negative, but are {priorities.tolist()}.'
        )
    return priorities


def _num_bytes(shape: Sequence[int], dtype: Union[np.dtype, type]) -> int:
    return int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize

"""Storage of the sequences of a replay table: uncompressed or compressed.

Both stores are lossless, and each restores states of the other.
"""

import abc
from typing import Callable, Dict, List, Mapping, Sequence, Type

import numpy as np

from sc2impala.replay import entries
from sc2impala.replay.codec import SequenceCodec, Spec
from sc2impala.replay.pages import Pages


class Store(abc.ABC):
    """Sequences in slots, which are numbered from 0 and filled in this order.

    Methods are called by one thread at a time, except for the function that `read` returns.
    """

    @abc.abstractmethod
    def __init__(self, capacity: int, specs: Sequence[Spec]):
        """Args:
        capacity: number of slots.
        specs: shape and dtype of each component.
        """

    @property
    @abc.abstractmethod
    def num_bytes(self) -> int:
        """Memory in use, in bytes."""

    @abc.abstractmethod
    def write(self, slots: List[int], components: Sequence[np.ndarray], rows: List[int]) -> None:
        """Writes these rows of the arrays [N, ...] to these slots."""

    @abc.abstractmethod
    def read(self, slots: np.ndarray) -> Callable[[], List[np.ndarray]]:
        """Returns a function that any thread may call for copies, for each spec [slots, ...]."""

    @abc.abstractmethod
    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """Returns the first `size` slots for `set_state` of either store; see `entries`.

        The arrays are views of the store.
        """

    @abc.abstractmethod
    def set_state(
        self,
        state: Mapping[str, np.ndarray],
        size: int,
        defaults: entries.Defaults,
        kept: Sequence[int],
    ) -> None:
        """Fills the first slots.

        Args:
          state: result of `get_state` of either store, with other entries.
          size: number of sequences in it.
          defaults: the values of components that the state lacks.
          kept: the slots in the state of the sequences to restore, in the order of their new slots.

        Raises:
          ValueError: the state does not have `size` sequences of these specs.
        """


class RawStore(Store):
    """One array [capacity, ...] per component, allocated once."""

    def __init__(self, capacity: int, specs: Sequence[Spec]):
        """Allocates the memory."""
        self._specs = specs
        self._arrays = [np.zeros((capacity, *shape), dtype) for shape, dtype in specs]

    @property
    def num_bytes(self) -> int:
        """Memory in use, in bytes; constant."""
        return sum(array.nbytes for array in self._arrays)

    def write(self, slots: List[int], components: Sequence[np.ndarray], rows: List[int]) -> None:
        """Copies rows to slots."""
        for array, component in zip(self._arrays, components):
            array[slots] = component[rows]

    def read(self, slots: np.ndarray) -> Callable[[], List[np.ndarray]]:
        """Copies at once; the function returns the copies."""
        copies = [array[slots] for array in self._arrays]
        return lambda: copies

    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """Returns uncompressed entries."""
        return {entries.component(i): array[:size] for i, array in enumerate(self._arrays)}

    def set_state(
        self,
        state: Mapping[str, np.ndarray],
        size: int,
        defaults: entries.Defaults,
        kept: Sequence[int],
    ) -> None:
        """Copies or decompresses one sequence after the other."""
        new_slot = {slot: index for index, slot in enumerate(kept)}
        for slot, sequence in enumerate(entries.sequences(state, self._specs, size, defaults)):
            if slot in new_slot:
                self.write([new_slot[slot]], sequence, [0])


class CompressedStore(Store):
    """Each sequence compressed, in pages that are allocated when they are needed."""

    def __init__(self, capacity: int, specs: Sequence[Spec]):
        """Allocates nothing."""
        del capacity
        self._specs = specs
        self._codec = SequenceCodec(specs)
        self._pages = Pages()
        self._places: List[entries.Place] = []

    @property
    def num_bytes(self) -> int:
        """Memory in use, in bytes; it includes pages that are free again."""
        return self._pages.num_bytes

    def write(self, slots: List[int], components: Sequence[np.ndarray], rows: List[int]) -> None:
        """Compresses rows into slots."""
        for slot, row in zip(slots, rows):
            sequence = [component[row : row + 1] for component in components]
            self._put(slot, self._codec.encode(sequence))

    def read(self, slots: np.ndarray) -> Callable[[], List[np.ndarray]]:
        """Copies the compressed sequences; the function decompresses them.

        Decompressing takes most of the time.
        """
        compressed = [self._pages.get(*self._places[slot]) for slot in slots]

        def decompress() -> List[np.ndarray]:
            arrays = [np.empty((len(slots), *shape), dtype) for shape, dtype in self._specs]
            for row, content in enumerate(compressed):
                self._codec.decode(content, [array[row : row + 1] for array in arrays])
            return arrays

        return decompress

    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """Returns compressed entries, with all pages as they are."""
        return entries.list_compressed(self._codec.layout, self._places[:size], self._pages.slabs())

    def set_state(
        self,
        state: Mapping[str, np.ndarray],
        size: int,
        defaults: entries.Defaults,
        kept: Sequence[int],
    ) -> None:
        """Copies the pages of compressed sequences that have all components.

        All others are compressed one by one.
        """
        self._pages, self._places = Pages(), []
        num_saved = entries.num_saved_components(state, self._specs, defaults)
        if entries.is_compressed(state) and num_saved == len(self._specs):
            slabs, places = entries.compressed(state, self._codec.layout, size)
            pages = Pages(slabs, in_use=state['pages'])
            arrays = [np.empty(shape, dtype) for shape, dtype in self._specs]
            for place in places:
                # Finds damaged sequences now rather than when they are sampled.
                self._codec.decode(pages.get(*place), arrays)
            for slot in set(range(size)) - set(kept):
                pages.free(places[slot][0])
            self._pages, self._places = pages, [places[slot] for slot in kept]
        else:
            put: Dict[int, entries.Place] = {}
            wanted = set(kept)
            for slot, sequence in enumerate(entries.sequences(state, self._specs, size, defaults)):
                if slot in wanted:
                    content = self._codec.encode(sequence)
                    put[slot] = self._pages.put(content), len(content)
            self._places = [put[slot] for slot in kept]

    def _put(self, slot: int, compressed: bytes) -> None:
        place = self._pages.put(compressed), len(compressed)
        if slot == len(self._places):
            self._places.append(place)
        else:
            before, self._places[slot] = self._places[slot], place
            self._pages.free(before[0])


STORES: Dict[str, Type[Store]] = {'none': RawStore, 'zstd': CompressedStore}
"""Stores by the name of the compression."""

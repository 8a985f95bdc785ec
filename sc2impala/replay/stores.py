"""How the sequences of a memory are kept: as they are, or compressed.

Both give back every bit, and restore what the other one has saved. A store holds sequences in slots
numbered from 0, filled in this order. It is called by one thread at a time, but for the function
that `read` returns.
"""

from typing import Callable, Dict, List, Mapping, Sequence

import numpy as np

from sc2impala.replay import entries
from sc2impala.replay.codec import SequenceCodec, Spec
from sc2impala.replay.pages import Pages


class RawStore:
    """One array [capacity, ...] per component, allocated once."""

    def __init__(self, capacity: int, specs: Sequence[Spec]):
        """Args:
        capacity: number of slots.
        specs: shape and dtype of each component.
        """
        self._specs = specs
        self._arrays = [np.zeros((capacity,) + tuple(shape), dtype) for shape, dtype in specs]

    @property
    def num_bytes(self) -> int:
        """The memory taken, in bytes."""
        return sum(array.nbytes for array in self._arrays)

    def write(self, slots: List[int], components: Sequence[np.ndarray], rows: List[int]) -> None:
        """Puts rows of arrays [N, ...] into slots."""
        for array, component in zip(self._arrays, components):
            array[slots] = component[rows]

    def read(self, slots: np.ndarray) -> Callable[[], List[np.ndarray]]:
        """Returns a function that any thread may call for copies, for each spec [slots, ...]."""
        copies = [array[slots] for array in self._arrays]
        return lambda: copies

    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """The first `size` slots, as views of the memory, for `set_state` of either store."""
        return {entries.component(i): array[:size] for i, array in enumerate(self._arrays)}

    def set_state(self, state: Mapping[str, np.ndarray], size: int) -> None:
        """Fills the first `size` slots.

        Raises:
          ValueError: the entries are not of `size` sequences of these specs.
        """
        for slot, sequence in enumerate(entries.sequences(state, self._specs, size)):
            self.write([slot], sequence, [0])


class CompressedStore:
    """Each sequence compressed, in pages; memory is taken when it is needed."""

    def __init__(self, capacity: int, specs: Sequence[Spec]):
        """As `RawStore`."""
        del capacity
        self._specs = specs
        self._codec = SequenceCodec(specs)
        self._forget()

    @property
    def num_bytes(self) -> int:
        """The memory taken, in bytes."""
        return self._pages.num_bytes

    def write(self, slots: List[int], components: Sequence[np.ndarray], rows: List[int]) -> None:
        """Puts rows of arrays [N, ...] into slots."""
        for slot, row in zip(slots, rows):
            sequence = [component[row : row + 1] for component in components]
            self._put(slot, self._codec.encode(sequence))

    def read(self, slots: np.ndarray) -> Callable[[], List[np.ndarray]]:
        """Returns a function that any thread may call for copies, for each spec [slots, ...].

        What takes most of the time, to decompress, is done there.
        """
        compressed = [self._pages.get(*self._places[slot]) for slot in slots]

        def decompressed():
            arrays = [np.empty((len(slots),) + tuple(shape), dtype) for shape, dtype in self._specs]
            for row, content in enumerate(compressed):
                self._codec.decode(content, [array[row : row + 1] for array in arrays])
            return arrays

        return decompressed

    def get_state(self, size: int) -> Dict[str, np.ndarray]:
        """As of `RawStore`, with all pages as they are."""
        return entries.of_compressed(self._codec.layout, self._places[:size], self._pages.slabs())

    def set_state(self, state: Mapping[str, np.ndarray], size: int) -> None:
        """As of `RawStore`."""
        self._forget()
        if entries.is_compressed(state):
            slabs, places = entries.compressed(state, self._codec.layout, size)
            pages = Pages(slabs, in_use=state['pages'])
            arrays = [np.empty(shape, dtype) for shape, dtype in self._specs]
            for place in places:
                # Only to prove it whole, now rather than when it is sampled.
                self._codec.decode(pages.get(*place), arrays)
            self._pages, self._places = pages, places
        else:
            for slot, sequence in enumerate(entries.sequences(state, self._specs, size)):
                self._put(slot, self._codec.encode(sequence))

    def _forget(self):
        self._pages = Pages()
        self._places = []  # type: List[entries.Place]

    def _put(self, slot, compressed):
        place = self._pages.put(compressed), len(compressed)
        if slot == len(self._places):
            self._places.append(place)
        else:
            before, self._places[slot] = self._places[slot], place
            self._pages.free(before[0])


STORES = {'none': RawStore, 'zstd': CompressedStore}
"""By the name of the compression."""

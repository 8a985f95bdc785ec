"""Memory in pages of one size, for byte strings of all sizes that come and go for weeks.

Strings of their own would leave holes that no other fits into, and would share the heap with
whatever else the process allocates: nobody could tell what they take. Pages are all alike, any free
one will do, and what was taken is counted.
"""

from typing import Any, Iterator, List, Sequence, Tuple

import numpy as np

PAGE_BYTES = 1024
SLAB_PAGES = 65536
"""Pages that are allocated at once. So large a piece comes from the system directly, which gives
memory to a part of it only when that is first written to."""

_NUMBER = np.dtype(np.int32)


class Pages:
    """Keeps byte strings. Not to be called by two threads at once."""

    def __init__(self, slabs: Sequence[np.ndarray] = (), in_use: Sequence[int] = ()):
        """Begins empty, or with a copy of what `slabs` of another one returned.

        Args:
          slabs: uint8 [pages, PAGE_BYTES] each.
          in_use: the numbers of the pages that are not free.
        """
        self._slabs = []  # type: List[np.ndarray]
        self._num_pages = sum(map(len, slabs))
        for slab in slabs:
            self._slabs.append(_new_slab())
            self._slabs[-1][: len(slab)] = slab
        self._free = np.setdiff1d(np.arange(self._num_pages), in_use).tolist()  # type: List[int]

    @property
    def num_bytes(self) -> int:
        """The memory taken, with that of pages which are free again, and of their numbers."""
        return self._num_pages * (PAGE_BYTES + _NUMBER.itemsize)

    def put(self, content: Any) -> np.ndarray:
        """Keeps a byte string, any buffer; returns the numbers of its pages, int32 [pages]."""
        count = num_pages(len(content))
        padded = np.zeros([count * PAGE_BYTES], np.uint8)
        padded[: len(content)] = np.frombuffer(content, np.uint8)
        padded = padded.reshape(count, PAGE_BYTES)

        num_reused = min(count, len(self._free))
        first_new = self._num_pages
        num_taken = first_new + count - num_reused
        while num_taken > len(self._slabs) * SLAB_PAGES:
            self._slabs.append(_new_slab())
        first_reused = len(self._free) - num_reused
        numbers = np.array(
            self._free[first_reused:] + list(range(first_new, num_taken)), dtype=_NUMBER
        )
        del self._free[first_reused:]
        self._num_pages = num_taken
        for slab, which, pages in _by_slab(self._slabs, numbers):
            slab[pages] = padded[which]
        return numbers

    def get(self, numbers: np.ndarray, num_bytes: int) -> np.ndarray:
        """Returns a copy of the string in these pages, uint8 [num_bytes]."""
        return read_pages(self._slabs, numbers, num_bytes)

    def free(self, numbers: np.ndarray) -> None:
        """Gives pages away for other strings."""
        self._free.extend(numbers.tolist())

    def slabs(self) -> List[np.ndarray]:
        """All pages: views uint8 [pages, PAGE_BYTES], of `SLAB_PAGES` in all but the last."""
        return [
            slab[: self._num_pages - index * SLAB_PAGES] for index, slab in enumerate(self._slabs)
        ]


def num_pages(num_bytes: int) -> int:
    """How many pages a string takes."""
    return -(-num_bytes // PAGE_BYTES)


def read_pages(slabs: Sequence[np.ndarray], numbers: np.ndarray, num_bytes: int) -> np.ndarray:
    """As `Pages.get`, from what `Pages.slabs` returned."""
    padded = np.empty([len(numbers), PAGE_BYTES], np.uint8)
    for slab, which, pages in _by_slab(slabs, numbers):
        padded[which] = slab[pages]
    return padded.reshape(-1)[:num_bytes]


def _new_slab():
    return np.empty([SLAB_PAGES, PAGE_BYTES], np.uint8)


def _by_slab(
    slabs: Sequence[np.ndarray], numbers: np.ndarray
) -> Iterator[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yields each slab that has some of the pages, which of `numbers` they are, and where."""
    slab_numbers, pages = np.divmod(numbers, SLAB_PAGES)
    for number in np.unique(slab_numbers):
        which = slab_numbers == number
        yield slabs[number], which, pages[which]

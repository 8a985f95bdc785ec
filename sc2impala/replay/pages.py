"""A page allocator for byte strings of all sizes that are stored and freed for weeks.

Separately allocated strings would fragment the heap and share it with all else that the process
allocates, so that their memory use could not be measured. Pages all have the same size, so that any
free page can be reused, and the memory use is known exactly.
"""

from typing import Iterator, List, Sequence, Tuple, Union

import numpy as np

PAGE_BYTES = 1024
SLAB_PAGES = 65536
"""Number of pages that are allocated at once, 64 MiB. The C library maps a block of this size
directly from the operating system, which provides physical memory only when a part of the block is
first written to."""

_NUMBER = np.dtype(np.int32)
_NONE = np.zeros([0], _NUMBER)


class Pages:
    """Stores byte strings. Must not be called by two threads at once."""

    def __init__(self, slabs: Sequence[np.ndarray] = (), in_use: np.ndarray = _NONE):
        """Starts empty, or with a copy of the `slabs` of another instance.

        Args:
          slabs: uint8 [pages, PAGE_BYTES] each.
          in_use: int32 [pages], the numbers of the pages that are not free.
        """
        self._slabs: List[np.ndarray] = []
        self._num_pages = sum(map(len, slabs))
        for slab in slabs:
            self._slabs.append(_new_slab())
            self._slabs[-1][: len(slab)] = slab
        self._free: List[int] = np.setdiff1d(np.arange(self._num_pages), in_use).tolist()

    @property
    def num_bytes(self) -> int:
        """Memory in use, in bytes; it includes free pages and the numbers of all pages."""
        return self._num_pages * (PAGE_BYTES + _NUMBER.itemsize)

    def put(self, content: Union[bytes, memoryview]) -> np.ndarray:
        """Stores a byte string (any buffer); returns the numbers of its pages, int32 [pages]."""
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
        """Makes pages available for other strings."""
        self._free.extend(numbers.tolist())

    def slabs(self) -> List[np.ndarray]:
        """Returns all pages: views uint8 [pages, PAGE_BYTES], all but the last of `SLAB_PAGES`."""
        return [
            slab[: self._num_pages - index * SLAB_PAGES] for index, slab in enumerate(self._slabs)
        ]


def num_pages(num_bytes: int) -> int:
    """Returns the number of pages of a string."""
    return -(-num_bytes // PAGE_BYTES)


def read_pages(slabs: Sequence[np.ndarray], numbers: np.ndarray, num_bytes: int) -> np.ndarray:
    """Does the same as `Pages.get`, with the result of `Pages.slabs`."""
    padded = np.empty([len(numbers), PAGE_BYTES], np.uint8)
    for slab, which, pages in _by_slab(slabs, numbers):
        padded[which] = slab[pages]
    return padded.reshape(-1)[:num_bytes]


def _new_slab() -> np.ndarray:
    return np.empty([SLAB_PAGES, PAGE_BYTES], np.uint8)


def _by_slab(
    slabs: Sequence[np.ndarray], numbers: np.ndarray
) -> Iterator[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yields, for each slab with some of the pages, the slab, a mask of `numbers`, and the rows."""
    slab_numbers, pages = np.divmod(numbers, SLAB_PAGES)
    for number in np.unique(slab_numbers):
        which = slab_numbers == number
        yield slabs[number], which, pages[which]

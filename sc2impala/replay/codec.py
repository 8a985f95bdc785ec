"""A sequence as few bytes, and back bit for bit.

Before zstd looks for repetitions, the numbers are arranged so that there are some:

* Layers need nothing: a frame lies right behind the one before, which is nearly the same.
* Floats hardly repeat. Their bit patterns, taken as integers, are replaced by the differences along
  the first axis, and these by their differences along the second one: time and pixels, or rows and
  columns. They are small, and folded as 0, -1, 1, -2, 2, ... they begin with many zero bits.
* Of numbers of several bytes, all first bytes come first, then all second ones: the upper bytes of
  neighbours are alike, the lowest are noise.
"""

import contextlib
from typing import Any, Iterator, List, Sequence, Tuple

import numpy as np
import zstandard

Spec = Tuple[Sequence[int], Any]
"""Shape and dtype of one component of one sequence."""

_LEVEL = 1
"""Of zstd. Level -1 leaves a twelfth more in nine tenths of the time, level 3 a hundredth less in
five quarters of it."""

_LAYOUT = 'zstd, planes of folded differences along two axes'
"""Names the arrangement; another one must have another name, since it is in saved states."""

_NUM_AXES = 2
"""Axes along which floats are replaced by differences."""

_FOLDED_SIZES = (2, 4, 8)
"""Bytes of those floats whose bits make an integer."""


class SequenceCodec:
    """Compresses sequences of fixed specs. Each method may be called from any thread."""

    def __init__(self, specs: Sequence[Spec]):
        """Args: specs: shape and dtype of each component of one sequence."""
        self._parts = [_Part(shape, dtype) for shape, dtype in specs]
        self._num_bytes = sum(part.num_bytes for part in self._parts)
        self._idle_tools = []  # type: List[_Tools]

    @property
    def layout(self) -> List[str]:
        """What a compressed sequence holds, and how: equal for codecs that read each other's."""
        return [_LAYOUT] + [str(part) for part in self._parts]

    def encode(self, arrays: Sequence[np.ndarray]) -> bytes:
        """Compresses one sequence: for each spec an array of its shape, or with a 1 before it."""
        with self._tools() as tools:
            start = 0
            for part, array in zip(self._parts, arrays):
                part.write(array, tools.scratch[start : start + part.num_bytes])
                start += part.num_bytes
            return tools.compressor.compress(tools.scratch)

    def decode(self, compressed: Any, arrays: Sequence[np.ndarray]) -> None:
        """Restores one sequence.

        Args:
          compressed: what `encode` returned, or any buffer of the same bytes.
          arrays: for each spec a contiguous array to write to, as for `encode`.

        Raises:
          ValueError: these are no bytes of a sequence of these specs.
        """
        with self._tools() as tools:
            self._decompress(compressed, tools)
            start = 0
            for part, array in zip(self._parts, arrays):
                part.read(tools.scratch[start : start + part.num_bytes], array)
                start += part.num_bytes

    def _decompress(self, compressed, tools):
        """Fills the scratch memory."""
        try:
            num_bytes = zstandard.frame_content_size(compressed)
            if num_bytes != self._num_bytes:
                raise ValueError(
                    f'a sequence must have {self._num_bytes} bytes, but has {num_bytes}.'
                )
            # Into memory that is there already: new memory costs more than decompressing.
            with tools.decompressor.stream_reader(compressed) as reader:
                num_bytes = _read_all(reader, tools.scratch)
        except zstandard.ZstdError as error:
            raise ValueError(f'a sequence cannot be decompressed: {error}.') from error
        if num_bytes != self._num_bytes:
            raise ValueError(f'a sequence ends after {num_bytes} of {self._num_bytes} bytes.')

    @contextlib.contextmanager
    def _tools(self) -> Iterator['_Tools']:
        """Lends tools; there are as many as were ever needed at once.

        Not those of the thread: TensorFlow's have no memory of their own from one call to the next.
        """
        try:
            tools = self._idle_tools.pop()
        except IndexError:
            tools = _Tools(self._num_bytes)
        try:
            yield tools
        finally:
            self._idle_tools.append(tools)


class _Tools:
    """What only one thread at a time may use."""

    def __init__(self, num_bytes):
        self.scratch = np.empty([num_bytes], np.uint8)
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


class _Part:
    """How one component is arranged."""

    def __init__(self, shape, dtype):
        self._dtype = np.dtype(dtype)
        self._shape = tuple(shape)
        self.num_bytes = int(np.prod(shape, dtype=np.int64)) * self._dtype.itemsize
        size = self._dtype.itemsize
        self._is_folded = self._dtype.kind == 'f' and size in _FOLDED_SIZES and len(shape) > 0
        self._unsigned = np.dtype(f'u{size}') if self._is_folded else None

    def __str__(self):
        return f'{self._dtype} {list(self._shape)}'

    def write(self, array, target):
        """Writes the arranged bytes to uint8 [num_bytes]."""
        array = np.ascontiguousarray(array).reshape(self._shape)
        if self._is_folded:
            array = _folded_differences(array.view(self._unsigned))
        for plane, its_bytes in zip(self._planes(target), self._bytes(array)):
            plane[:] = its_bytes

    def read(self, source, array):
        """Restores what `write` was given."""
        for plane, its_bytes in zip(self._planes(source), self._bytes(array)):
            its_bytes[:] = plane
        if self._is_folded:
            bits = array.reshape(self._shape).view(self._unsigned)
            bits[:] = (bits >> 1) ^ _all_bits(bits & 1)
            for axis in reversed(range(bits.ndim)[:_NUM_AXES]):
                _sum_up(bits, axis)

    def _planes(self, arranged):
        return arranged.reshape(self._dtype.itemsize, -1)

    def _bytes(self, array):
        """Of each number the first bytes, of each the second, ...: a view."""
        return array.reshape(-1).view(np.uint8).reshape(-1, self._dtype.itemsize).T


def _folded_differences(bits):
    """Unsigned integers -> their differences along the first axes, with the sign bit last."""
    differences = bits.copy()
    for axis in range(bits.ndim)[:_NUM_AXES]:
        along = np.moveaxis(differences, axis, 0)
        along[1:] -= along[:-1].copy()
    return (differences << 1) ^ _all_bits(differences >> (8 * bits.itemsize - 1))


def _sum_up(bits, axis):
    """Replaces differences along an axis by their sums, modulo the size of the type."""
    if axis == bits.ndim - 1:
        np.cumsum(bits, axis=axis, dtype=bits.dtype, out=bits)
        return
    # Along an axis that is not the last NumPy's own sum walks in steps.
    along = np.moveaxis(bits, axis, 0)
    for index in range(1, len(along)):
        along[index] += along[index - 1]


def _all_bits(bit):
    """0 -> 0, and 1 -> a number of ones only."""
    return np.negative(bit)


def _read_all(reader, target):
    """Fills uint8 [num_bytes] as far as there is something; returns how far."""
    view, num_bytes = memoryview(target), 0
    while num_bytes < len(view):
        count = reader.readinto(view[num_bytes:])
        if not count:
            break
        num_bytes += count
    return num_bytes

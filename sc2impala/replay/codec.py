"""Lossless compression of sequences.

zstd removes repetitions. Before, each component is transformed so that it has some:

* Feature layers are left unchanged: each frame directly follows the previous one, which is nearly
  the same.
* Floats hardly repeat. Their bit patterns, taken as unsigned integers, get delta coding along the
  first axis, then along the second one: time and pixels, or rows and columns. Zigzag coding
  (0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ...) then turns small differences into numbers with
  many leading zero bits.
* Numbers of several bytes are split into byte planes (byte shuffling): the first bytes of all
  numbers, then all second bytes, etc. The high bytes of neighbours are alike, the low bytes are
  noise.
"""

import contextlib
from typing import Any, Iterator, List, Sequence, Tuple, Union

import numpy as np
import zstandard

Spec = Tuple[Sequence[int], Any]
"""Shape and dtype of one component of one sequence."""

_LEVEL = 1
"""The zstd level. In comparison, level -1 takes 90% of the time for 8% more bytes, and level 3
takes 125% of the time for 1% fewer bytes."""

_LAYOUT = 'zstd, planes of folded differences along two axes'
"""The name of this format in saved states: delta and zigzag coding along two axes, byte planes and
zstd. It must never change; another format must have another name."""

_NUM_AXES = 2
"""Number of leading axes along which floats are delta coded."""

_DELTA_SIZES = (2, 4, 8)
"""Sizes in bytes of the floats that are delta coded: those with an integer type of equal size."""


class SequenceCodec:
    """Compresses sequences of fixed specs. Each method may be called from any thread."""

    def __init__(self, specs: Sequence[Spec]):
        """Args: specs: shape and dtype of each component of one sequence."""
        self._parts = [_Part(shape, dtype) for shape, dtype in specs]
        self._num_bytes = sum(part.num_bytes for part in self._parts)
        self._idle_tools: List[_Tools] = []

    @property
    def layout(self) -> List[str]:
        """The format and the components: equal for codecs that can decode each other's bytes."""
        return [_LAYOUT] + [str(part) for part in self._parts]

    def encode(self, arrays: Sequence[np.ndarray]) -> bytes:
        """Compresses one sequence: for each spec an array [...] or [1, ...]."""
        with self._tools() as tools:
            start = 0
            for part, array in zip(self._parts, arrays):
                part.write(array, tools.scratch[start : start + part.num_bytes])
                start += part.num_bytes
            return tools.compressor.compress(tools.scratch.data)

    def decode(self, compressed: Any, arrays: Sequence[np.ndarray]) -> None:
        """Restores one sequence.

        Args:
          compressed: the result of `encode`, or any buffer of the same bytes.
          arrays: for each spec a contiguous array [...] or [1, ...] to write to.

        Raises:
          ValueError: the bytes are not a sequence of these specs.
        """
        with self._tools() as tools:
            self._decompress(compressed, tools)
            start = 0
            for part, array in zip(self._parts, arrays):
                part.read(tools.scratch[start : start + part.num_bytes], array)
                start += part.num_bytes

    def _decompress(self, compressed: Any, tools: '_Tools') -> None:
        """Fills the scratch memory."""
        try:
            num_bytes = zstandard.frame_content_size(compressed)
            if num_bytes != self._num_bytes:
                raise ValueError(
                    f'a sequence must have {self._num_bytes} bytes, but has {num_bytes}.'
                )
            # Into preallocated memory: allocating it takes longer than decompressing.
            with tools.decompressor.stream_reader(compressed) as reader:
                num_bytes = _read_all(reader, tools.scratch)
        except zstandard.ZstdError as error:
            raise ValueError(f'a sequence cannot be decompressed: {error}.') from error
        if num_bytes != self._num_bytes:
            raise ValueError(f'a sequence ends after {num_bytes} of {self._num_bytes} bytes.')

    @contextlib.contextmanager
    def _tools(self) -> Iterator['_Tools']:
        """Lends tools from a pool, which grows to the number ever needed at once.

        Thread-local tools would not do: TensorFlow's threads lose them between two calls.
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
    """A compressor, a decompressor and scratch memory, which only one thread at a time may use."""

    def __init__(self, num_bytes: int):
        self.scratch = np.empty([num_bytes], np.uint8)
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


class _Part:
    """The transformation of one component."""

    def __init__(self, shape: Sequence[int], dtype: Union[np.dtype, type]):
        self._dtype = np.dtype(dtype)
        self._shape = tuple(shape)
        self.num_bytes = int(np.prod(shape, dtype=np.int64)) * self._dtype.itemsize
        size = self._dtype.itemsize
        is_delta_coded = self._dtype.kind == 'f' and size in _DELTA_SIZES and len(shape) > 0
        self._bits_dtype = np.dtype(f'u{size}') if is_delta_coded else None

    def __str__(self) -> str:
        return f'{self._dtype} {list(self._shape)}'

    def write(self, array: np.ndarray, target: np.ndarray) -> None:
        """Transforms an array and writes its bytes to uint8 [num_bytes]."""
        array = np.ascontiguousarray(array).reshape(self._shape)
        if self._bits_dtype is not None:
            array = _delta_zigzag(array.view(self._bits_dtype))
        for plane, plane_bytes in zip(self._planes(target), self._bytes(array)):
            plane[:] = plane_bytes

    def read(self, source: np.ndarray, array: np.ndarray) -> None:
        """Restores the array from the bytes that `write` wrote."""
        for plane, plane_bytes in zip(self._planes(source), self._bytes(array)):
            plane_bytes[:] = plane
        if self._bits_dtype is not None:
            bits = array.reshape(self._shape).view(self._bits_dtype)
            bits[:] = (bits >> 1) ^ _all_bits(bits & 1)
            for axis in reversed(range(bits.ndim)[:_NUM_AXES]):
                _sum_up(bits, axis)

    def _planes(self, transformed: np.ndarray) -> np.ndarray:
        """Views the bytes as byte planes [itemsize, numbers]."""
        return transformed.reshape(self._dtype.itemsize, -1)

    def _bytes(self, array: np.ndarray) -> np.ndarray:
        """Views the bytes of the numbers as byte planes [itemsize, numbers]."""
        return array.reshape(-1).view(np.uint8).reshape(-1, self._dtype.itemsize).T


def _delta_zigzag(bits: np.ndarray) -> np.ndarray:
    """Delta coding of unsigned integers along the first axes, then zigzag coding."""
    differences = bits.copy()
    for axis in range(bits.ndim)[:_NUM_AXES]:
        along = np.moveaxis(differences, axis, 0)
        along[1:] -= along[:-1].copy()
    return (differences << 1) ^ _all_bits(differences >> (8 * bits.itemsize - 1))


def _sum_up(bits: np.ndarray, axis: int) -> None:
    """Inverts delta coding along an axis in place: cumulative sums, modulo the size of the type."""
    if axis == bits.ndim - 1:
        np.cumsum(bits, axis=axis, dtype=bits.dtype, out=bits)
        return
    # np.cumsum is slow along an axis that is not the last one, since it strides through memory.
    along = np.moveaxis(bits, axis, 0)
    for index in range(1, len(along)):
        along[index] += along[index - 1]


def _all_bits(bit: np.ndarray) -> np.ndarray:
    """Maps 0 to 0 and 1 to the number with all bits set."""
    return np.negative(bit)


def _read_all(reader: zstandard.ZstdDecompressionReader, target: np.ndarray) -> int:
    """Fills uint8 [num_bytes] until the reader ends; returns the number of bytes read."""
    view, num_bytes = target.data, 0
    while num_bytes < len(view):
        count = reader.readinto(view[num_bytes:])
        if not count:
            break
        num_bytes += count
    return num_bytes

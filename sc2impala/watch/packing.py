"""Arrays as values of JSON: compressed, in base64.

Integers are stored as differences along the first axis, which is time: most of what a game shows
does not change between two steps.
"""

import base64
import zlib
from typing import Any, Dict

import numpy as np

_NAMES: Dict[Any, str] = {
    np.dtype(np.uint8): 'Uint8',
    np.dtype(np.uint16): 'Uint16',
    np.dtype(np.int32): 'Int32',
    np.dtype(np.float32): 'Float32',
}
"""Names of typed arrays in JavaScript, without `Array`."""

_DTYPES: Dict[str, np.dtype] = {name: dtype for dtype, name in _NAMES.items()}


def pack(array: np.ndarray) -> Dict[str, Any]:
    """Packs an array.

    Args:
      array: of at least one dimension, uint8, uint16, int32, float32 or bool.

    Returns:
      {'array': name of the typed array, 'shape': list, 'zlib': base64 of the little-endian values}.

    Raises:
      KeyError: if it has another dtype.
    """
    if array.dtype == bool:
        array = array.astype(np.uint8)
    name = _NAMES[array.dtype]
    stored = array if array.dtype.kind == 'f' else _differences(array)
    data = stored.astype(array.dtype.newbyteorder('<')).tobytes()
    text = base64.b64encode(zlib.compress(data, 9)).decode('ascii')
    return {'array': name, 'shape': list(array.shape), 'zlib': text}


def unpack(packed: Dict[str, Any]) -> np.ndarray:
    """The inverse of `pack`; bool returns as uint8."""
    dtype = _DTYPES[packed['array']]
    data = zlib.decompress(base64.b64decode(packed['zlib']))
    array = np.frombuffer(data, dtype.newbyteorder('<')).astype(dtype).reshape(packed['shape'])
    if dtype.kind == 'f':
        return array
    return np.add.accumulate(array, axis=0, dtype=dtype)


def size(packed: Dict[str, Any]) -> int:
    """Returns the number of characters of a packed array."""
    return len(packed['zlib'])


def _differences(array: np.ndarray) -> np.ndarray:
    """Differences along the first axis, which wrap around."""
    result = array.copy()
    result[1:] -= array[:-1]
    return result

"""The variables in a checkpoint, which may be damaged, or that of a stranger."""

import contextlib
import os
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime.plain_paths import plain_path


class DamagedError(UserError):
    """A checkpoint cannot be read, or was removed."""


def describe(checkpoint: str) -> Dict[str, Tuple[List[int], tf.DType]]:
    """Shape and type of all variables by name, without reading them.

    Raises:
      DamagedError: if that is not possible, or there are more than the files can hold.
    """
    with _errors_of(checkpoint):
        reader = tf.train.load_checkpoint(plain_path(checkpoint))
        types = reader.get_variable_to_dtype_map()
        shapes = reader.get_variable_to_shape_map()
        num_bytes = 0
        for name, shape in shapes.items():
            size = types[name].size
            for number in shape:
                size *= number
            num_bytes += size
        found_bytes = _data_bytes(checkpoint)
        if num_bytes > found_bytes:
            raise ValueError(f'{num_bytes:,} bytes of variables in {found_bytes:,} bytes of files')
        return {name: (list(shape), types[name]) for name, shape in shapes.items()}


def read(checkpoint: str) -> Dict[str, Any]:
    """All variables of a checkpoint, {name: array}; reading each one checks its checksum.

    Raises:
      DamagedError: if a file is truncated or not a checkpoint.
    """
    return read_some(checkpoint, list(describe(checkpoint)))


def read_some(checkpoint: str, names: Sequence[str]) -> Dict[str, Any]:
    """Some variables of a checkpoint, as `read`."""
    with _errors_of(checkpoint):
        reader = tf.train.load_checkpoint(plain_path(checkpoint))
        return {name: reader.get_tensor(name) for name in names}


def check(checkpoint: str) -> None:
    """Reads all variables, one at a time.

    Raises:
      DamagedError: as `read`.
    """
    for name in describe(checkpoint):
        read_some(checkpoint, [name])


def reason(error: BaseException) -> str:
    """The first line of an error."""
    return (str(error).splitlines() or [type(error).__name__])[0]


@contextlib.contextmanager
def _errors_of(checkpoint: str) -> Iterator[None]:
    try:
        yield
    except (tf.errors.OpError, ValueError, RuntimeError, OSError, LookupError) as error:
        raise DamagedError(f'{checkpoint} is damaged or not a checkpoint ({reason(error)}).') from (
            error
        )


def _data_bytes(checkpoint: str) -> int:
    folder, name = os.path.split(checkpoint)
    names = [n for n in os.listdir(folder or '.') if n.startswith(f'{name}.data-')]
    return sum(os.path.getsize(os.path.join(folder, n)) for n in names)

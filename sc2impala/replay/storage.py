"""Files of saved states (dicts of arrays): written atomically and read entry by entry.

A file is an uncompressed .npz archive, whose checksums reveal damage.
"""

import collections.abc
import contextlib
import os
import struct
import tokenize
import zipfile
import zlib
from typing import Any, Dict, Iterator, Mapping, Sequence

import numpy as np

_SUFFIX = '.npy'

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    MemoryError,
    NotImplementedError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    tokenize.TokenError,
)
"""Exceptions raised when reading a file that is not a valid .npz archive."""


def save(path: str, state: Mapping[str, np.ndarray]) -> None:
    """Writes `state` to `path` without copying it: arrays may be larger than the free memory.

    The file is readable by its owner only. The write is atomic: after a crash of the process or the
    machine, `path` is either the complete old or the complete new file.

    Raises:
      ValueError: an array does not contain plain numbers or text.
      OSError: the file cannot be written, e.g. the disk is full. The old file is left unchanged.
    """
    for name, array in state.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(
                f'`state[{name!r}]` must hold plain numbers or text, but holds objects.'
            )
    temporary = path + '.tmp'
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, 'wb') as file:
        try:
            arrays: Dict[str, Any] = dict(state)
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            os.remove(temporary)
            raise
    os.replace(temporary, path)
    _sync_folder(os.path.dirname(os.path.abspath(path)))


def load(path: str) -> Mapping[str, np.ndarray]:
    """Opens a state that `save` wrote.

    Returns:
      A mapping from names to memory-mapped arrays, which are read from the file while they are
      used, since they may not fit in memory twice.

    Raises:
      ValueError: the file is truncated, damaged, or was not written by `save`.
      OSError: there is no such file, or it cannot be read.
    """
    return _StateFile(path)


class _StateFile(collections.abc.Mapping):
    def __init__(self, path: str):
        self._path = path
        with self._archive() as archive:
            self._names = [_without_suffix(member) for member in archive.namelist()]
            self._check_sizes(archive.infolist())
            if archive.testzip():
                raise ValueError('a checksum is wrong')

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(name)
        with self._archive() as archive:
            return _mapped(archive, archive.getinfo(name + _SUFFIX))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _check_sizes(self, members: Sequence[zipfile.ZipInfo]) -> None:
        """Checks that members are as large as they say, before any is read."""
        for info in members:
            if info.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f'{info.filename!r} is not a plain array')
        num_bytes = sum(info.file_size for info in members)
        if num_bytes > os.path.getsize(self._path):
            raise ValueError(f'it is smaller than the {num_bytes:,} bytes of its arrays')

    @contextlib.contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        with open(self._path, 'rb') as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    yield archive
            except _DAMAGED as error:
                raise ValueError(
                    f'{self._path!r} is damaged, or not a file of saved arrays: {error}.'
                ) from error


def _mapped(archive: Any, info: zipfile.ZipInfo) -> np.ndarray:
    """Memory-maps the array in an uncompressed member of an archive."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(member)
        header_bytes = member.tell()
    if version != (1, 0) or dtype.hasobject or info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f'{info.filename!r} is not a plain array')
    if header_bytes + dtype.itemsize * _product(shape) != info.file_size:
        raise ValueError(f'{info.filename!r} has not the size of its array')
    # A member starts with 30 bytes. The last four are the lengths of two fields before its data.
    archive.fp.seek(info.header_offset + 26)
    offset = info.header_offset + 30 + sum(struct.unpack('<HH', archive.fp.read(4))) + header_bytes
    return np.memmap(archive.fp, dtype, 'r', offset, shape, 'F' if fortran_order else 'C')


def _product(shape: Sequence[int]) -> int:
    """The number of elements; NumPy's would overflow."""
    product = 1
    for size in shape:
        if size < 0:
            raise ValueError(f'{size} is not the size of an array')
        product *= size
    return product


def _without_suffix(member: str) -> str:
    if not member.endswith(_SUFFIX):
        raise ValueError(f'{member!r} is not an array')
    return member[: -len(_SUFFIX)]


def _sync_folder(folder: str) -> None:
    """Writes the directory entry of a renamed file to disk, where the system can open folders."""
    if os.name == 'nt':
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

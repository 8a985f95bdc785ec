"""A state, a dict of arrays, in a file: written whole or not at all, and read entry by entry.

The file is an uncompressed .npz. Its checksums tell a damaged file from a good one.
"""

import collections.abc
import contextlib
import os
import struct
import zipfile
import zlib
from typing import Iterator, Mapping

import numpy as np

_SUFFIX = '.npy'

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What reading an open file raises that is no .npz, or no longer a good one."""


def save(path: str, state: Mapping[str, np.ndarray]) -> None:
    """Writes `state` to `path`, streaming: arrays may be larger than the memory that is left.

    At every moment `path` is either the old or the new file, also when the machine dies.

    Raises:
      ValueError: an array does not hold plain numbers or text.
      OSError: the disk is full, for instance. The old file is left alone.
    """
    for name, array in state.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(
                f'`state[{name!r}]` must hold plain numbers or text, but holds objects.'
            )
    temporary = path + '.tmp'
    with open(temporary, 'wb') as file:
        try:
            np.savez(file, **state)
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
      A mapping from names to arrays that are read from the file while they are used, since they may
      not fit the memory twice.

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

    @contextlib.contextmanager
    def _archive(self):
        with open(self._path, 'rb') as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    yield archive
            except _DAMAGED as error:
                raise ValueError(
                    f'{self._path!r} is damaged, or not a file of saved arrays: {error}.'
                ) from error


def _mapped(archive, info):
    """Maps the array in an uncompressed member of an archive into memory."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(member)
        header_bytes = member.tell()
    if version != (1, 0) or dtype.hasobject or info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f'{info.filename!r} is no plain array')
    # A member begins with 30 bytes, whose last four tell the lengths of two fields before its data.
    archive.fp.seek(info.header_offset + 26)
    offset = info.header_offset + 30 + sum(struct.unpack('<HH', archive.fp.read(4))) + header_bytes
    return np.memmap(archive.fp, dtype, 'r', offset, shape, 'F' if fortran_order else 'C')


def _without_suffix(member):
    if not member.endswith(_SUFFIX):
        raise ValueError(f'{member!r} is no array')
    return member[: -len(_SUFFIX)]


def _sync_folder(folder):
    """Puts the new name of a file on the disk as well."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Files of saved states (dicts of arrays): written atomically and read entry by entry.

A file is an uncompressed .npz archive, whose checksums reveal damage.
"""

import collections.abc
import contextlib
import os
import struct
import zipfile
import zlib
from typing import Any, Dict, Iterator, Mapping

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
"""Exceptions raised when reading a file that is not a valid .npz archive."""


def save(path: str, state: Mapping[str, np.ndarray]) -> None:
    """Writes `state` to `path` without copying it: arrays may be larger than the free memory.

    The write is atomic: after a crash of the process or the machine, `path` is either the complete
    old or the complete new file.

    Raises:
      ValueError: an array does not hold plain numbers or text.
      OSError: the file cannot be written, e.g. the disk is full. The old file is left unchanged.
    """
    for name, array in state.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(
                f'`state[{name!r}]` must hold plain numbers or text, but holds objects.'
            )
    temporary = path + '.tmp'
    with open(temporary, 'wb') as file:
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
    # A member starts with 30 bytes. The last four are the lengths of two fields before its data.
    archive.fp.seek(info.header_offset + 26)
    offset = info.header_offset + 30 + sum(struct.unpack('<HH', archive.fp.read(4))) + header_bytes
    return np.memmap(archive.fp, dtype, 'r', offset, shape, 'F' if fortran_order else 'C')


def _without_suffix(member: str) -> str:
    if not member.endswith(_SUFFIX):
        raise ValueError(f'{member!r} is not an array')
    return member[: -len(_SUFFIX)]


def _sync_folder(folder: str) -> None:
    """Writes the directory entry of a renamed file to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

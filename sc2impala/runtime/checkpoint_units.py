"""The unit of a checkpoint: all of its files, which count together or not at all.

The unit of a number of frames N consists of

* `model.ckpt-N.index` and `model.ckpt-N.data-*`: TensorFlow's, all variables;
* `replay-N.npz`, `resume-N.npz` and `account-N.npz`: the other parts of the state, where the
  training has them;
* `unit-N.json`: size and checksum of each of these files. It is written last.
"""

import contextlib
import itertools
import json
import os
import re
import shutil
import zlib
from typing import Any, Dict, Iterable, List, NamedTuple, Optional

from sc2impala.runtime import logdir as logdir_lib

BASENAME = 'model.ckpt'

_FORMAT = 1
_MILESTONE = 'milestone'
_CHUNK_BYTES = 2**20
_INDEX = re.compile(r'unit-(\d+)\.json$')
_MODEL = re.compile(re.escape(BASENAME) + r'-(\d+)\.(index|data-\d{5}-of-\d{5})$')
_PARTS = 'replay|resume|account'
_PART = re.compile(rf'({_PARTS})-(\d+)\.npz$')
_UNFINISHED = re.compile(
    rf'(({_PARTS})-\d+\.npz|unit-\d+\.json|manifest(\.copy)?\.json|checkpoint)\.tmp'
    r'|model\.ckpt-\d+\..*tempstate|model\.ckpt-\d+_temp_'
)
DAMAGED = 'damaged'
"""Folder for what cannot be used, in that of the run."""


class File(NamedTuple):
    """A file of a unit: its size in bytes, and the CRC-32 of its content."""

    bytes: int
    crc32: int


class Skipped(NamedTuple):
    """A checkpoint that is not used although it is newer, and why."""

    frames: int
    reason: str


def model_path(logdir: str, frames: int) -> str:
    """The name by which TensorFlow knows a checkpoint."""
    return os.path.join(logdir, f'{BASENAME}-{frames:d}')


def part_path(logdir: str, part: str, frames: int) -> str:
    """The file of a part of a checkpoint."""
    return os.path.join(logdir, f'{part}-{frames:d}.npz')


def index_path(logdir: str, frames: int) -> str:
    """The index of a unit."""
    return os.path.join(logdir, f'unit-{frames:d}.json')


def with_variables(logdir: str) -> List[int]:
    """Frames of the checkpoints in a folder whose variables have an index, in order."""
    matches = filter(None, map(_MODEL.match, _names(logdir)))
    return sorted(int(match.group(1)) for match in matches if match.group(2) == 'index')


def indexed(logdir: str) -> List[int]:
    """Frames of the units in a folder that have an index, in order."""
    matches = filter(None, map(_INDEX.match, _names(logdir)))
    return sorted(int(match.group(1)) for match in matches)


def files(logdir: str, frames: int, parts: Optional[Iterable[str]] = None) -> List[str]:
    """Names of the files of a checkpoint that are there, without the index of the unit.

    Args:
      logdir: the folder.
      frames: of the checkpoint.
      parts: names of the parts that belong to it; None for all that there are.
    """
    result = []
    for name in _names(logdir):
        model, part = _MODEL.match(name), _PART.match(name)
        is_model = model is not None and int(model.group(1)) == frames
        is_part = part is not None and int(part.group(2)) == frames
        if part is not None and parts is not None:
            is_part = is_part and part.group(1) in parts
        if is_model or is_part:
            result.append(name)
    return sorted(result)


def part_of(name: str) -> Optional[str]:
    """The part whose file has this name, or None."""
    match = _PART.match(name)
    return match.group(1) if match else None


def write(logdir: str, frames: int, parts: Iterable[str], milestone: bool = False) -> None:
    """Writes the index of a unit whose files are there: from now on it counts.

    Args:
      logdir: the folder.
      frames: of the unit.
      parts: names of its parts.
      milestone: whether it is kept when later ones are saved.

    Raises:
      OSError: if a file cannot be read, or the index cannot be written.
    """
    names = files(logdir, frames, list(parts))
    found = {name: _summary(os.path.join(logdir, name))._asdict() for name in names}
    content: Dict[str, Any] = {'format': _FORMAT, 'frames': frames, 'files': found}
    if milestone:
        content[_MILESTONE] = True
    content['checksum'] = _checksum(content)
    logdir_lib.replace_json(index_path(logdir, frames), content)


def read(logdir: str, frames: int) -> Optional[Dict[str, File]]:
    """The files of a unit by name; None if it has no index.

    Raises:
      ValueError: if the index is damaged.
    """
    content = _read_index(logdir, frames)
    if content is None:
        return None
    return _checked(os.path.basename(index_path(logdir, frames)), content, frames)


def is_milestone(logdir: str, frames: int) -> bool:
    """Whether the index of a unit says that it is a milestone."""
    try:
        content = _read_index(logdir, frames)
    except ValueError:
        return False
    return isinstance(content, dict) and content.get(_MILESTONE) is True


def fault(logdir: str, frames: int) -> Optional[str]:
    """What is wrong with a unit, all of whose files are read; None if it is whole.

    Raises:
      ValueError: if its index is damaged or missing: then nothing is known of the files.
    """
    expected = read(logdir, frames)
    if expected is None:
        raise ValueError(f'{os.path.basename(index_path(logdir, frames))} is missing')
    for name, file in expected.items():
        path = os.path.join(logdir, name)
        try:
            # The size first: it takes no time.
            if not os.path.isfile(path):
                return f'{name} is missing'
            size = os.path.getsize(path)
            if size != file.bytes:
                return f'{name} has {size:,} bytes, expected {file.bytes:,}'
            if _summary(path) != file:
                return f'{name} has another checksum'
        except OSError as error:
            return f'{name} cannot be read ({error.strerror})'
    return None


def num_bytes(logdir: str, frames: int) -> int:
    """The size of all files of a checkpoint that are there."""
    sizes = 0
    for name in files(logdir, frames):
        with contextlib.suppress(OSError):
            sizes += os.path.getsize(os.path.join(logdir, name))
    return sizes


def has_parts(logdir: str, frames: int) -> bool:
    """Whether there is more of a checkpoint than its variables."""
    return any(map(part_of, files(logdir, frames)))


def drop_parts(logdir: str, frames: int) -> None:
    """Removes all of a unit but its variables: it is still whole, for an evaluation for instance.

    Raises:
      OSError: if the index cannot be written.
    """
    parts = list(filter(part_of, files(logdir, frames)))
    if not parts:
        return
    if os.path.exists(index_path(logdir, frames)):
        write(logdir, frames, (), is_milestone(logdir, frames))
    for name in parts:
        with contextlib.suppress(OSError):
            os.remove(os.path.join(logdir, name))


def remove(logdir: str, frames: int) -> None:
    """Removes a unit as far as that is possible. What a kill leaves of it does not count."""
    # The variables' index goes before what it is the index of: a follower relies on that.
    names = sorted(files(logdir, frames), key=lambda name: not name.endswith('.index'))
    for name in [os.path.basename(index_path(logdir, frames)), *names]:
        with contextlib.suppress(OSError):
            os.remove(os.path.join(logdir, name))


def set_aside(logdir: str, names: Iterable[str]) -> None:
    """Moves files or folders of a run into its folder `damaged`, where nothing is overwritten.

    Raises:
      OSError: if that does not work.
    """
    folder = os.path.join(logdir, DAMAGED)
    for name in names:
        path = os.path.join(logdir, name)
        if os.path.lexists(path):
            os.makedirs(folder, exist_ok=True)
            os.rename(path, _unused(os.path.join(folder, name)))


def remove_unfinished(logdir: str, listed: Iterable[int]) -> None:
    """Removes what is left of saves that a kill or a full disk has interrupted.

    Args:
      logdir: the folder; no other process may save in it now.
      listed: frames of checkpoints that were finished, whatever is left of them.
    """
    finished = {*indexed(logdir), *with_variables(logdir), *listed}
    for name in _names(logdir):
        match, path = _MODEL.match(name) or _PART.match(name), os.path.join(logdir, name)
        frames = match and next(int(group) for group in match.groups() if group.isdecimal())
        if _UNFINISHED.match(name) or (match and frames not in finished):
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def _unused(path: str) -> str:
    """This path, or one with a number after it."""
    numbered = (f'{path}.{number}' for number in itertools.count(1))
    return next(p for p in itertools.chain([path], numbered) if not os.path.lexists(p))


def _read_index(logdir: str, frames: int) -> Any:
    """The JSON of an index; None if there is none. Raises: ValueError: if it cannot be read."""
    path = index_path(logdir, frames)
    try:
        with open(path, 'rb') as file:
            return json.loads(file.read().decode())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f'{os.path.basename(path)} cannot be read ({error})') from error


def _checked(name: str, content: Any, frames: int) -> Dict[str, File]:
    """The files of an index; raises ValueError if it is none, or that of another unit."""
    try:
        checksum = content.pop('checksum')
        if content['format'] != _FORMAT or content['frames'] != frames:
            raise ValueError
        if checksum != _checksum(content):
            raise ValueError
        result = {}
        for file_name, entry in content['files'].items():
            model, part = _MODEL.match(file_name), _PART.match(file_name)
            match_frames = model.group(1) if model else part.group(2) if part else None
            if match_frames != str(frames) or any(type(n) is not int for n in entry.values()):
                raise ValueError
            result[file_name] = File(**entry)
        if f'{BASENAME}-{frames}.index' not in result or len(result) < 2:
            raise ValueError
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f'{name} is damaged') from error
    return result


def _checksum(content: Any) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def _summary(path: str) -> File:
    size, crc = 0, 0
    with open(path, 'rb') as file:
        for chunk in iter(lambda: file.read(_CHUNK_BYTES), b''):
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
    return File(size, crc)


def _names(logdir: str) -> List[str]:
    return os.listdir(logdir) if os.path.isdir(logdir) else []

"""The format of a checkpoint: a directory that is complete once it has its name.

`<run>/checkpoints/<frames>/` contains

* `variables.index` and `variables.data-*`: all variables, in TensorFlow's format;
* `replay.npz` and `state.npz`: the replay buffer and all other state for an exact resume;
  only in the latest two checkpoints of a run;
* `checkpoint.json`: size and CRC-32 of each of these files, and its own checksum.

A checkpoint is written next to its place in a directory whose name begins with a dot, and renamed
once. A removal renames it first. So a directory with a number as its name is complete,
or was damaged later.
"""

import contextlib
import errno
import itertools
import json
import os
import re
import shutil
import zlib
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from sc2impala.checkpoints import zoo_names
from sc2impala.errors import UserError
from sc2impala.runtime import logdir

FOLDER = 'checkpoints'
"""Folder of the checkpoints in a run's folder."""
INDEX = 'checkpoint.json'
VARIABLES = 'variables'
"""Prefix of the files of TensorFlow in a checkpoint."""
DAMAGED = 'damaged'
"""Folder for damaged checkpoints in a run's folder."""

_FORMAT = 2
_CHUNK_BYTES = 2**20
_HAS_FOLDER_SYNC = os.name != 'nt'
"""False on Windows, where folders cannot be opened."""
_HIDDEN = re.compile(r'\.(adopted-)?\d+\.(tmp|removed)$')
_LEFTOVERS = ('manifest.json.tmp', 'manifest.copy.json.tmp')


class DamagedError(UserError):
    """A checkpoint cannot be read, or was removed."""


class File(NamedTuple):
    """A file of a checkpoint: its size in bytes, and the CRC-32 of its content."""

    bytes: int
    crc32: int


class Index(NamedTuple):
    """The content of `checkpoint.json`.

    frames: environment frames of all phases together.
    milestone: True if rotation keeps it.
    files: files by name.
    """

    frames: int
    milestone: bool
    files: Mapping[str, File]


class Skipped(NamedTuple):
    """The frames of a skipped checkpoint, and the reason."""

    frames: int
    reason: str


def path(run: str, frames: int) -> str:
    """The path of a checkpoint of a run."""
    return os.path.join(run, FOLDER, f'{frames:d}')


def saved(run: str) -> List[int]:
    """Frames of the checkpoints of a run, complete or damaged, in order."""
    names = _names(os.path.join(run, FOLDER))
    return sorted(int(name) for name in names if name.isdecimal() and name == str(int(name)))


def normal(given: str) -> str:
    """Normalises a user's path to a checkpoint: its directory, or a prefix of TensorFlow."""
    checkpoint = re.sub(r'\.index$', '', given)
    parent, name = os.path.split(os.path.normpath(checkpoint))
    is_inside = name == VARIABLES and os.path.isfile(os.path.join(parent, INDEX))
    return parent if is_inside else checkpoint


def is_checkpoint(checkpoint: str) -> bool:
    """Checks whether there is a checkpoint at a path, complete or damaged."""
    if os.path.isdir(checkpoint):
        names = (INDEX, f'{VARIABLES}.index')
        return any(os.path.isfile(os.path.join(checkpoint, name)) for name in names)
    return os.path.isfile(checkpoint + '.index')


def run_of(given: str) -> str:
    """The folder with the manifest, for a path to a run or a checkpoint, or a name of the zoo.

    Raises:
      UserError: if the zoo has no such agent.
    """
    if zoo_names.is_zoo(given):
        return zoo_names.folder(given)
    checkpoint = normal(given)
    if os.path.isdir(checkpoint) and not is_checkpoint(checkpoint):
        return given
    parent = os.path.dirname(os.path.normpath(checkpoint))
    if os.path.basename(os.path.abspath(parent)) == FOLDER:
        parent = os.path.dirname(parent) if os.path.dirname(parent) else os.path.join(parent, '..')
        parent = os.path.normpath(parent)
    return parent or '.'


def frames_of(checkpoint: str) -> int:
    """The frames of a checkpoint: its name, or the number at the end of a prefix.

    Raises:
      DamagedError: if a directory has another name, and its `checkpoint.json` cannot be read.
    """
    name = os.path.basename(os.path.normpath(checkpoint))
    if name.isdecimal() or not os.path.isdir(checkpoint):
        return int(name.rpartition('-')[2])
    try:
        return read(checkpoint).frames
    except ValueError as error:
        raise DamagedError(f'{checkpoint} is damaged or not a checkpoint ({error}).') from error


def read(checkpoint: str) -> Index:
    """Reads `checkpoint.json`.

    Raises:
      ValueError: if it is missing or damaged.
    """
    try:
        with open(os.path.join(checkpoint, INDEX), 'rb') as file:
            content = json.loads(file.read().decode())
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f'{INDEX} is missing') from None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f'{INDEX} cannot be read ({error})') from error
    try:
        return _checked(content)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f'{INDEX} is damaged') from error


def fault(checkpoint: str) -> Optional[str]:
    """Compares all files with their checksums; returns a fault in words or None."""
    name = os.path.basename(os.path.normpath(checkpoint))
    while True:
        try:
            index = read(checkpoint)
        except ValueError as error:
            return str(error)
        if name.isdecimal() and index.frames != int(name):
            return f'{INDEX} is of the checkpoint of {index.frames} frames'
        found = difference(checkpoint, index.files)
        # The run may have dropped files from the checkpoint meanwhile.
        if found is None or not _has_changed(checkpoint, index):
            return found


def difference(folder: str, files: Mapping[str, File]) -> Optional[str]:
    """Compares files of a folder with their sizes and checksums; None if all are equal."""
    for name, expected in files.items():
        file_path = os.path.join(folder, name)
        try:
            # The size first: it is fast.
            if not os.path.isfile(file_path):
                return f'{name} is missing'
            size = os.path.getsize(file_path)
            if size != expected.bytes:
                return f'{name} has {size:,} bytes, expected {expected.bytes:,}'
            if summarize(file_path) != expected:
                return f'{name} has another checksum'
        except OSError as error:
            return f'{name} cannot be read ({error.strerror})'
    return None


def num_bytes(checkpoint: str) -> int:
    """The size of a checkpoint according to `checkpoint.json`; 0 if unreadable."""
    with contextlib.suppress(ValueError):
        return sum(file.bytes for file in read(checkpoint).files.values())
    return 0


def is_milestone(checkpoint: str) -> bool:
    """Checks whether a checkpoint is marked as a milestone; False if unreadable."""
    with contextlib.suppress(ValueError):
        return read(checkpoint).milestone
    return False


def write(
    checkpoint: str, frames: int, fill: Callable[[str], None], milestone: bool = False
) -> None:
    """Writes a checkpoint; its path never has an incomplete one.

    Args:
      checkpoint: its path; an existing one is replaced.
      frames: environment frames of all phases together.
      fill: writes the files into a given folder.
      milestone: True if rotation keeps it.

    Raises:
      OSError: if it cannot be written; nothing remains then.
      Exception: from `fill`; nothing remains then.
    """
    parent, temporary = os.path.dirname(checkpoint), hidden(checkpoint, 'tmp')
    discard(temporary)
    if not os.path.isdir(parent):
        os.mkdir(parent)
    os.mkdir(temporary)
    try:
        fill(temporary)
        seal(temporary, frames, milestone)
        publish(temporary, checkpoint)
    except Exception:
        discard(temporary)
        raise


def seal(folder: str, frames: int, milestone: bool = False) -> None:
    """Flushes all files of a folder to the disk, and lists them in `checkpoint.json`.

    Raises:
      OSError: if a file cannot be written.
    """
    files = {}
    for name in sorted(_names(folder)):
        file_path = os.path.join(folder, name)
        if os.path.isfile(file_path) and name != INDEX:
            with open(file_path, 'rb+') as file:
                os.fsync(file.fileno())
            files[name] = summarize(file_path)
    _write_index(folder, Index(frames, milestone, files))


def publish(temporary: str, checkpoint: str) -> None:
    """Renames a complete directory to its place; an existing directory is removed.

    Raises:
      OSError: if it cannot be renamed.
    """
    old = hidden(checkpoint, 'removed')
    if os.path.lexists(checkpoint):
        discard(old)
        os.rename(checkpoint, old)
    os.rename(temporary, checkpoint)
    _sync_folder(os.path.dirname(checkpoint))
    discard(old)


def link(source: str, target: str) -> None:
    """Links a file to another name, or copies it if the file system has no hard links.

    Raises:
      OSError: if both fail; FileNotFoundError if the file does not exist.
    """
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except (AttributeError, OSError):
        shutil.copyfile(source, target)


def link_variables(checkpoint: str, folder: str) -> None:
    """Links or copies the variables of a checkpoint, a directory or a prefix, into a folder.

    Raises:
      OSError: see `link`; FileNotFoundError if the checkpoint was removed.
    """
    paths = variable_files(checkpoint)
    if f'{VARIABLES}.index' not in paths or len(paths) < 2:
        raise FileNotFoundError(errno.ENOENT, 'there is no such checkpoint', checkpoint)
    for name, file_path in paths.items():
        link(file_path, os.path.join(folder, name))


def variable_files(checkpoint: str) -> Dict[str, str]:
    """Paths of the files with the variables of a checkpoint, by their names in a directory.

    Args:
      checkpoint: a directory, or a prefix of TensorFlow.
    """
    if os.path.isdir(checkpoint):
        checkpoint = os.path.join(checkpoint, VARIABLES)
    folder, start = os.path.split(checkpoint)
    pattern = re.compile(re.escape(start) + r'\.(index|data-\d+-of-\d+)$')
    matches = filter(None, map(pattern.match, sorted(_names(folder or '.'))))
    return {
        f'{VARIABLES}.{match.group(1)}': os.path.join(folder, match.group()) for match in matches
    }


def drop_state(checkpoint: str) -> None:
    """Removes all files but the variables; the checkpoint is complete at every moment.

    Raises:
      OSError: if `checkpoint.json` cannot be written.
      ValueError: if it cannot be read.
    """
    index = read(checkpoint)
    dropped = list(filter(_is_state, index.files))
    if dropped:
        files = {name: file for name, file in index.files.items() if name not in dropped}
        _write_index(checkpoint, index._replace(files=files))
        for name in dropped:
            discard(os.path.join(checkpoint, name))


def remove(checkpoint: str) -> bool:
    """Removes a checkpoint; returns False if that fails, as in a read-only file system."""
    aside = hidden(checkpoint, 'removed')
    discard(aside)
    with contextlib.suppress(OSError):
        os.rename(checkpoint, aside)
        discard(aside)
    return not os.path.lexists(checkpoint)


def remove_hidden(run: str) -> None:
    """Removes directories of failed saves and removals.

    Args:
      run: a folder in which no other process saves, and this one does not save now.
    """
    for folder in (run, os.path.join(run, FOLDER)):
        for name in filter(_HIDDEN.match, _names(folder)):
            discard(os.path.join(folder, name))


def remove_leftovers(run: str) -> None:
    """Removes remains of interrupted saves and removals.

    Args:
      run: a folder in which no other process saves.
    """
    remove_hidden(run)
    for name in _LEFTOVERS:
        discard(os.path.join(run, name))
    for frames in saved(run):
        checkpoint = path(run, frames)
        with contextlib.suppress(ValueError):
            for name in set(_names(checkpoint)) - {INDEX, *read(checkpoint).files}:
                discard(os.path.join(checkpoint, name))


def set_aside(run: str, names: Sequence[str]) -> None:
    """Moves files or directories of a run into its folder `damaged`, without overwriting.

    Args:
      run: the folder of the run.
      names: paths relative to it.

    Raises:
      OSError: if they cannot be moved.
    """
    folder = os.path.join(run, DAMAGED)
    for name in names:
        if os.path.lexists(os.path.join(run, name)):
            os.makedirs(folder, exist_ok=True)
            target = os.path.join(folder, os.path.basename(name))
            numbered = (f'{target}.{number}' for number in itertools.count(1))
            free = (p for p in itertools.chain([target], numbered) if not os.path.lexists(p))
            os.rename(os.path.join(run, name), next(free))


def hidden(checkpoint: str, purpose: str) -> str:
    """The temporary path next to a checkpoint, before it is complete or while it is removed."""
    parent, name = os.path.split(checkpoint)
    return os.path.join(parent, f'.{name}.{purpose}')


def discard(file_or_folder: str) -> None:
    """Deletes a file, a link or a folder as far as possible."""
    if os.path.isdir(file_or_folder) and not os.path.islink(file_or_folder):
        shutil.rmtree(file_or_folder, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.remove(file_or_folder)


def checksum(content: object) -> int:
    """The CRC-32 of a JSON value."""
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def _is_state(name: str) -> bool:
    return not name.startswith(VARIABLES + '.')


def _has_changed(checkpoint: str, index: Index) -> bool:
    try:
        return read(checkpoint) != index
    except ValueError:
        return True


def _write_index(folder: str, index: Index) -> None:
    files = {name: file._asdict() for name, file in index.files.items()}
    content: Dict[str, Any] = dict(index._asdict(), format=_FORMAT, files=files)
    content['checksum'] = checksum(content)
    logdir.replace_json(os.path.join(folder, INDEX), content)
    _sync_folder(folder)


def _checked(content: Any) -> Index:
    """Raises an error if this is not the content of a `checkpoint.json`."""
    expected = content.pop('checksum')
    frames, milestone = content['frames'], content['milestone']
    if content['format'] != _FORMAT or expected != checksum(content):
        raise ValueError
    files = {name: File(**entry) for name, entry in content['files'].items()}
    numbers = [frames, *itertools.chain(*files.values())]
    if type(milestone) is not bool or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError
    if any(re.search(r'[/\\:]|^\.*$', name) or name == INDEX for name in files):
        raise ValueError
    data = [name for name in files if name.startswith(f'{VARIABLES}.data-')]
    if f'{VARIABLES}.index' not in files or not data:
        raise ValueError
    return Index(frames, milestone, files)


def summarize(file_path: str) -> File:
    """Returns size and CRC-32 of a file.

    Raises:
      OSError: if it cannot be read.
    """
    size, crc = 0, 0
    with open(file_path, 'rb') as file:
        for chunk in iter(lambda: file.read(_CHUNK_BYTES), b''):
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
    return File(size, crc)


def _sync_folder(folder: str) -> None:
    """Writes the entries of a folder to the disk, where the system can."""
    if not _HAS_FOLDER_SYNC:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _names(folder: str) -> List[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []

"""Checkpoints of earlier versions: files in the folder of a run.

`model.ckpt-N.*` are the variables, `replay-N.npz`, `resume-N.npz` and `account-N.npz` the rest, and
`unit-N.json` has their checksums; even older runs, and folders of best models, have none.
They can be read directly. A run that resumes converts them into directories.
"""

import contextlib
import json
import os
import re
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from sc2impala import replay
from sc2impala.checkpoints import directory
from sc2impala.checkpoints.directory import File
from sc2impala.errors import UserError
from sc2impala.runtime import console

_FILE = re.compile(
    r'model\.ckpt-(?P<a>\d+)\.(index|data-\d{5}-of-\d{5}|evaluation\.json)$'
    r'|unit-(?P<b>\d+)\.json$|(replay|resume|account)-(?P<c>\d+)\.npz$'
)
_LEFTOVER = re.compile(
    r'((replay|resume|account)-\d+\.npz|unit-\d+\.json|checkpoint)\.tmp'
    r'|model\.ckpt-\d+\..*tempstate|model\.ckpt-\d+_temp_'
)
_LIST = 'checkpoint'
"""TensorFlow's list of checkpoints."""
_ABOUT = 'adoption.json'
_EVALUATION = 'evaluation.json'


def prefix(folder: str, frames: int) -> str:
    """The prefix of TensorFlow for the variables of a checkpoint."""
    return os.path.join(folder, f'model.ckpt-{frames:d}')


def saved(folder: str) -> List[int]:
    """Frames of the checkpoints in a folder with variables or checksums, in order."""
    names = [name for name in _names(folder) if name.endswith('.index') or name[:5] == 'unit-']
    return sorted({n for n in map(_frames_of, names) if n is not None})


def files(folder: str, frames: int) -> List[str]:
    """Names of the existing files of a checkpoint, the checksums first."""
    found = [name for name in _names(folder) if _frames_of(name) == frames]
    return sorted(found, key=lambda name: (name[:5] != 'unit-', not name.endswith('.index'), name))


def preferred(folder: str) -> Optional[int]:
    """The best model in TensorFlow's list; None in other folders."""
    if not os.path.basename(os.path.abspath(folder)).startswith('best'):
        return None
    with contextlib.suppress(OSError, ValueError):
        with open(os.path.join(folder, _LIST), encoding='utf-8') as file:
            match = re.match(r'model_checkpoint_path: ".*-(\d+)"', file.read())
        if match and os.path.isfile(prefix(folder, int(match.group(1))) + '.index'):
            return int(match.group(1))
    return None


def fault(folder: str, frames: int) -> Optional[str]:
    """Compares a checkpoint with its checksums; returns a fault in words or None."""
    with contextlib.suppress(ValueError):
        return directory.difference(folder, _read_unit(folder, frames)['files'])
    # Without `unit-N.json` the checksums inside of the files are compared.
    from sc2impala.checkpoints import variables

    try:
        variables.check(prefix(folder, frames))
        for name in files(folder, frames):
            if name.endswith('.npz'):
                replay.load(os.path.join(folder, name))
    except (ValueError, OSError, UserError) as error:
        return variables.reason(error)
    return None


def convert(run: str) -> None:
    """Converts all checkpoints of a run, its best models, and adopted ones.

    Damaged checkpoints stay unchanged. It can be repeated after a kill.

    Raises:
      UserError: if the folder cannot be written to.
    """
    try:
        folders = [run, *(os.path.join(run, n) for n in _names(run) if n.startswith('best'))]
        count = sum(map(_convert_folder, folders))
        for name in _names(run):
            if re.match(r'adopted-\d+$', name):
                _convert_adopted(os.path.join(run, name))
    except OSError as error:
        raise UserError(
            f'the checkpoints in {run} cannot be converted to directories ({error.strerror}), '
            'expected a --logdir with free space that this user may write to.'
        ) from error
    if count:
        checkpoints = console.count_text(count, 'checkpoint')
        console.say(
            f'converted {checkpoints} of an earlier version in {run} to directories in '
            f'{directory.FOLDER}'
        )


def _convert_folder(folder: str) -> int:
    """Converts the checkpoints of one folder; returns their number."""
    count = 0
    found = saved(folder)
    for frames in sorted({n for n in map(_frames_of, _names(folder)) if n is not None}):
        target = directory.path(folder, frames)
        if frames in found and not os.path.lexists(target):
            if fault(folder, frames) is not None:
                continue
            milestone = False
            with contextlib.suppress(ValueError):
                milestone = _read_unit(folder, frames)['milestone']
            directory.write(target, frames, _filler(folder, frames), milestone)
            count += 1
        # Files without variables remain from an interrupted save or conversion.
        if frames not in found or directory.fault(target) is None:
            for name in files(folder, frames):
                os.remove(os.path.join(folder, name))
    for name in _names(folder):
        is_list = name == _LIST and not saved(folder) and directory.saved(folder)
        if _LEFTOVER.match(name) or (is_list and os.path.isfile(os.path.join(folder, name))):
            directory.discard(os.path.join(folder, name))
    return count


def _filler(folder: str, frames: int) -> Callable[[str], None]:
    """Returns a function that writes the files of a checkpoint into a given folder."""
    paths = {name: os.path.join(folder, name) for name in files(folder, frames)}
    buffer, resume, account = (
        paths.get(f'{name}-{frames}.npz') for name in ('replay', 'resume', 'account')
    )
    about = os.path.join(folder, _ABOUT)
    record = paths.get(f'model.ckpt-{frames}.{_EVALUATION}') or _record_of(folder, frames)

    def fill(target: str) -> None:
        directory.link_variables(prefix(folder, frames), target)
        if buffer:
            directory.link(buffer, os.path.join(target, 'replay.npz'))
        if record:
            directory.link(record, os.path.join(target, _EVALUATION))
        if os.path.isfile(about):
            directory.link(about, os.path.join(target, _ABOUT))
        state: Dict[str, np.ndarray] = dict(replay.load(resume)) if resume else {}
        if account:
            arrays = replay.load(account)
            state.update((f'account/{name}', arrays[name]) for name in arrays)
            state.setdefault('format', np.array(1))
        if state:
            replay.save(os.path.join(target, 'state.npz'), state)

    return fill


def _convert_adopted(folder: str) -> None:
    """Converts a directory `adopted-N` in its place."""
    for frames in saved(folder):
        if not directory.is_checkpoint(folder) and fault(folder, frames) is None:
            directory.write(folder, frames, _filler(folder, frames))


def _record_of(folder: str, frames: int) -> Optional[str]:
    """The evaluation of a best model without a separate file; None if it is another model's."""
    path = os.path.join(folder, _EVALUATION)
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        with open(path, 'rb') as file:
            is_own = json.loads(file.read().decode())['global_step'] == frames
        return path if is_own and frames == preferred(folder) else None
    return None


def _read_unit(folder: str, frames: int) -> Dict[str, Any]:
    """The entries `files` and `milestone` of `unit-N.json`; raises ValueError if damaged."""
    try:
        with open(os.path.join(folder, f'unit-{frames:d}.json'), 'rb') as file:
            content = json.loads(file.read().decode())
        expected = content.pop('checksum')
        if expected != directory.checksum(content) or content['frames'] != frames:
            raise ValueError
        own = {name: File(**entry) for name, entry in content['files'].items()}
        if f'model.ckpt-{frames}.index' not in own or any(_frames_of(n) != frames for n in own):
            raise ValueError
        return {'files': own, 'milestone': content.get('milestone') is True}
    except (OSError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f'unit-{frames}.json is damaged') from error


def _frames_of(name: str) -> Optional[int]:
    match = _FILE.match(name)
    return int(next(filter(None, match.groupdict().values()))) if match else None


def _names(folder: str) -> List[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []

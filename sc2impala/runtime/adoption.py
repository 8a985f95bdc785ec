"""Adoption: a run goes on with the weights and the optimizer of another run of the same agent.

The folder `adopted-N` of a run holds the variables of the other run. A start that goes on from the
checkpoint of N frames, or from an older one, takes them in the place of its own; frames, and with
them all schedules, stay. A start that goes on from a newer checkpoint has them already. So there is
one moment at which the state of the run changes: when the folder gets its name.
"""

import json
import os
import re
import shutil
from typing import Any, Callable, Collection, Dict, NamedTuple, Optional, Sequence

from sc2impala.errors import UserError
from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime import logdir as logdir_lib

PARTS = ('games', 'replay')
"""What of its own a run may keep besides its frames."""

_FILES_OF = {'games': 'resume', 'replay': 'replay'}
_NAME = re.compile(r'adopted-(\d+)$')
_ABOUT = 'adoption.json'
_FORMAT = 1


class Adoption(NamedTuple):
    """What a run takes over.

    folder: holds it.
    frames: of the checkpoint there.
    source: folder of the run that it comes from.
    keep: those of `PARTS` that stay.
    """

    folder: str
    frames: int
    source: str
    keep: Sequence[str]

    @property
    def checkpoint(self) -> str:
        """The name by which TensorFlow knows the variables."""
        return units.model_path(self.folder, self.frames)

    @property
    def dropped_parts(self) -> Sequence[str]:
        """Names of the parts of the run's own checkpoint that do not go on."""
        return [_FILES_OF[name] for name in PARTS if name not in self.keep]


def offer(source: str, source_frames: int, target: str, target_frames: int, keep: Any) -> None:
    """Lets a run go on with the variables of another one; it must not be in training.

    It counts, whole, from the moment on at which this is done; the files of the other run are only
    read. The same offer may be made again.

    Args:
      source: folder of the other run.
      source_frames: of its checkpoint.
      target: folder of the run.
      target_frames: of the run's newest checkpoint.
      keep: those of `PARTS` that stay.

    Raises:
      UserError: if the checkpoint of the other run is not whole, or nothing can be written.
    """
    name = f'adopted-{target_frames:d}'
    path = os.path.join(target, name)
    temporary = path + '.tmp'
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        os.mkdir(temporary)
        _copy_variables(source, source_frames, temporary)
        about = {'format': _FORMAT, 'source': source, 'frames': source_frames, 'keep': list(keep)}
        logdir_lib.replace_json(os.path.join(temporary, _ABOUT), about)
        shutil.rmtree(path, ignore_errors=True)
        os.rename(temporary, path)
    except (OSError, ValueError) as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise UserError(
            f'{path} cannot be written ({error}), expected a whole checkpoint of {source_frames:,} '
            f'frames in {source}, and free space.'
        ) from error
    for other in _names(target):
        if other != name:
            shutil.rmtree(os.path.join(target, other), ignore_errors=True)


def find(logdir: str, frames: int) -> Optional[Adoption]:
    """What a start that goes on from the checkpoint of some frames takes over, or None.

    Raises:
      UserError: if it is damaged.
    """
    waiting = [name for name in _names(logdir) if _frames_of(name) >= frames]
    if not waiting:
        return None
    folder = os.path.join(logdir, min(waiting, key=_frames_of))
    try:
        with open(os.path.join(folder, _ABOUT), 'rb') as file:
            about = json.loads(file.read().decode())
        adoption = _checked(folder, about)
        fault = units.fault(folder, adoption.frames)
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        fault = str(error)
    if fault is not None:
        raise UserError(
            f'{folder} is damaged ({fault}): move it away to go on with the weights of the run '
            'itself.'
        )
    return adoption


def loader(
    adoption: Adoption, variables: Collection[Any], counters: Collection[Any]
) -> Callable[[Any], None]:
    """Builds the operations that load the variables of the other run.

    Args:
      adoption: from `find`.
      variables: all of the graph.
      counters: those that stay: the frames of all phases.

    Returns:
      Function of a session that loads them.

    Raises:
      UserError: if the other run has other variables.
    """
    from sc2impala.runtime import checkpoints

    own = {variable.op.name for variable in counters}
    taken = [variable for variable in variables if variable.op.name not in own]
    checkpoints.check_complete(adoption.checkpoint, taken)
    return checkpoints.assigner(checkpoints.read(adoption.checkpoint), taken)


def _copy_variables(source: str, frames: int, folder: str) -> None:
    """Copies the variables of a checkpoint, and compares their checksums with those it had.

    Raises:
      OSError, ValueError: if that does not work, or a file is damaged.
    """
    expected = units.read(source, frames)
    if expected is None:
        raise ValueError(f'{units.index_path(source, frames)} is missing')
    for name in expected:
        if units.part_of(name) is None:
            path = shutil.copyfile(os.path.join(source, name), os.path.join(folder, name))
            with open(path, 'rb+') as file:
                os.fsync(file.fileno())
    units.write(folder, frames, ())
    found: Dict[str, Any] = units.read(folder, frames) or {}
    different = [name for name, file in found.items() if expected[name] != file]
    if different or not found:
        raise ValueError(f'{", ".join(different)} has another checksum')


def _checked(folder: str, about: Any) -> Adoption:
    """Raises: ValueError, KeyError, TypeError: if this does not describe an adoption."""
    adoption = Adoption(folder, about['frames'], about['source'], tuple(about['keep']))
    if about['format'] != _FORMAT or type(adoption.frames) is not int:
        raise ValueError(f'{_ABOUT} is of another version')
    if type(adoption.source) is not str or not set(adoption.keep) <= set(PARTS):
        raise ValueError(f'{_ABOUT} is not understood')
    return adoption


def _names(logdir: str) -> Sequence[str]:
    names = os.listdir(logdir) if os.path.isdir(logdir) else []
    return sorted(name for name in names if _NAME.match(name))


def _frames_of(name: str) -> int:
    match = _NAME.match(name)
    assert match is not None
    return int(match.group(1))

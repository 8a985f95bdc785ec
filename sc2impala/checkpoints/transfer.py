"""Transfer: a run continues with the weights and the optimizer of another run of the same agent.

The directory `adopted-N` in the folder of a run is a checkpoint with the variables of the other
run. A run that resumes from its own checkpoint of N frames, or from an older one, restores these
instead of its own; frames, and with them all schedules, stay. A run that resumes from a newer
checkpoint has them already. So the state of the run changes atomically: when the directory gets
its name.
"""

import json
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from sc2impala.checkpoints import choice, directory
from sc2impala.errors import UserError
from sc2impala.runtime import logdir

FILES = {'games': 'state.npz', 'replay': 'replay.npz'}
"""Parts of its own state that a run may keep in addition to its frames, and their files."""

_NAME = re.compile(r'adopted-(\d+)$')
_ABOUT = 'adoption.json'
_FORMAT = 1


class Adoption(NamedTuple):
    """Adopted variables of another run.

    checkpoint: path of the directory.
    frames: frames of the other run.
    source: folder of the other run.
    keep: keys of `FILES` to keep.
    """

    checkpoint: str
    frames: int
    source: str
    keep: Sequence[str]

    @property
    def dropped_files(self) -> List[str]:
        """Names of files of the run's own checkpoint that are dropped."""
        return [file for name, file in FILES.items() if name not in self.keep]


def offer(
    source: str, source_frames: int, target: str, target_frames: int, keep: Sequence[str]
) -> None:
    """Lets a run continue with the variables of another one; it must not be running.

    The files of the other run are only read. The call may be repeated.

    Args:
      source: folder of the other run.
      source_frames: frames of its checkpoint.
      target: folder of the run.
      target_frames: frames of the run's newest checkpoint.
      keep: keys of `FILES` to keep.

    Raises:
      UserError: if the checkpoint of the other run is incomplete, or the folder is not writable.
    """
    path = os.path.join(target, f'adopted-{target_frames:d}')
    about = {'format': _FORMAT, 'source': source, 'frames': source_frames, 'keep': list(keep)}

    def fill(folder: str) -> None:
        checkpoint = choice.of_frames(source, source_frames)
        fault = 'it is missing' if checkpoint is None else choice.fault(source, checkpoint)
        if checkpoint is None or fault is not None:
            raise ValueError(fault)
        directory.link_variables(checkpoint, folder)
        logdir.replace_json(os.path.join(folder, _ABOUT), about)

    try:
        directory.write(path, source_frames, fill)
    except (OSError, ValueError) as error:
        raise UserError(
            f'{path} cannot be written ({error}), expected a whole checkpoint of {source_frames:,} '
            f'frames in {source}, and free space.'
        ) from error
    for other in _names(target):
        if other != os.path.basename(path):
            directory.remove(os.path.join(target, other))


def find(run: str, frames: int) -> Optional[Adoption]:
    """Returns the adoption of a run that resumes from a checkpoint of these frames, or None.

    Raises:
      UserError: if the adoption is damaged.
    """
    waiting = [name for name in _names(run) if _frames_of(name) >= frames]
    if not waiting:
        return None
    path = os.path.join(run, min(waiting, key=_frames_of))
    fault = directory.fault(path)
    if fault is None:
        try:
            with open(os.path.join(path, _ABOUT), 'rb') as file:
                about = json.loads(file.read().decode())
            return _checked(path, about)
        except (OSError, ValueError, RecursionError, LookupError, TypeError) as error:
            fault = str(error)
    raise UserError(
        f'{path} is damaged ({fault}): move it away to resume with the weights of the run itself.'
    )


def _checked(path: str, about: Dict[str, Any]) -> Adoption:
    """Raises: ValueError, KeyError, TypeError: if this does not describe an adoption."""
    adoption = Adoption(path, about['frames'], about['source'], tuple(about['keep']))
    if about['format'] != _FORMAT or type(adoption.frames) is not int:
        raise ValueError(f'{_ABOUT} is of another version')
    if type(adoption.source) is not str or not set(adoption.keep) <= set(FILES):
        raise ValueError(f'{_ABOUT} is not understood')
    return adoption


def _names(run: str) -> List[str]:
    names = os.listdir(run) if os.path.isdir(run) else []
    return sorted(name for name in names if _NAME.match(name))


def _frames_of(name: str) -> int:
    return int(name.rpartition('-')[2])

"""The checkpoint that `--checkpoint` names."""

import os
import re
from typing import List, Optional

from sc2impala.errors import UserError
from sc2impala.runtime import best_checkpoint, checkpoints
from sc2impala.runtime import checkpoint_units as units

LATEST = 'latest'
BEST = 'best'


def find(folder: str, name: str = LATEST, option: str = '--checkpoint') -> str:
    """Finds a checkpoint of a run.

    Args:
      folder: of the run.
      name: 'latest'; 'best', the one in the folder `best`; the number of frames of one of both
        folders; or a path, possibly relative to the folder of the run, of a checkpoint or of a
        folder with checkpoints.
      option: that has this value, for errors.

    Returns:
      Its path.

    Raises:
      UserError: if there is none.
    """
    if name == LATEST:
        found = checkpoints.latest(folder)
        if found is None:
            raise UserError(
                f'{folder} holds no checkpoint, expected the folder of a run that has saved one.'
            )
    elif name == BEST:
        found = checkpoints.latest(os.path.join(folder, best_checkpoint.FOLDER))
    elif name.isdecimal():
        found = _of_frames(folder, int(name))
    else:
        found = _of_path(folder, os.path.expanduser(name))
    if found is None:
        raise UserError(
            f'{option}={name} is no checkpoint of {folder}, expected {_choices(folder)}.'
        )
    return found


def label(folder: str, checkpoint: str) -> str:
    """A name for files about a checkpoint that no other checkpoint of the run shares.

    Raises:
      UserError: if the checkpoint is not in the folder of the run.
    """
    path = os.path.relpath(os.path.realpath(checkpoint), os.path.realpath(folder))
    *folders, basename = path.split(os.sep)
    if os.pardir in folders or os.path.isabs(path):
        raise UserError(
            f'--checkpoint={checkpoint} is not in --logdir={folder}, expected a checkpoint of this '
            'run, or the --logdir that holds it.'
        )
    return '-'.join([*folders, str(checkpoints.number(basename))])


def _of_frames(folder: str, frames: int) -> Optional[str]:
    for each in (folder, os.path.join(folder, best_checkpoint.FOLDER)):
        if frames in units.with_variables(each):
            return units.model_path(each, frames)
    return None


def _of_path(folder: str, path: str) -> Optional[str]:
    for each in (path, os.path.join(folder, path)):
        checkpoint = re.sub(r'\.index$', '', each)
        if os.path.isfile(checkpoint + '.index') and re.search(r'-\d+$', checkpoint):
            return checkpoint
        found = checkpoints.latest(each) if os.path.isdir(each) else None
        if found is not None:
            return found
    return None


def _choices(folder: str) -> str:
    """What can be chosen, for errors."""
    best = os.path.join(folder, best_checkpoint.FOLDER)
    names: List[str] = [BEST] if units.with_variables(best) else []
    all_frames = {*units.with_variables(folder), *units.with_variables(best)}
    names += [str(frames) for frames in sorted(all_frames)]
    if not names:
        return 'a folder with checkpoints'
    return f'one of {", ".join([LATEST, *names])}, or the path of one'

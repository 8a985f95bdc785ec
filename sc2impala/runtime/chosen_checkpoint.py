"""The checkpoint that `--checkpoint` names."""

import glob
import itertools
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
      name: 'latest'; 'best', the one in the folder `best`; a number of frames, in the folder of the
        run or one of best models; or a path, possibly relative to the folder of the run, of a
        checkpoint or of a folder with checkpoints, such as `best-greedy`.
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
    for each in ('', *_best_folders(folder)):
        if frames in units.with_variables(os.path.join(folder, each)):
            return units.model_path(os.path.join(folder, each), frames)
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
    """Returns the values of --checkpoint that exist, for error messages."""
    best = _best_folders(folder)
    found = [units.with_variables(os.path.join(folder, each)) for each in ('', *best)]
    names = [*best, *map(str, sorted(set(itertools.chain(*found))))]
    if not names:
        return 'a folder with checkpoints'
    return f'one of {", ".join([LATEST, *names])}, or the path of one'


def _best_folders(folder: str) -> List[str]:
    """Names of the folders of best models that hold one, `best` first."""
    pattern = os.path.join(glob.escape(folder), best_checkpoint.FOLDER + '*')
    return [
        os.path.basename(each) for each in sorted(glob.glob(pattern)) if units.with_variables(each)
    ]

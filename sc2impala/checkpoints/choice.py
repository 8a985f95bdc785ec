"""Chooses a checkpoint: the newest complete one, or the one that a flag names."""

import glob
import json
import os
from typing import Any, List, NamedTuple, Optional, Tuple

from sc2impala.checkpoints import directory, legacy, zoo_names
from sc2impala.checkpoints.directory import DamagedError, Skipped
from sc2impala.errors import UserError
from sc2impala.runtime import console

LATEST = 'latest'
BEST = 'best'
"""Also the folder of the best model in a run's folder; other best folders have this prefix."""
EVALUATION = 'evaluation.json'
"""File in a checkpoint: the evaluation for which it is kept as the best."""

_ATTEMPTS = 20
"""Number of attempts while a run saves and removes checkpoints."""


class Choice(NamedTuple):
    """The checkpoint to use, and the skipped ones, newest first."""

    checkpoint: str
    skipped: List[Skipped]

    def describe(self) -> str:
        """The skipped checkpoints and the one that is used, as a part of a sentence."""
        names = [f'{directory.FOLDER}/{n} is damaged ({reason})' for n, reason in self.skipped]
        used = directory.frames_of(self.checkpoint)
        return f'{", ".join(names)}, using {directory.FOLDER}/{used} instead'


def found(run: str) -> List[str]:
    """Paths of all checkpoints of a run, including older formats, the best one last.

    In the folder of a best model, the best one has the highest mean return: a kill may have left
    two of them. Anywhere else it is the newest.
    """
    paths = {frames: legacy.prefix(run, frames) for frames in legacy.saved(run)}
    paths.update((frames, directory.path(run, frames)) for frames in directory.saved(run))
    preferred = legacy.preferred(run)

    def rank(frames: int) -> Tuple[bool, float, int]:
        result = read_evaluation(paths[frames]) or {}
        return frames == preferred, result.get('mean_return', -float('inf')), frames

    return [paths[frames] for frames in sorted(paths, key=rank)]


def read_evaluation(checkpoint: str) -> Any:
    """The evaluation for which a checkpoint is kept as the best; or None."""
    try:
        with open(os.path.join(checkpoint, EVALUATION), 'rb') as file:
            content = json.loads(file.read().decode())
        if content['policy'] is None or type(content['global_step']) is not int:
            return None
        return dict(content, mean_return=float(content['mean_return']))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def choose(run: str) -> Optional[Choice]:
    """Chooses the newest checkpoint that is complete; None if there is no checkpoint or no folder.

    Raises:
      DamagedError: if there are some, but none is complete.
    """
    for _ in range(_ATTEMPTS):
        skipped: List[Tuple[str, str]] = []
        candidates = found(run)
        for checkpoint in reversed(candidates):
            reason = fault(run, checkpoint)
            if reason is None:
                return Choice(checkpoint, [Skipped(directory.frames_of(c), f) for c, f in skipped])
            if checkpoint in found(run):
                skipped.append((checkpoint, reason))
        if candidates == found(run):
            break
    if skipped:
        checkpoint, reason = skipped[0]
        raise DamagedError(
            f'{checkpoint} is damaged or not a checkpoint ({reason}), and no other one in this '
            'folder is whole: --init_checkpoint can begin a new --logdir with that of another run.'
        )
    return None


def fault(run: str, checkpoint: str) -> Optional[str]:
    """Compares a checkpoint of a run with its checksums; returns its fault or None."""
    if checkpoint == legacy.prefix(run, directory.frames_of(checkpoint)):
        return legacy.fault(run, directory.frames_of(checkpoint))
    return directory.fault(checkpoint)


def of_frames(folder: str, frames: int) -> Optional[str]:
    """The checkpoint of some frames in the folder of a run; or None."""
    paths = found(folder)
    return next((path for path in paths if directory.frames_of(path) == frames), None)


def newest(run: str) -> Optional[str]:
    """The newest complete checkpoint of a run; None if there is no checkpoint or no folder.

    Prints a sentence if others were skipped.

    Raises:
      DamagedError: if no checkpoint is complete.
    """
    chosen = choose(run)
    if chosen is None:
        return None
    if chosen.skipped:
        console.say(f'{run}: {chosen.describe()}')
    return chosen.checkpoint


def find_initial(folder_or_checkpoint: str) -> str:
    """Returns the checkpoint of `--init_checkpoint`: the newest in a folder, or the named one.

    Raises:
      UserError: if there is none.
    """
    path = _at(folder_or_checkpoint)
    if path is None:
        raise UserError(
            f'--init_checkpoint={folder_or_checkpoint} has no checkpoint, expected the folder of '
            'a run, the name of a checkpoint, or that of an agent of the zoo.'
        )
    return path


def find(run: str, name: str = LATEST, option: str = '--checkpoint') -> str:
    """Finds a checkpoint of a run.

    Args:
      run: the folder.
      name: 'latest'; 'best', the one in the folder `best`; a number of frames, in the folder of the
        run or one of best models; a path, possibly relative to the folder of the run, of a
        checkpoint or of a folder with checkpoints, such as `best-greedy`; or a name of the zoo.
      option: name of the option with this value, for errors.

    Returns:
      Its path.

    Raises:
      UserError: if there is none.
    """
    if name == LATEST:
        checkpoint = newest(run)
        if checkpoint is None:
            raise UserError(
                f'{run} has no checkpoint, expected the folder of a run that has saved one.'
            )
    elif name == BEST:
        checkpoint = newest(os.path.join(run, BEST))
    elif name.isdecimal():
        folders = [run, *_best_folders(run)]
        checkpoint = next(filter(None, (of_frames(each, int(name)) for each in folders)), None)
    else:
        path = os.path.expanduser(name)
        checkpoint = _at(path, True) or _at(os.path.join(run, path), True)
    if checkpoint is None:
        raise UserError(f'{option}={name} is no checkpoint of {run}, expected {_choices(run)}.')
    return checkpoint


def label(run: str, checkpoint: str) -> str:
    """Returns a unique name for files about a checkpoint of a run.

    Raises:
      UserError: if the checkpoint is not in the folder of the run.
    """
    path = os.path.relpath(os.path.realpath(checkpoint), os.path.realpath(run))
    folders = path.split(os.sep)[:-1]
    if os.pardir in folders or os.path.isabs(path):
        raise UserError(
            f'--checkpoint={checkpoint} is not in --logdir={run}, expected a checkpoint of this '
            'run, or its --logdir.'
        )
    names = [name for name in folders if name != directory.FOLDER]
    return '-'.join([*names, str(directory.frames_of(checkpoint))])


def _at(given: str, numbered: bool = False) -> Optional[str]:
    """The checkpoint at a path, or the newest one in a folder at this path, or None.

    Args:
      given: the path, or a name of the zoo.
      numbered: True if the name of a prefix must end with its frames.
    """
    if zoo_names.is_zoo(given):
        from sc2impala.checkpoints import zoo  # It imports TensorFlow.

        return zoo.checkpoint(given)
    path = directory.normal(given)
    if directory.is_checkpoint(path):
        ends_with_frames = path.rpartition('-')[2].isdecimal()
        return path if os.path.isdir(path) or ends_with_frames or not numbered else None
    return newest(path) if os.path.isdir(path) else None


def _choices(run: str) -> str:
    """The values of --checkpoint that exist, for errors."""
    best = _best_folders(run)
    paths = [checkpoint for folder in (run, *best) for checkpoint in found(folder)]
    frames = sorted({directory.frames_of(checkpoint) for checkpoint in paths})
    names = [*map(os.path.basename, best), *map(str, frames)]
    if not names:
        return 'a folder with checkpoints'
    return f'one of {", ".join([LATEST, *names])}, or the path of one'


def _best_folders(run: str) -> List[str]:
    """The non-empty folders of best models, `best` first."""
    folders = sorted(glob.glob(os.path.join(glob.escape(run), BEST + '*')))
    return [folder for folder in folders if found(folder)]

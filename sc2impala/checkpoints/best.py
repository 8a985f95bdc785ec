"""The best checkpoint of a run and a policy, in a folder such as `best` of the run.

The folder is like a run's: it can be evaluated, and other runs can start from it. The
evaluation for which a checkpoint is kept is one of its files.

A candidate is a directory of hard links whose name begins with a dot. It becomes the
best one when it is renamed to its number; then the others are removed. If a kill leaves two, the
one with the higher mean return counts.
"""

import functools
import os
import re
from typing import Any, Callable, Dict, List, Mapping, Optional

from sc2impala.checkpoints import choice, directory, legacy
from sc2impala.errors import UserError
from sc2impala.runtime import logdir

_HELD = 'held'
_NAME = re.compile(rf'\.(\d+)\.{_HELD}$')
_MANIFEST = 'manifest.json'


class BestCheckpoint:
    """Keeps checkpoints while they are evaluated, and the best one.

    folder: folder of these checkpoints.
    """

    def __init__(self, run: str, name: str = choice.BEST):
        """Args:
        run: the folder of the run.
        name: name of the folder in it.

        Raises:
          UserError: if the folder cannot be created or written to.
        """
        self._run = run
        self.folder = os.path.join(run, name)
        logdir.prepare(self.folder)
        legacy.convert(self.folder)
        self._finish()
        found = choice.found(self.folder)
        self._kept = directory.frames_of(found[-1]) if found else None

    @property
    def kept(self) -> Optional[int]:
        """Frames of the best checkpoint; or None."""
        return self._kept

    def hold(self, checkpoint: str) -> Optional[str]:
        """Links or copies a checkpoint of the run; the run may remove its own at any time.

        Returns:
          Its path in this folder, or None if it was removed.

        Raises:
          UserError: if the folder cannot be written to.
        """
        try:
            return self._write(
                directory.frames_of(checkpoint),
                functools.partial(directory.link_variables, checkpoint),
            )
        except FileNotFoundError as error:
            if not os.path.isdir(self.folder):
                raise _cannot_write(self.folder, error) from error
        except OSError as error:
            raise _cannot_write(self.folder, error) from error
        self.drop_others()
        return None

    def hold_new(self, frames: int, save: Callable[[str], None]) -> None:
        """Saves variables that no checkpoint of the run has.

        Args:
          frames: environment frames of all phases together.
          save: saves the variables to a given folder.

        Raises:
          UserError: if the folder cannot be written to.
        """
        try:
            self._write(frames, save)
        except OSError as error:
            raise _cannot_write(self.folder, error) from error

    def holds(self, frames: int) -> bool:
        """Checks whether the checkpoint of `frames` is in this folder, the best one or held."""
        paths = (self._held(frames), directory.path(self.folder, frames))
        return any(map(directory.is_checkpoint, paths))

    def result(self) -> Optional[Dict[str, Any]]:
        """The evaluation for which the best checkpoint is kept; None if it is not known."""
        if self._kept is None:
            return None
        result: Optional[Dict[str, Any]] = choice.read_evaluation(
            directory.path(self.folder, self._kept)
        )
        return result

    @property
    def is_complete(self) -> bool:
        """False if a kill has interrupted `keep`, or the evaluation of the best is unknown."""
        of_folder = choice.read_evaluation(self.folder)
        own = self.result()
        return None not in (own, of_folder) and of_folder['global_step'] == self._kept

    def keep(self, frames: int, result: Mapping[str, object]) -> None:
        """Makes a held checkpoint the best one.

        Args:
          frames: frames of the checkpoint.
          result: result of its evaluation.

        Raises:
          UserError: if the folder cannot be written to.
        """
        target, held = directory.path(self.folder, frames), self._held(frames)
        source = held if directory.is_checkpoint(held) else target
        try:
            with open(os.path.join(self._run, _MANIFEST), encoding='utf-8') as file:
                logdir.replace_text(os.path.join(self.folder, _MANIFEST), file.read())
            logdir.replace_json(os.path.join(source, choice.EVALUATION), result)
            directory.seal(source, frames)
            if source == held:
                directory.publish(held, target)
        except OSError as error:
            raise _cannot_write(self.folder, error) from error
        self._kept = frames
        logdir.write_json(os.path.join(self.folder, choice.EVALUATION), result)
        self.drop_others()

    def drop_others(self) -> None:
        """Removes all checkpoints of this folder but the best."""
        for frames in directory.saved(self.folder):
            if frames != self._kept:
                directory.remove(directory.path(self.folder, frames))
        for name in self._hidden():
            directory.discard(os.path.join(self.folder, directory.FOLDER, name))

    def _finish(self) -> None:
        """Renames a held checkpoint if a kill came between its evaluation and the rename."""
        for name in self._hidden():
            match = _NAME.match(name)
            held = os.path.join(self.folder, directory.FOLDER, name)
            if match and directory.fault(held) is None and choice.read_evaluation(held):
                try:
                    directory.publish(held, directory.path(self.folder, int(match.group(1))))
                except OSError as error:
                    raise _cannot_write(self.folder, error) from error

    def _write(self, frames: int, fill: Callable[[str], None]) -> str:
        held = self._held(frames)
        directory.write(held, frames, fill)
        return held

    def _held(self, frames: int) -> str:
        return directory.hidden(directory.path(self.folder, frames), _HELD)

    def _hidden(self) -> List[str]:
        folder = os.path.join(self.folder, directory.FOLDER)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return sorted(name for name in names if name.startswith('.'))


def _cannot_write(folder: str, error: OSError) -> UserError:
    return UserError(
        f'{folder} cannot be written to ({error.strerror}), expected a --logdir with free space '
        'that this user may write to.'
    )

"""Writes the checkpoints of a run, and rotates them.

The latest `keep` and the milestones are kept. The latest two of them have the replay buffer and
all other state for an exact resume, older ones only the variables.
"""

import abc
import contextlib
import os
import time
from typing import Collection, List, Mapping, Optional, Sequence, Set

import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import directory
from sc2impala.errors import UserError
from sc2impala.runtime import console, disk
from sc2impala.runtime.plain_paths import plain_path

_NUM_WITH_STATE = 2
_RETRY_SECS = 10.0
_SPARE_BYTES = 2**20
"""Reserved space for the growth of the replay buffer, and for other files of a run."""


class SavedFile(abc.ABC):
    """A file that a checkpoint has in addition to the variables.

    otherwise: what happens without the file, as a clause.
    """

    otherwise = 'it starts empty'

    @abc.abstractmethod
    def save(self, path: str, session: tf.Session) -> None:
        """Writes the file.

        Args:
          path: path of the new file.
          session: session with the variables.

        Raises:
          OSError: if it cannot be written.
        """

    @abc.abstractmethod
    def load(self, path: str, session: tf.Session, is_kept: bool = True) -> None:
        """Restores a file written by `save`; the variables have been restored before.

        Args:
          path: path of the file.
          session: session with the variables.
          is_kept: False if the run adopts the variables of another run without this file; then
            only the account of generated and trained frames is restored.

        Raises:
          OSError: if the file cannot be read.
          ValueError: if it is damaged, or of another run.
        """


class CheckpointWriter:
    """Saves variables and all other files of a checkpoint every N seconds.

    saver: saver of the variables.
    """

    def __init__(
        self,
        run: str,
        save_secs: float,
        keep: int,
        files: Optional[Mapping[str, SavedFile]] = None,
        max_unsaved_secs: float = 0.0,
        keep_every_frames: int = 0,
    ):
        """Args:
        run: the folder.
        save_secs: time between two checkpoints.
        keep: number of latest checkpoints to keep; 0 keeps all.
        files: in addition to the variables, by name, in the order in which they are saved.
        max_unsaved_secs: time for which `save_if_due` retries while the folder is missing or not
          writable. It always waits for a full disk.
        keep_every_frames: frames between two milestones; 0 for none, see `Rotation`.
        """
        self.saver = tf.train.Saver(max_to_keep=0)
        self._run = run
        self._folder = disk.Folder(run)
        self._save_secs = save_secs
        self._max_unsaved_secs = max_unsaved_secs
        self._files = dict(files or {})
        self._trouble = disk.Trouble()
        self._next_time = time.monotonic() + save_secs
        self._retry_time = -float('inf')
        self._rotation = Rotation(keep, keep_every_frames)
        self._removing: List[int] = []

    def start_from(self, frames: int) -> None:
        """Continues after the checkpoint of `frames`; older ones are also rotated."""
        before = [n for n in directory.saved(self._run) if n < frames]
        for each in [*before, frames]:
            milestone = directory.is_milestone(directory.path(self._run, each))
            self._rotation.add(each, milestone)
        self._drop_state(self._rotation.frames[:-_NUM_WITH_STATE])

    def load_files(
        self, checkpoint: str, session: tf.Session, without: Collection[str] = ()
    ) -> None:
        """Restores all files of a checkpoint whose variables have been restored.

        Args:
          checkpoint: its path.
          session: session with the variables.
          without: names of files that are not restored, see `SavedFile.load`.

        Raises:
          UserError: if a file is damaged or of another run.
        """
        for name, file in self._files.items():
            path = os.path.join(checkpoint, name)
            if not os.path.exists(path):
                console.say(f'no {name} was saved with {checkpoint}: {file.otherwise}')
                continue
            if name in without:
                console.say(f'{name} of {checkpoint} is not kept: {file.otherwise}')
            try:
                file.load(path, session, name not in without)
            except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
                raise UserError(
                    f'{path} cannot be restored ({error}); move it away to resume without it.'
                ) from error

    def save_variables(self, session: tf.Session, folder: str) -> None:
        """Saves only the variables, to any folder.

        Raises:
          OSError, ValueError, tf.errors.OpError: if the save fails.
        """
        path = plain_path(os.path.join(folder, directory.VARIABLES))
        self.saver.save(session, path, write_meta_graph=False, write_state=False)

    def is_due(self, frames: int) -> bool:
        """Checks whether N seconds have passed since the last checkpoint, or a milestone is due."""
        now = time.monotonic()
        return now >= self._next_time or (
            now >= self._retry_time and self._rotation.is_milestone(frames)
        )

    def save_if_due(self, session: tf.Session, frames: int) -> None:
        """Saves if N seconds have passed; reports failures once a minute.

        Args:
          session: a session.
          frames: frames of all phases together; they never decrease and name the checkpoint.

        Raises:
          UserError: if the folder has not been writable for too long.
        """
        if not self.is_due(frames):
            return
        try:
            self.save(session, frames)
        except _NotSavedError as error:
            is_full = disk.number(error.cause) in disk.FULL
            if not is_full and self._trouble.secs >= self._max_unsaved_secs:
                raise
            waits = 'until there is room' if is_full else f'for {self._max_unsaved_secs:,.0f} s'
            self._trouble.report(
                f'a checkpoint in {self._run}', error.cause, f'training continues {waits}'
            )
            self._next_time = time.monotonic() + min(self._save_secs, _RETRY_SECS)
            self._retry_time = self._next_time

    def has_saved(self, frames: int) -> bool:
        """Checks whether the last checkpoint has `frames`."""
        return frames == self.newest()

    def newest(self) -> Optional[int]:
        """The frames of the last checkpoint, or None."""
        return self._rotation.newest

    def save(self, session: tf.Session, frames: int) -> None:
        """Saves now, unless the last checkpoint has these frames.

        Raises:
          UserError: if the folder is not writable.
        """
        if self.has_saved(frames):
            return
        try:
            self._write_or_make_room(session, frames)
        except (OSError, ValueError, tf.errors.OpError) as error:
            raise _NotSavedError(self._run, error) from error
        self._next_time = time.monotonic() + self._save_secs
        self._trouble.over(f'checkpoints are saved again in {self._run}')

    def _write_or_make_room(self, session: tf.Session, frames: int) -> None:
        """Writes a checkpoint; removes others, but not the last one, while the disk is full."""
        while True:
            try:
                self._write(session, frames)
                return
            except (OSError, ValueError, tf.errors.OpError) as error:
                if disk.number(error) not in disk.FULL:
                    raise
                least = self._rotation.give_up_one()
                if least is None:
                    raise
                self._removing.append(least)
                self._finish_removals()
                console.say(f'removed {directory.FOLDER}/{least}: the disk is full')

    def _write(self, session: tf.Session, frames: int) -> None:
        """Writes a checkpoint and removes old ones.

        Raises:
          OSError, ValueError, tf.errors.OpError: if the checkpoint cannot be written.
        """
        self._finish_removals()
        newest = self.newest()
        last = 0 if newest is None else directory.num_bytes(directory.path(self._run, newest))
        # Also ensures that a removed folder is not created again.
        self._folder.check(last + _SPARE_BYTES)

        def fill(folder: str) -> None:
            for name, file in self._files.items():
                file.save(os.path.join(folder, name), session)
            self.save_variables(session, folder)

        milestone = self._rotation.is_milestone(frames)
        directory.write(directory.path(self._run, frames), frames, fill, milestone)
        self._rotation.add(frames, milestone)
        self._removing += self._rotation.rotate()
        self._finish_removals()
        self._drop_state(self._rotation.frames[-_NUM_WITH_STATE - 1 : -_NUM_WITH_STATE])

    def _finish_removals(self) -> None:
        """Also removes what could not be removed when the file system was read-only."""
        directory.remove_hidden(self._run)
        self._removing = [
            frames
            for frames in self._removing
            if not directory.remove(directory.path(self._run, frames))
        ]

    def _drop_state(self, frames: Sequence[int]) -> None:
        for each in frames:
            with contextlib.suppress(OSError, ValueError):
                directory.drop_state(directory.path(self._run, each))


class Rotation:
    """Rotation of the checkpoints of a run, identified by their frames, oldest first.

    A milestone is the first checkpoint at or after a multiple of `every` frames. It stays one when
    the run resumes with another `every`.

    frames: frames of all checkpoints.
    """

    def __init__(self, keep: int, every: int = 0):
        """Args:
        keep: number of latest checkpoints to keep in addition to milestones; 0 keeps all.
        every: environment frames between milestones; 0 for none.
        """
        self.frames: List[int] = []
        self._keep = keep
        self._every = every
        self._milestones: Set[int] = set()

    @property
    def newest(self) -> Optional[int]:
        """The last checkpoint, or None."""
        return self.frames[-1] if self.frames else None

    def is_milestone(self, frames: int) -> bool:
        """Checks whether a checkpoint of `frames`, saved now, would be a milestone."""
        if not self._every or self.newest is None:
            return False
        return frames // self._every > self.newest // self._every

    def add(self, frames: int, milestone: bool = False) -> None:
        """Adds a checkpoint that is newer than all others."""
        self.frames.append(frames)
        if milestone:
            self._milestones.add(frames)

    def rotate(self) -> List[int]:
        """Removes and returns checkpoints to delete."""
        rotating = [n for n in self.frames if n not in self._milestones]
        excess = rotating[: -self._keep] if self._keep else []
        self.frames = [n for n in self.frames if n not in excess]
        return excess

    def give_up_one(self) -> Optional[int]:
        """Removes the oldest, milestones after all others, but never the newest one.

        Returns:
          Its frames; None if there is only the newest one.
        """
        older = self.frames[:-1]
        if not older:
            return None
        frames = next((n for n in older if n not in self._milestones), older[0])
        self.frames.remove(frames)
        return frames


class _NotSavedError(UserError):
    """A checkpoint cannot be saved.

    cause: the error.
    """

    def __init__(self, run: str, cause: BaseException):
        super().__init__(
            f'cannot save a checkpoint in --logdir={run} ({disk.reason(cause)}); what was saved '
            'before is still there.'
        )
        self.cause = cause

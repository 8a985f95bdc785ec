"""Checkpoints: saved as a whole, checked before they are restored, and never half written.

A checkpoint is a unit of files, see `checkpoint_units`. The latest `keep` and the milestones are
kept, and of the latest two all parts: of older ones the variables only.
"""

import contextlib
import functools
import os
import re
import time
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime import checkpoint_choice, checkpoint_variables, console, disk
from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime import logdir as logdir_lib
from sc2impala.runtime.checkpoint_parts import Part
from sc2impala.runtime.kept_checkpoints import KeptCheckpoints
from sc2impala.runtime.plain_paths import plain_path

BASENAME = units.BASENAME
INDEX = checkpoint_choice.INDEX
read = checkpoint_variables.read

_NUM_WITH_PARTS = 2
_RETRY_SECS = 10.0
_SPARE_BYTES = 2**20
"""For the growth of the replay buffer, and for the other files of a run."""
_ATTEMPTS = 20
_Result = TypeVar('_Result')


class CheckpointWriter:
    """Saves variables and all other parts of the state every N seconds.

    saver: of the variables.
    """

    def __init__(
        self,
        logdir: str,
        save_secs: float,
        keep: int,
        parts: Sequence[Part] = (),
        max_unsaved_secs: float = 0.0,
        keep_every_frames: int = 0,
    ):
        """Args:
        logdir: where to.
        save_secs: time between two checkpoints.
        keep: how many of the latest to keep; 0 keeps all.
        parts: what belongs to a checkpoint beside the variables.
        max_unsaved_secs: how long `save_if_due` goes on trying while the folder is gone or cannot
          be written to. A full disk is waited for in any case.
        keep_every_frames: frames between two milestones; 0 for none, see `KeptCheckpoints`.
        """
        self.saver = tf.train.Saver(max_to_keep=0)
        self._logdir = logdir
        self._folder = disk.Folder(logdir)
        self._save_secs = save_secs
        self._max_unsaved_secs = max_unsaved_secs
        self._parts = list(parts)
        self._trouble = disk.Trouble()
        self._next_time = time.monotonic() + save_secs
        self._retry_time = -float('inf')
        self._kept = KeptCheckpoints(logdir, keep, keep_every_frames)
        self._with_parts: List[int] = []

    def start_from(self, frames: int) -> None:
        """Continues after the checkpoint of `frames`; the ones before are rotated as well."""
        self._kept.start_from(frames)
        self._with_parts = [n for n in self._kept.frames if units.has_parts(self._logdir, n)]

    def load_parts(self, checkpoint: str, session: Any, without: Collection[str] = ()) -> None:
        """Restores all parts of a checkpoint whose variables have been restored.

        Args:
          checkpoint: its path.
          session: with the variables.
          without: names of parts that do not go on.

        Raises:
          UserError: if a file is damaged or of another training.
        """
        for part in self._parts:
            if part.name in without:
                console.say(f'{part.name} of {checkpoint} does not go on: {part.otherwise}')
                continue
            path = units.part_path(os.path.dirname(checkpoint), part.name, number(checkpoint))
            if not os.path.exists(path):
                console.say(f'no {part.name} was saved with {checkpoint}: {part.otherwise}')
                continue
            try:
                part.load(path, session)
            except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
                raise UserError(
                    f'{path} cannot be restored ({error}); move it away to go on without it.'
                ) from error

    def save_variables(self, session: Any, path: str) -> None:
        """Saves the variables alone, anywhere.

        Raises:
          OSError, ValueError, tf.errors.OpError: if that does not work.
        """
        self.saver.save(session, plain_path(path), write_meta_graph=False, write_state=False)

    def is_due(self, frames: int) -> bool:
        """Whether N seconds have passed since the last checkpoint, or a milestone is reached."""
        now = time.monotonic()
        return now >= self._next_time or (
            now >= self._retry_time and self._kept.is_milestone(frames)
        )

    def save_if_due(self, session: Any, frames: int) -> None:
        """Saves if N seconds have passed; says so once a minute while that does not work.

        Args:
          session: a session.
          frames: those of all phases together; they never decrease and name the checkpoint.

        Raises:
          UserError: if the folder cannot be written to any more, and that for too long.
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
                f'a checkpoint in {self._logdir}', error.cause, f'training goes on {waits}'
            )
            self._next_time = time.monotonic() + min(self._save_secs, _RETRY_SECS)
            self._retry_time = self._next_time

    def has_saved(self, frames: int) -> bool:
        """Whether the last checkpoint is that of `frames`."""
        return frames == self._kept.newest

    def newest(self) -> Optional[int]:
        """The frames of the last checkpoint, None if there is none."""
        return self._kept.newest

    def save(self, session: Any, frames: int) -> None:
        """Saves now, unless nothing was trained since the last time.

        Raises:
          UserError: if the folder cannot be written to any more.
        """
        if self.has_saved(frames):
            return
        try:
            self._write_or_make_room(session, frames)
        except (OSError, ValueError, tf.errors.OpError) as error:
            raise _NotSavedError(self._logdir, error) from error
        self._next_time = time.monotonic() + self._save_secs
        self._trouble.over(f'checkpoints are saved again in {self._logdir}')

    def _write_or_make_room(self, session: Any, frames: int) -> None:
        """Writes a checkpoint; where the disk is full, all others but the last are given up."""
        while True:
            try:
                self._write(session, frames)
                return
            except (OSError, ValueError, tf.errors.OpError) as error:
                self._remove_unfinished(frames)
                if disk.number(error) not in disk.FULL:
                    raise
                least = self._kept.give_up_one()
                if least is None:
                    raise
                units.remove(self._logdir, least)
                console.say(f'{BASENAME}-{least} is removed since the disk is full')

    def _write(self, session: Any, frames: int) -> None:
        """Writes a checkpoint and removes what is not kept any more.

        Raises:
          OSError, ValueError, tf.errors.OpError: if the checkpoint cannot be written.
        """
        newest = self._kept.newest
        last_bytes = 0 if newest is None else units.num_bytes(self._logdir, newest)
        # Also because TensorFlow would make the folder again.
        self._folder.check(last_bytes + _SPARE_BYTES)
        for part in self._parts:
            part.save(units.part_path(self._logdir, part.name, frames), session)
        self.save_variables(session, units.model_path(self._logdir, frames))
        is_milestone = self._kept.is_milestone(frames)
        units.write(self._logdir, frames, [part.name for part in self._parts], is_milestone)
        self._kept.add(frames)
        if self._parts:
            self._with_parts.append(frames)
        # From here on the checkpoint counts, whatever happens to the others.
        with contextlib.suppress(OSError):
            self._rotate()

    def _rotate(self) -> None:
        excess = self._kept.rotate()
        # Before they are removed: the list never names what is not there.
        _write_list(self._logdir, self._kept.frames)
        for frames in excess:
            units.remove(self._logdir, frames)
        while len(self._with_parts) > _NUM_WITH_PARTS:
            units.drop_parts(self._logdir, self._with_parts.pop(0))

    def _remove_unfinished(self, frames: int) -> None:
        if os.path.isdir(self._logdir):
            units.remove(self._logdir, frames)
            units.remove_unfinished(self._logdir, self._kept.frames)


class _NotSavedError(UserError):
    """A checkpoint cannot be saved.

    cause: why not.
    """

    def __init__(self, logdir: str, cause: BaseException):
        super().__init__(
            f'cannot save a checkpoint in --logdir={logdir} ({disk.reason(cause)}); what was saved '
            'before is still there.'
        )
        self.cause = cause


def _write_list(logdir: str, saved: Sequence[int]) -> None:
    """Writes TensorFlow's list of checkpoints, for its tools: only names, as the folder may move.

    Raises:
      OSError: if that does not work.
    """
    names = [f'{BASENAME}-{frames}' for frames in saved]
    lines = [f'model_checkpoint_path: "{names[-1]}"\n']
    lines += [f'all_model_checkpoint_paths: "{name}"\n' for name in names]
    logdir_lib.replace_text(os.path.join(logdir, INDEX), ''.join(lines))


def restore(saver: tf.train.Saver, session: tf.Session, checkpoint: str) -> None:
    """Restores variables from a checkpoint that was checked before."""
    saver.restore(session, plain_path(checkpoint))


def latest(logdir: str) -> Optional[str]:
    """The newest whole checkpoint of a run; None if there is none at all, or no folder.

    What was skipped for it is said in one sentence.

    Raises:
      UserError: if no checkpoint is whole, or there is only a list of them.
    """
    choice = checkpoint_choice.choose(logdir)
    if choice is None:
        return None
    if choice.skipped:
        console.say(f'in {logdir}, {choice.describe()}')
    return units.model_path(logdir, choice.frames)


def found(logdir: str) -> List[str]:
    """All checkpoints whose index file is in the folder, by frames."""
    return [units.model_path(logdir, frames) for frames in units.with_variables(logdir)]


def number(checkpoint: str) -> int:
    """The frames in the name of a checkpoint."""
    return int(checkpoint.rpartition('-')[2])


def global_step(checkpoint: str) -> int:
    """Environment frames of the training in a checkpoint, without those of pre-training.

    Raises:
      UserError: if it cannot be read, or was removed.
    """
    name = tf.GraphKeys.GLOBAL_STEP
    return int(checkpoint_variables.read_some(checkpoint, [name])[name])


def find_initial(folder_or_checkpoint: str) -> str:
    """The checkpoint that `--init_checkpoint` means: the latest in a folder, or the one named.

    Raises:
      UserError: if there is none.
    """
    path: Optional[str] = re.sub(r'\.index$', '', folder_or_checkpoint)
    if os.path.isdir(folder_or_checkpoint):
        path = latest(folder_or_checkpoint)
    if path is None or not os.path.exists(path + '.index'):
        raise UserError(
            f'--init_checkpoint={folder_or_checkpoint} holds no checkpoint, expected the folder of '
            'a run or the name of a checkpoint.'
        )
    return path


def while_it_lasts(choose: Callable[[], str], use: Callable[[str], _Result]) -> _Result:
    """Chooses a checkpoint and uses it; chooses again where a training has removed it meanwhile.

    Args:
      choose: returns a checkpoint; raises UserError if there is none.
      use: reads a checkpoint.

    Returns:
      What `use` returned.

    Raises:
      UserError: that of `choose` or `use`.
    """
    for _ in range(_ATTEMPTS):
        checkpoint = choose()
        try:
            return use(checkpoint)
        except (UserError, ValueError, tf.errors.OpError) as error:
            if os.path.exists(checkpoint + '.index'):
                raise
            last = error
    raise UserError(f'{checkpoint} was removed while it was read.') from last


def check_complete(checkpoint: str, variables: Sequence[tf.Variable]) -> None:
    """Checks that a checkpoint can be restored to these variables, before anything is started.

    Raises:
      UserError: if it is damaged or of another run.
    """
    found = checkpoint_variables.describe(checkpoint)
    for variable in variables:
        name = variable.op.name
        if name not in found:
            raise UserError(f'{checkpoint} is not of this run: it has no variable {name}.')
        _check_variable(checkpoint, variable, found[name])
    for variable in variables:
        checkpoint_variables.read_some(checkpoint, [variable.op.name])


def frames_of(checkpoint: str, counters: Sequence[tf.Variable]) -> List[int]:
    """The values of counters of frames in a checkpoint that was checked before."""
    reader = tf.train.load_checkpoint(plain_path(checkpoint))
    return [int(reader.get_tensor(counter.op.name)) for counter in counters]


def assignments_from(folder_or_checkpoint: str, variables: Sequence[tf.Variable]) -> Dict[str, Any]:
    """What to load from another run: {name: array} for those variables that it has.

    Args:
      folder_or_checkpoint: `--init_checkpoint`.
      variables: of the agent.

    Raises:
      UserError: if there is no checkpoint, or it has none of them, or one of another shape.
    """

    def assignments(checkpoint: str) -> Dict[str, Any]:
        found = checkpoint_variables.describe(checkpoint)
        common = [v for v in variables if v.op.name in found]
        if not common:
            raise UserError(
                f'--init_checkpoint={checkpoint} has none of the variables of this agent.'
            )
        for variable in common:
            _check_variable(checkpoint, variable, found[variable.op.name])
        return checkpoint_variables.read_some(checkpoint, [v.op.name for v in common])

    return while_it_lasts(functools.partial(find_initial, folder_or_checkpoint), assignments)


def weights_loader(
    folder_or_checkpoint: str, variables: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Builds the operations that load weights of another run; says which ones it does not have.

    Returns:
      Function of a session that loads them.

    Raises:
      UserError: as `assignments_from`.
    """
    values = assignments_from(folder_or_checkpoint, variables)
    missing = sorted(v.op.name for v in variables if v.op.name not in values)
    if missing:
        console.say(f'{folder_or_checkpoint} has no {", ".join(missing)}: they start fresh')
    return assigner(values, [v for v in variables if v.op.name in values])


def assigner(
    values: Mapping[str, Any], variables: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Builds the operations that give variables their values.

    Args:
      values: {name: array}, possibly of more variables.
      variables: of those shapes and types.

    Returns:
      Function of a session that does it.
    """
    placeholders = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in variables]
    assign = [v.assign(value).op for v, value in zip(variables, placeholders)]
    feed = {p: values[v.op.name] for p, v in zip(placeholders, variables)}
    return lambda session: session.run(assign, feed)


def _check_variable(checkpoint: str, variable: tf.Variable, found: Tuple[Any, Any]) -> None:
    """Raises: UserError: if a variable has another shape or type in a checkpoint."""
    shape, dtype = found
    if shape != variable.shape.as_list():
        raise UserError(
            f'{checkpoint} is of another agent: its {variable.op.name} has shape {shape}, expected '
            f'{variable.shape.as_list()}.'
        )
    expected = variable.dtype.base_dtype
    if dtype != expected:
        raise UserError(
            f'{checkpoint} is of another agent: its {variable.op.name} is {dtype.name}, expected '
            f'{expected.name}.'
        )

"""Checkpoints: saved as a whole, checked before they are restored, and never half written.

A checkpoint is TensorFlow's (all variables: weights, optimizer slots, the frames of all phases),
and beside it `replay-<frames>.npz` with the replay buffer and its random state. The replay buffer
is written first, so that a checkpoint that can be found always has its replay buffer; the last two
replay buffers are kept.
"""

import contextlib
import os
import re
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

import tensorflow.compat.v1 as tf

from sc2impala import replay as replay_lib
from sc2impala.errors import UserError
from sc2impala.runtime import console
from sc2impala.runtime.plain_paths import plain_path

BASENAME = 'model.ckpt'
_INDEX = 'checkpoint'
"""TensorFlow's list of the checkpoints in a folder."""


class CheckpointWriter:
    """Saves variables and replay buffer every N seconds."""

    def __init__(
        self,
        logdir: str,
        save_secs: float,
        keep: int,
        replay: Optional[Any] = None,
    ):
        """Args:
        logdir: where to.
        save_secs: time between two checkpoints.
        keep: how many of the latest to keep; 0 keeps all.
        replay: `replay.ReplayTable` or None.
        """
        # Relative paths: the folder may be moved or copied, and never means the old place again.
        self.saver = tf.train.Saver(max_to_keep=keep, save_relative_paths=True)
        self._logdir = logdir
        self._keep = keep
        self._excess: List[str] = []
        self._save_secs = save_secs
        self._replay = replay
        self._last_time = time.monotonic()
        self._last_frames: Optional[int] = None

    def start_from(self, frames: int) -> None:
        """Continues after the checkpoint of `frames`; the ones before are rotated as well."""
        self._last_frames = frames
        paths = [plain_path(path) for path in _listed(self._logdir)]
        # TensorFlow removes one checkpoint for each that it saves, however many there are.
        num_excess = max(0, len(paths) - self._keep) if self._keep else 0
        self._excess = paths[:num_excess]
        self.saver.recover_last_checkpoints(paths[num_excess:])

    def save_if_due(self, session: Any, frames: int) -> None:
        """Saves if N seconds have passed.

        Args:
          session: a session.
          frames: those of all phases together; they never decrease and name the checkpoint.
        """
        if time.monotonic() - self._last_time >= self._save_secs:
            self.save(session, frames)

    def save(self, session: Any, frames: int) -> None:
        """Saves now, unless nothing was trained since the last time.

        Raises:
          UserError: if the folder cannot be written to any more.
        """
        if frames == self._last_frames:
            return
        try:
            if self._replay is not None:
                with self._replay.lock:
                    replay_lib.save(replay_path(self._logdir, frames), self._replay.get_state())
            path = plain_path(os.path.join(self._logdir, BASENAME))
            self.saver.save(session, path, frames, write_meta_graph=False)
        except (OSError, tf.errors.OpError) as error:
            raise UserError(
                f'cannot save a checkpoint in --logdir={self._logdir} '
                f'({str(error).splitlines()[0]}); what was saved before is still there.'
            ) from error
        self._remove_replays_but({self._last_frames, frames})
        for path in self._excess:
            with contextlib.suppress(OSError, tf.errors.OpError):
                tf.train.remove_checkpoint(path)
        self._excess = []
        self._last_time = time.monotonic()
        self._last_frames = frames

    def _remove_replays_but(self, kept: Set[Optional[int]]) -> None:
        """Removes replay buffers of other frames, and unfinished files that a kill has left.

        Frames may be larger than the present ones: of a replay buffer whose checkpoint was not
        written any more, or when the run was taken back to an earlier checkpoint.
        """
        for name in os.listdir(self._logdir):
            match = re.match(r'replay-(\d+)\.npz(\.tmp)?$', name)
            if match and (match.group(2) or int(match.group(1)) not in kept):
                os.remove(os.path.join(self._logdir, name))


def restore(saver: tf.train.Saver, session: tf.Session, checkpoint: str) -> None:
    """Restores variables from a checkpoint that was checked before."""
    saver.restore(session, plain_path(checkpoint))


def replay_path(logdir: str, frames: int) -> str:
    """The file of the replay buffer that belongs to the checkpoint of `frames`."""
    return os.path.join(logdir, f'replay-{frames:d}.npz')


def restore_replay(replay: Any, checkpoint: str) -> bool:
    """Loads the replay buffer saved with a checkpoint; False if there is none.

    Raises:
      UserError: if the file is damaged or holds sequences of another structure.
    """
    frames = re.search(r'-(\d+)$', checkpoint)
    path = replay_path(os.path.dirname(checkpoint), int(frames.group(1))) if frames else ''
    if not os.path.exists(path):
        return False
    try:
        replay.set_state(replay_lib.load(path))
    except (ValueError, OSError) as error:
        raise UserError(
            f'{path} cannot be restored ({error}); move it away to go on with an empty replay '
            'buffer.'
        ) from error
    return True


def latest(logdir: str) -> Optional[str]:
    """The latest checkpoint in the folder of a run; None if there is none, or no folder.

    Where TensorFlow's list of checkpoints is missing, it is the one with the most frames.

    Raises:
      UserError: if the list cannot be read, or names a checkpoint whose files are missing.
    """
    index = os.path.join(logdir, _INDEX)
    if not os.path.exists(index):
        found = _found(logdir)
        if not found:
            return None
        console.say(
            f'{index} is missing: the latest checkpoint in the folder is used, '
            f'{os.path.basename(found[-1])}'
        )
        return found[-1]
    listed = _listed(logdir)
    if not listed:
        raise UserError(
            f'{index} cannot be read, expected the list of checkpoints that TensorFlow writes.'
        )
    path = listed[-1]
    if not os.path.exists(path + '.index'):
        raise UserError(
            f'{index} names the checkpoint {os.path.basename(path)}, but there is no such file: '
            f'{path}.index.'
        )
    return path


def _listed(logdir: str) -> List[str]:
    """The checkpoints in TensorFlow's list, the latest last; those found where it is missing."""
    if not os.path.exists(os.path.join(logdir, _INDEX)):
        return _found(logdir)
    try:
        state = tf.train.get_checkpoint_state(logdir)
    except ValueError:  # The file is not text, or lists no checkpoint.
        state = None
    if state is None or not state.model_checkpoint_path:
        return []
    newest = state.model_checkpoint_path
    paths = [path for path in state.all_model_checkpoint_paths if path != newest]
    return paths + [newest]


def _found(logdir: str) -> List[str]:
    """All checkpoints whose index file is in the folder, by frames."""
    if not os.path.isdir(logdir):
        return []
    pattern = re.compile(re.escape(BASENAME) + r'-(\d+)\.index$')
    matches = filter(None, map(pattern.match, os.listdir(logdir)))
    frames = sorted(int(match.group(1)) for match in matches)
    return [os.path.join(logdir, f'{BASENAME}-{number}') for number in frames]


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


def read(checkpoint: str) -> Dict[str, Any]:
    """All variables of a checkpoint, {name: array}; reading each one checks its checksum.

    Raises:
      UserError: if a file is truncated or not a checkpoint.
    """
    try:
        reader = tf.train.load_checkpoint(plain_path(checkpoint))
        return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    except (tf.errors.OpError, ValueError, RuntimeError, OSError, IndexError) as error:
        raise UserError(
            f'{checkpoint} is damaged or not a checkpoint ({str(error).splitlines()[0]}); an '
            'earlier one in the same folder can be chosen by editing its file named checkpoint, or '
            'by --init_checkpoint in a new --logdir.'
        ) from error


def check_complete(checkpoint: str, variables: Sequence[tf.Variable]) -> None:
    """Checks that a checkpoint can be restored to these variables, before anything is started.

    Raises:
      UserError: if it is damaged or of another run.
    """
    values = read(checkpoint)
    for variable in variables:
        name = variable.op.name
        if name not in values:
            raise UserError(f'{checkpoint} is not of this run: it has no variable {name}.')
        _check_shape(checkpoint, variable, values[name])


def frames_of(checkpoint: str, counters: Sequence[tf.Variable]) -> List[int]:
    """The values of counters of frames in a checkpoint that was checked before."""
    reader = tf.train.load_checkpoint(plain_path(checkpoint))
    return [int(reader.get_tensor(counter.op.name)) for counter in counters]


def assignments_from(checkpoint: str, variables: Sequence[tf.Variable]) -> Dict[str, Any]:
    """What to load from another run: {name: array} for those variables that it has.

    Raises:
      UserError: if it has none of them, or one of another shape.
    """
    values = read(checkpoint)
    found = [v for v in variables if v.op.name in values]
    if not found:
        raise UserError(f'--init_checkpoint={checkpoint} has none of the variables of this agent.')
    for variable in found:
        _check_shape(checkpoint, variable, values[variable.op.name])
    return {v.op.name: values[v.op.name] for v in found}


def weights_loader(
    checkpoint: str, variables: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Builds the operations that load weights of another run; says which ones it does not have.

    Returns:
      Function of a session that loads them.

    Raises:
      UserError: as `assignments_from`.
    """
    values = assignments_from(checkpoint, variables)
    missing = sorted(v.op.name for v in variables if v.op.name not in values)
    if missing:
        console.say('{} has no {}: they start fresh'.format(checkpoint, ', '.join(missing)))
    placeholders = {
        name: tf.placeholder(value.dtype, value.shape) for name, value in values.items()
    }
    assign = [v.assign(placeholders[v.op.name]).op for v in variables if v.op.name in values]
    feed = {placeholders[name]: value for name, value in values.items()}
    return lambda session: session.run(assign, feed)


def _check_shape(checkpoint: str, variable: tf.Variable, value: Any) -> None:
    if list(value.shape) != variable.shape.as_list():
        raise UserError(
            f'{checkpoint} is of another agent: its {variable.op.name} has shape '
            f'{list(value.shape)}, expected {variable.shape.as_list()}.'
        )

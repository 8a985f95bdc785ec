"""Checkpoints: what is saved together, checked before it is restored, and never half written.

A checkpoint is TensorFlow's (all variables: weights, optimizer slots, the frames of both phases),
and beside it `replay-<frames>.npz` with the replay memory and its random state. The memory is
written first, so that a checkpoint that can be found always has its memory; the last two memories
are kept.
"""

import os
import re
import time
from typing import Any, Dict, List, Optional

import tensorflow.compat.v1 as tf

from sc2impala import replay as replay_lib
from sc2impala.runtime.errors import UserError

BASENAME = 'model.ckpt'


class CheckpointWriter:
    """Saves variables and replay memory every so many seconds."""

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
        replay: `replay.Replay` or None.
        """
        # Relative paths: the folder may be moved or copied, and never means the old place again.
        self.saver = tf.train.Saver(max_to_keep=keep, save_relative_paths=True)
        self._logdir = logdir
        self._save_secs = save_secs
        self._replay = replay
        self._last_time = time.monotonic()
        self._last_frames = None

    def start_from(self, frames: Optional[int]) -> None:
        """Tells what is saved already: the frames of the checkpoint that was restored, or None."""
        self._last_frames = frames

    def save_if_due(self, session: Any, frames: int) -> None:
        """Saves if the time has come.

        Args:
          session: a monitored session.
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
                    replay_lib.save(memory_path(self._logdir, frames), self._replay.get_state())
            path = os.path.join(self._logdir, BASENAME)
            # A saver takes plain sessions only. The name of the argument is prescribed.
            session.run_step_fn(
                lambda step_context: self.saver.save(
                    step_context.session, path, frames, write_meta_graph=False
                )
            )
        except (OSError, tf.errors.OpError) as error:
            raise UserError(
                f'cannot save a checkpoint in --logdir={self._logdir} '
                f'({str(error).splitlines()[0]}); what was saved before is still there.'
            ) from error
        self._remove_memories_but({self._last_frames, frames})
        self._last_time = time.monotonic()
        self._last_frames = frames

    def _remove_memories_but(self, kept):
        """Removes replay memories of other frames, and what kills in the middle of saving left.

        Frames may be ahead of the present: of a memory whose checkpoint was not written any more,
        or when the run was taken back to an earlier checkpoint.
        """
        for name in os.listdir(self._logdir):
            match = re.match(r'replay-(\d+)\.npz(\.tmp)?$', name)
            if match and (match.group(2) or int(match.group(1)) not in kept):
                os.remove(os.path.join(self._logdir, name))


def memory_path(logdir: str, frames: int) -> str:
    """The file of the replay memory that belongs to the checkpoint of `frames`."""
    return os.path.join(logdir, f'replay-{frames:d}.npz')


def restore_memory(replay: Any, checkpoint: str) -> bool:
    """Loads the replay memory saved with a checkpoint; False if there is none.

    Raises:
      UserError: if the file is damaged or of another kind of sequence.
    """
    frames = re.search(r'-(\d+)$', checkpoint)
    path = memory_path(os.path.dirname(checkpoint), int(frames.group(1))) if frames else ''
    if not os.path.exists(path):
        return False
    try:
        replay.set_state(replay_lib.load(path))
    except (ValueError, OSError) as error:
        raise UserError(
            f'{path} cannot be restored ({error}); move it away to go on with an empty replay '
            'memory.'
        ) from error
    return True


def latest(logdir: str) -> Optional[str]:
    """The latest checkpoint in the folder of a run; None if there is none, or no folder.

    Raises:
      UserError: if the folder says that there is one but its files are missing.
    """
    index = os.path.join(logdir, 'checkpoint')
    if not os.path.exists(index):
        return None
    try:
        state = tf.train.get_checkpoint_state(logdir)
    except ValueError:  # No text, or no checkpoint in it.
        state = None
    if state is None or not state.model_checkpoint_path:
        raise UserError(
            f'{index} cannot be read, expected the list of checkpoints that TensorFlow writes.'
        )
    path = state.model_checkpoint_path
    if not os.path.exists(path + '.index'):
        raise UserError(
            f'{index} names the checkpoint {os.path.basename(path)}, but there is no such file: '
            f'{path}.index.'
        )
    return path


def find_initial(folder_or_checkpoint: str) -> str:
    """The checkpoint that `--init_checkpoint` means: the latest in a folder, or the one named.

    Raises:
      UserError: if there is none.
    """
    path = re.sub(r'\.index$', '', folder_or_checkpoint)
    if os.path.isdir(folder_or_checkpoint):
        path = latest(folder_or_checkpoint)
    if path is None or not os.path.exists(path + '.index'):
        raise UserError(
            f'--init_checkpoint={folder_or_checkpoint} holds no checkpoint, expected the folder of '
            'a run or the name of a checkpoint.'
        )
    return path


def read(checkpoint: str) -> Dict[str, Any]:
    """All variables of a checkpoint, {name: array}: reading each of them proves it whole.

    Raises:
      UserError: if a file is truncated or not a checkpoint.
    """
    try:
        reader = tf.train.load_checkpoint(checkpoint)
        return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    except (tf.errors.OpError, ValueError, RuntimeError, OSError, IndexError) as error:
        raise UserError(
            f'{checkpoint} is damaged or no checkpoint ({str(error).splitlines()[0]}); an earlier '
            'one in the same folder can be chosen by editing its file named checkpoint, or by '
            '--init_checkpoint in a new --logdir.'
        ) from error


def check_complete(checkpoint: str, variables: List[Any]) -> None:
    """Makes sure that a checkpoint can be restored to these variables, before anything is started.

    Raises:
      UserError: if it is damaged or of another run.
    """
    values = read(checkpoint)
    for variable in variables:
        name = variable.op.name
        if name not in values:
            raise UserError(f'{checkpoint} is not of this run: it has no variable {name}.')
        _check_shape(checkpoint, variable, values[name])


def assignments_from(checkpoint: str, variables: List[Any]) -> Dict[str, Any]:
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


def _check_shape(checkpoint, variable, value):
    if list(value.shape) != variable.shape.as_list():
        raise UserError(
            f'{checkpoint} is of another agent: its {variable.op.name} has shape '
            f'{list(value.shape)}, expected {variable.shape.as_list()}.'
        )

"""Checkpoints: what is saved together, checked before it is restored, and never half written.

A checkpoint is TensorFlow's (all variables: weights, optimizer slots, the frames of both phases),
and beside it `replay-<frames>.npz` with the replay memory and its random state. The memory is
written first, so that a checkpoint that can be found always has its memory.
"""

import os
import re
import time
from typing import Any, Dict, List, Optional

import tensorflow.compat.v1 as tf

from sc2impala import replay as replay_lib
from sc2impala.runtime.errors import UserError

BASENAME = 'model.ckpt'
_KEPT_MEMORIES = 2


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
        self.saver = tf.train.Saver(max_to_keep=keep)
        self._logdir = logdir
        self._save_secs = save_secs
        self._replay = replay
        self._last_time = time.time()
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
        if time.time() - self._last_time >= self._save_secs:
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
        for path in _memories(self._logdir)[:-_KEPT_MEMORIES]:
            os.remove(path)
        self._last_time = time.time()
        self._last_frames = frames


def memory_path(logdir: str, frames: int) -> str:
    """The file of the replay memory that belongs to the checkpoint of `frames`."""
    return os.path.join(logdir, f'replay-{frames:d}.npz')


def restore_memory(replay: Any, checkpoint: str) -> bool:
    """Loads the replay memory saved with a checkpoint; False if there is none.

    Raises:
      UserError: if the file is damaged or of another kind of sequence.
    """
    path = memory_path(os.path.dirname(checkpoint), _frames_of(checkpoint))
    if not os.path.exists(path):
        return False
    try:
        replay.set_state(replay_lib.load(path))
    except ValueError as error:
        raise UserError(
            f'{path} cannot be restored ({error}); move it away to go on with an empty replay '
            'memory.'
        ) from error
    return True


def latest(folder_or_checkpoint: str, flag: str) -> Optional[str]:
    """The checkpoint meant by a folder, or by the name of one checkpoint; None if there is none.

    Raises:
      UserError: if the folder says that there is one but its files are missing.
    """
    if os.path.isdir(folder_or_checkpoint):
        state = tf.train.get_checkpoint_state(folder_or_checkpoint)
        if state is None or not state.model_checkpoint_path:
            if os.path.exists(os.path.join(folder_or_checkpoint, 'checkpoint')):
                raise UserError(
                    '{} cannot be read, expected the list of checkpoints that TensorFlow '
                    'writes.'.format(os.path.join(folder_or_checkpoint, 'checkpoint'))
                )
            return None
        # The folder may have been moved since.
        path = os.path.join(folder_or_checkpoint, os.path.basename(state.model_checkpoint_path))
    else:
        path = re.sub(r'\.index$', '', folder_or_checkpoint)
    if not os.path.exists(path + '.index'):
        raise UserError(
            f'--{flag}={folder_or_checkpoint} names the checkpoint {os.path.basename(path)}, but '
            f'there is no such file: {path}.index.'
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
    except (tf.errors.OpError, ValueError, RuntimeError, OSError) as error:
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


def _memories(logdir):
    """Files of replay memories, oldest first."""
    paths = [os.path.join(logdir, name) for name in os.listdir(logdir)]
    paths = [p for p in paths if re.search(r'replay-\d+\.npz$', p)]
    return sorted(paths, key=_frames_of)


def _frames_of(path):
    return int(re.search(r'-(\d+)(\.npz)?$', path).group(1))

"""Which checkpoint of a folder is used: the newest one that is whole."""

import contextlib
import os
from typing import List, NamedTuple, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import replay as replay_lib
from sc2impala.errors import UserError
from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime import checkpoint_variables
from sc2impala.runtime.checkpoint_units import Skipped
from sc2impala.runtime.checkpoint_variables import DamagedError

INDEX = 'checkpoint'
"""TensorFlow's list of the checkpoints in a folder."""

_ATTEMPTS = 20
"""While a training saves and removes checkpoints."""


class Choice(NamedTuple):
    """The frames of the checkpoint that is used, and what was skipped for it, newest first."""

    frames: int
    skipped: List[Skipped]

    def describe(self) -> str:
        """What was skipped, as the beginning of a sentence."""
        names = [
            f'{units.BASENAME}-{skipped.frames} ({skipped.reason})' for skipped in self.skipped
        ]
        return f'{", ".join(names)} cannot be used: {units.BASENAME}-{self.frames} is used instead'


def choose(logdir: str) -> Optional[Choice]:
    """Chooses the newest checkpoint that is whole; None if there is none at all, or no folder.

    A user may take a run back with an older one in TensorFlow's list: that is respected.

    Raises:
      DamagedError: if there are some, but none is whole.
      UserError: if there is none, but a list of them.
    """
    skipped: Optional[List[Skipped]] = None
    for _ in range(_ATTEMPTS):
        candidates = _candidates(logdir)
        choice, skipped = _choose_among(logdir, candidates)
        if choice is not None:
            return choice
        if skipped is not None:
            break
    if skipped:
        frames, reason = skipped[0]
        raise DamagedError(
            f'{units.model_path(logdir, frames)} is damaged or not a checkpoint ({reason}), and no '
            'other one in this folder is whole: --init_checkpoint can begin a new --logdir with '
            'that of another run.'
        )
    named(logdir)
    return None


def named(logdir: str) -> Optional[int]:
    """Frames of the checkpoint that TensorFlow's list names as the latest; None without a list.

    Raises:
      UserError: if the list cannot be read, or the checkpoint is not there.
    """
    path = os.path.join(logdir, INDEX)
    if not os.path.exists(path):
        return None
    listed = listed_frames(logdir)
    if not listed:
        raise UserError(
            f'{path} cannot be read, expected the list of checkpoints that TensorFlow writes.'
        )
    model = units.model_path(logdir, listed[-1])
    if not os.path.exists(model + '.index'):
        raise UserError(
            f'{path} names the checkpoint {os.path.basename(model)}, but there is no such file: '
            f'{model}.index.'
        )
    return listed[-1]


def _choose_among(
    logdir: str, candidates: List[int]
) -> Tuple[Optional[Choice], Optional[List[Skipped]]]:
    """The first candidate that is whole, or None.

    Also returns the others, or None if a training has changed the folder meanwhile.
    """
    skipped: List[Skipped] = []
    for frames in candidates:
        # Asked twice: a training may have taken its parts away in between.
        fault = _fault(logdir, frames) and _fault(logdir, frames)
        if fault is None:
            known = {frames, *(n for n, _ in skipped)}
            skipped += [
                Skipped(n, f'the file {INDEX} names an older one')
                for n in candidates
                if n > frames and n not in known
            ]
            return Choice(frames, sorted(skipped, reverse=True)), skipped
        if candidates != _candidates(logdir):
            return None, None
        skipped.append(Skipped(frames, fault))
    return None, skipped


def _candidates(logdir: str) -> List[int]:
    """Frames of all checkpoints that were finished, in the order of preference."""
    indexed = set(units.indexed(logdir))
    all_frames = sorted(indexed.union(units.with_variables(logdir)), reverse=True)
    listed = listed_frames(logdir)
    chosen = listed[-1] if listed else None
    # Our own list names all of them, and the newest as the latest.
    is_edited = len(listed) == 1 or chosen != max(listed, default=None)
    if chosen in all_frames and (is_edited or not indexed):
        return sorted(all_frames, key=lambda frames: (frames > chosen, -frames))
    return all_frames


def _fault(logdir: str, frames: int) -> Optional[str]:
    """What is wrong with a checkpoint; None if it is whole."""
    with contextlib.suppress(ValueError):
        return units.fault(logdir, frames)
    # It has no index, as those of earlier versions; or a kill came between the last file and the
    # index; or the index is damaged. The files have checksums of their own.
    try:
        missing = _missing_parts(logdir, frames)
        if missing:
            return f'{missing[0]} is missing'
        checkpoint_variables.check(units.model_path(logdir, frames))
        for name in units.files(logdir, frames):
            if units.part_of(name):
                replay_lib.load(os.path.join(logdir, name))
    except (ValueError, OSError, UserError) as error:
        return checkpoint_variables.reason(error)
    return None


def _missing_parts(logdir: str, frames: int) -> List[str]:
    """Parts that the unit before has according to its index, and this one has not."""
    for before in reversed(units.indexed(logdir)):
        if before < frames:
            with contextlib.suppress(ValueError):
                parts = map(units.part_of, units.read(logdir, before) or ())
                paths = [units.part_path(logdir, part, frames) for part in parts if part]
                return [os.path.basename(path) for path in paths if not os.path.exists(path)]
    return []


def listed_frames(logdir: str) -> List[int]:
    """Frames of the checkpoints in TensorFlow's list, its choice last; none if it is no list."""
    if not os.path.isfile(os.path.join(logdir, INDEX)):
        return []
    try:
        state = tf.train.get_checkpoint_state(logdir)
    except ValueError:  # The file is not text, or lists no checkpoint.
        state = None
    if state is None or not state.model_checkpoint_path:
        return []
    paths = [*state.all_model_checkpoint_paths, state.model_checkpoint_path]
    numbers = [os.path.basename(path).rpartition('-')[2] for path in paths]
    return [int(number) for number in numbers if number.isdecimal() and number.isascii()]

"""Trained agents that come with the package, as checkpoints.

A name such as `zoo:DefeatRoaches` may be given for a run or a checkpoint. An agent is a folder:

* `manifest.json`: the settings of its run, in the format of a run's manifest;
* `weights.npz`: its weights in float16, by name, and `frames`, those of its checkpoint. A weight of
  shape S is uint8 [2, S], all low bytes before all high bytes, which compresses better;
* `card.json`: its origin and scores, see `zoo.cards`.

The weights are converted to a checkpoint in the user's cache when they are first used.
"""

import os
import tempfile
import zipfile
import zlib
from typing import Any, Dict, List, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import directory, zoo_names
from sc2impala.errors import UserError

WEIGHTS = 'weights.npz'

_FRAMES = 'frames'


class Weights(NamedTuple):
    """Weights of an agent.

    frames: environment frames of its training.
    values: arrays by the names of the variables; float32 where the file has bytes of float16.
    """

    frames: int
    values: Dict[str, np.ndarray]


def write_weights(path: str, weights: Weights) -> None:
    """Writes weights to a new file; floating-point numbers become float16.

    Raises:
      ValueError: if a weight is too large for float16, or not finite.
    """
    arrays: Dict[str, Any] = {_FRAMES: np.int64(weights.frames)}
    for name, value in weights.values.items():
        if value.dtype == np.float32:
            with np.errstate(over='ignore'):
                value = value.astype(np.float16)
            if not np.isfinite(value).all():
                raise ValueError(f'{name} has values that float16 cannot hold')
            value = _bytes_apart(value)
        arrays[name] = value
    with open(path, 'xb') as file:
        np.savez_compressed(file, **arrays)


def read_weights(path: str) -> Weights:
    """Reads a file of `write_weights`.

    Raises:
      UserError: if it is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            values = {name: file[name] for name in file.files}
        frames = int(values.pop(_FRAMES))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(
            f'{path} cannot be read ({error}), expected the weights of an agent: install the '
            'package again.'
        ) from error
    for name, value in values.items():
        if value.dtype == np.uint8:
            values[name] = _bytes_joined(value).astype(np.float32)
    return Weights(frames, values)


def _bytes_apart(value: np.ndarray) -> np.ndarray:
    """Returns the bytes of numbers of float16 [...] as uint8 [2, ...], low bytes first."""
    pairs = np.asarray(value, '<f2')[..., np.newaxis].view(np.uint8)
    return np.moveaxis(pairs, -1, 0)


def _bytes_joined(value: np.ndarray) -> np.ndarray:
    """Returns the numbers of float16 [...] whose bytes are `value`, see `_bytes_apart`."""
    pairs = np.ascontiguousarray(np.moveaxis(value, 0, -1))
    return pairs.view('<f2')[..., 0]


def checkpoint(given: str) -> str:
    """Returns the checkpoint of an agent by its name with `zoo:`, converted if necessary.

    Raises:
      UserError: if there is no such agent, or its file is damaged.
    """
    path = os.path.join(zoo_names.folder(given), WEIGHTS)
    try:
        name = f'{os.path.basename(os.path.dirname(path))}-{directory.summarize(path).crc32:08x}'
    except OSError as error:
        raise UserError(f'{path} cannot be read ({error.strerror}).') from error
    for parent in _caches():
        run = os.path.join(parent, name)
        for frames in directory.saved(run):
            if directory.fault(directory.path(run, frames)) is None:
                return directory.path(run, frames)
    weights = read_weights(path)
    for parent in _caches():
        found = directory.path(os.path.join(parent, name), weights.frames)
        try:
            os.makedirs(os.path.dirname(found), exist_ok=True)
            directory.write(found, weights.frames, lambda folder: save(folder, weights.values))
        except (OSError, tf.errors.OpError):
            continue
        return found
    raise UserError(
        f'{given} cannot be converted to a checkpoint: none of {", ".join(_caches())} can be '
        'written, expected space in one of them.'
    )


def save(folder: str, values: Dict[str, np.ndarray]) -> None:
    """Writes variables in TensorFlow's format into a folder, see `directory.VARIABLES`."""
    names = sorted(values)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(values[name].dtype, values[name].shape) for name in names]
        save_all = tf.raw_ops.SaveV2(
            prefix=os.path.join(folder, directory.VARIABLES),
            tensor_names=names,
            shape_and_slices=[''] * len(names),
            tensors=inputs,
        )
        session.run(save_all, {i: values[name] for i, name in zip(inputs, names)})


def _caches() -> List[str]:
    """Folders for converted agents, the preferred one first."""
    users = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    # Windows has no numbers of users, but a temporary folder for each.
    owned = f'sc2impala-{getattr(os, "getuid", lambda: 0)()}'
    return [
        os.path.join(users, 'sc2impala', 'zoo'),
        os.path.join(tempfile.gettempdir(), owned, 'zoo'),
    ]

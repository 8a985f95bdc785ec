"""Folders of checkpoints as this version and earlier ones write them."""

import json
import os
import pathlib
import shutil
import zlib

import numpy as np

from sc2impala import replay as replay_lib
from sc2impala.checkpoints import directory
from sc2impala.training.saved_files import REPLAY, STATE, ReplayFile

DATA = 'variables.data-00000-of-00001'
VARIABLES = (DATA, 'variables.index')


class Killed(BaseException):
    """A kill."""


def kill(*unused, **more):
    raise Killed


def make_replay(capacity=3):
    return replay_lib.ReplayTable(
        capacity,
        [((2,), np.float32)],
        replay_lib.SAMPLERS['uniform'](),
        replay_lib.REMOVERS['fifo'](),
        np.random.RandomState(0),
    )


def make_files():
    """The files of a run with replay."""
    return {REPLAY: ReplayFile(make_replay())}


def copy(source, target):
    shutil.copytree(str(source), str(target))
    return pathlib.Path(str(target))


def has_state(checkpoint):
    """Returns whether a checkpoint lists more than its variables."""
    return not set(directory.read(str(checkpoint)).files) <= set(VARIABLES)


def contents(folder):
    """{path relative to the folder: content} of all files."""
    paths = [path for path in pathlib.Path(str(folder)).rglob('*') if path.is_file()]
    return {path.relative_to(str(folder)).as_posix(): path.read_bytes() for path in paths}


def write_text(run, frames, text, **more):
    """Writes a checkpoint whose variables are texts."""

    def fill(folder):
        for name in VARIABLES:
            with open(os.path.join(folder, name), 'w') as file:
                file.write(f'{text} {name}')

    os.makedirs(str(run), exist_ok=True)
    directory.write(directory.path(str(run), frames), frames, fill, **more)


def add_best(run):
    """Gives a run the best model of 7 frames, whose variables are those of 0 frames."""
    source, best = directory.path(str(run), 0), os.path.join(str(run), 'best')
    os.mkdir(best)

    def fill(folder):
        directory.link_variables(source, folder)

    directory.write(directory.path(best, 7), 7, fill)
    return run


def to_flat_files(folder, with_checksums=True):
    """Turns the checkpoints of a folder into files as earlier versions left them."""
    folder = str(folder)
    for frames in directory.saved(folder):
        old = directory.path(folder, frames)
        index, files = directory.read(old), []
        for name in index.files:
            path = os.path.join(old, name)
            if name == STATE:
                files += _split_state(path, folder, frames)
            else:
                files.append(_old_name(name, frames))
                os.rename(path, os.path.join(folder, files[-1]))
        if with_checksums:
            _write_unit(folder, frames, files, index.milestone)
        shutil.rmtree(old)
        with open(os.path.join(folder, 'checkpoint'), 'w') as file:
            file.write(f'model_checkpoint_path: "model.ckpt-{frames}"\n')
    os.rmdir(os.path.join(folder, directory.FOLDER))


def _old_name(name, frames):
    if name == REPLAY:
        return f'replay-{frames}.npz'
    return f'model.ckpt-{frames}.{name.replace("variables.", "")}'


def _split_state(path, folder, frames):
    names = [f'{name}-{frames}.npz' for name in ('resume', 'account')]
    with np.load(path) as saved:
        arrays = {name: saved[name] for name in saved.files}
    account = {n.split('/')[1]: a for n, a in arrays.items() if n.startswith('account/')}
    resume = {n: a for n, a in arrays.items() if not n.startswith('account/')}
    for name, content in zip(names, (resume, account)):
        replay_lib.save(os.path.join(folder, name), content)
    return names


def _write_unit(folder, frames, names, milestone):
    files = {}
    for name in names:
        with open(os.path.join(folder, name), 'rb') as file:
            content = file.read()
        files[name] = {'bytes': len(content), 'crc32': zlib.crc32(content)}
    unit = {'format': 1, 'frames': frames, 'files': files}
    if milestone:
        unit['milestone'] = True
    unit['checksum'] = zlib.crc32(json.dumps(unit, sort_keys=True).encode())
    with open(os.path.join(folder, f'unit-{frames}.json'), 'w') as file:
        json.dump(unit, file)

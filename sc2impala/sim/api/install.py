"""Makes a folder that looks to PySC2 like an installed game."""

import os
import shlex
import stat
import sys

from sc2impala.sim import game_batch
from sc2impala.sim.api.match import map_path
from sc2impala.sim.api.session import BUILD

BINARY = os.path.join('Versions', f'Base{BUILD}', 'SC2_x64')
_MARK = 'sc2impala.sim.api'


def install(folder: str) -> str:
    """Puts the stand-in into a folder, for this Python and this copy of the package.

    Args:
      folder: made if it is not there; an earlier stand-in in it is replaced.

    Returns:
      The absolute path of the folder, what SC2PATH is to be.

    Raises:
      FileExistsError: if the folder holds a game that is none of ours; it is left alone.
      OSError: if the folder cannot be written to.
    """
    folder = os.path.abspath(os.path.expanduser(folder))
    binary = os.path.join(folder, BINARY)
    _check_not_the_game(folder, binary)
    _write(binary, _script())
    os.chmod(binary, os.stat(binary).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    for name in game_batch.MAP_NAMES:
        _write(os.path.join(folder, 'Maps', map_path(name)), f'{name}, played by {_MARK}\n')
    return folder


def _check_not_the_game(folder, binary):
    versions = os.path.join(folder, 'Versions')
    if not os.path.exists(versions):
        return
    ours = os.path.isfile(binary) and _MARK in _head(binary)
    if not ours or os.listdir(versions) != [f'Base{BUILD}']:
        raise FileExistsError(
            f'{folder} holds a game already, expected a new folder or one of an earlier stand-in.'
        )


def _head(path):
    with open(path, errors='replace') as file:
        return file.read(1000)


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = path + '.new'
    with open(temporary, 'w') as file:
        file.write(text)
    os.replace(temporary, path)


def _script():
    """A script that becomes the server: PySC2's signals then reach it.

    The environment of the client is that of another Python, perhaps.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    return '\n'.join(
        [
            '#!/bin/sh',
            f'# {_MARK} in the place of the game.',
            f'PYTHONPATH={shlex.quote(os.path.abspath(package))}',
            'export PYTHONPATH',
            'unset PYTHONHOME',
            f'exec {shlex.quote(sys.executable)} -m {_MARK} serve "$@"',
            '',
        ]
    )

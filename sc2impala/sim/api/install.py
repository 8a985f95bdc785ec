"""Installs the stand-in: a folder that looks to PySC2 like an installation of the game."""

import os
import shlex
import stat
import sys

from sc2impala.sim import game_batch
from sc2impala.sim.api.match import map_path
from sc2impala.sim.api.session import BUILD

BINARY = os.path.join('Versions', f'Base{BUILD}', 'SC2_x64')
_MARK = 'sc2impala.sim.api'
_INSTALLED = ('site-packages', 'dist-packages')


def install(folder: str) -> str:
    """Installs the stand-in into a folder, for this Python and this copy of the package.

    Args:
      folder: created if it does not exist; an earlier stand-in in it is replaced.

    Returns:
      The absolute path of the folder, the value for SC2PATH.

    Raises:
      FileExistsError: if the folder contains another game, which is left unchanged.
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


def _check_not_the_game(folder: str, binary: str) -> None:
    versions = os.path.join(folder, 'Versions')
    if not os.path.exists(versions):
        return
    ours = os.path.isfile(binary) and _MARK in _head(binary)
    if not ours or os.listdir(versions) != [f'Base{BUILD}']:
        raise FileExistsError(
            f'{folder} contains another game, expected a new folder or one with a stand-in.'
        )


def _head(path: str) -> str:
    with open(path, errors='replace') as file:
        return file.read(1000)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = path + '.new'
    with open(temporary, 'w') as file:
        file.write(text)
    os.replace(temporary, path)


def _script() -> str:
    """Returns a shell script that runs the server in its own process, which PySC2's signals reach.

    It removes variables of the client's Python, which may be of another version.
    """
    package = os.path.abspath(__file__)
    for _ in range(4):
        package = os.path.dirname(package)
    paths = [f'PYTHONPATH={shlex.quote(package)}', 'export PYTHONPATH']
    if os.path.basename(package) in _INSTALLED:
        # An installed package is found without PYTHONPATH, which would put other packages of this
        # folder, such as enum34, before the modules of the standard library.
        paths = ['unset PYTHONPATH']
    return '\n'.join(
        [
            '#!/bin/sh',
            f'# {_MARK} instead of the game.',
            *paths,
            'unset PYTHONHOME',
            f'exec {shlex.quote(sys.executable)} -m {_MARK} serve "$@"',
            '',
        ]
    )

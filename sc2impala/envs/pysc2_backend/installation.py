"""Checks that StarCraft II is installed, before a process is started for it."""

import os

from sc2impala.envs.pysc2_backend.errors import GameError
from sc2impala.game_folder import game_folder


def check_installed() -> None:
    """Checks that the game is installed.

    Raises:
      GameError: if PySC2 would not find one.
    """
    folder = game_folder()
    if not os.path.isdir(os.path.join(folder, 'Versions')):
        source = 'SC2PATH is' if os.environ.get('SC2PATH') else 'SC2PATH is not set; its default is'
        raise GameError(
            f'--backend=pysc2 finds no StarCraft II: {source} {folder}, which is not a folder with '
            'Versions and Maps, expected one that is; python -m sc2impala.doctor says what to '
            'install. --backend=simulator needs no game.'
        )

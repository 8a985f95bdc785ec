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
        is_set = bool(os.environ.get('SC2PATH'))
        source = 'SC2PATH is' if is_set else 'SC2PATH is not set, and its default is'
        raise GameError(
            f'--backend=pysc2 cannot find StarCraft II: {source} {folder}, expected a folder with '
            'Versions and Maps; run python -m sc2impala.doctor for instructions, or use '
            '--backend=simulator.'
        )

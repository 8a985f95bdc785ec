"""Location of the StarCraft II installation."""

import os
import platform

_FOLDERS = {
    'Linux': '~/StarCraftII',
    'Darwin': '/Applications/StarCraft II',
    'Windows': 'C:/Program Files (x86)/StarCraft II',
}


def game_folder() -> str:
    """Returns the folder in which PySC2 looks for the game."""
    default = _FOLDERS.get(platform.system(), _FOLDERS['Linux'])
    return os.path.expanduser(os.environ.get('SC2PATH') or default)

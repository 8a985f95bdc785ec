"""StarCraft II as a vector environment: PySC2, one process per game, and what to do when one dies.

Nothing here loads the part of PySC2 that runs the game: that happens in the workers.
"""

from sc2impala.envs.pysc2_backend.environment import PySC2Environment
from sc2impala.envs.pysc2_backend.errors import GameError
from sc2impala.envs.pysc2_backend.ladder import LADDER_DEFAULTS, LADDER_MAPS
from sc2impala.envs.pysc2_backend.settings import (
    CAMERA_WIDTH,
    DIFFICULTIES,
    MAX_EPISODE_FRAMES,
    RACES,
    RELAUNCH_EPISODES,
    GameSettings,
)

__all__ = [
    'CAMERA_WIDTH',
    'DIFFICULTIES',
    'LADDER_DEFAULTS',
    'LADDER_MAPS',
    'MAX_EPISODE_FRAMES',
    'RACES',
    'RELAUNCH_EPISODES',
    'GameError',
    'GameSettings',
    'PySC2Environment',
]

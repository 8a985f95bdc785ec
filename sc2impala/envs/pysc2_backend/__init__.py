"""The vector environment on StarCraft II: one process per game, each of which runs PySC2.

Games that fail are launched again. Only the worker processes import the part of PySC2 that runs the
game.
"""

from sc2impala.envs.pysc2_backend.environment import PySC2Environment
from sc2impala.envs.pysc2_backend.errors import GameError
from sc2impala.envs.pysc2_backend.ladder import LADDER_DEFAULTS, LADDER_MAPS
from sc2impala.envs.pysc2_backend.own_map import MAX_SCORE_INDEX
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
    'MAX_SCORE_INDEX',
    'RACES',
    'RELAUNCH_EPISODES',
    'GameError',
    'GameSettings',
    'PySC2Environment',
]

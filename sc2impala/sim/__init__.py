"""The SC2LE mini-games as compiled loops: K games of one map advance together, frame by frame.

A frame is one environment frame (one StarCraft II game loop), 16 of them in a game second.

This package needs neither the rest of `sc2impala` nor TensorFlow, PySC2 or the game. Facts about
the game are constants marked by their certainty: [S] sure, [A] approximate, [U] unknown and chosen
by us; and by their source: MAP the map's script, GD the game data of version 4.10, TT and ID tables
of units, OBS a recorded observation of the real game, F, ACT and ENV the modules `features` and
`actions` and the documentation of PySC2, #n its issues.
"""

import importlib
from typing import TYPE_CHECKING, Any

from sc2impala.sim.limits import MAX_ALERTS, MAX_FEATURE_UNITS, MAX_QUEUE, MAX_SELECTED

if TYPE_CHECKING:
    from sc2impala.sim.game_batch import MAP_NAMES, GameBatch, check_rules, make

__all__ = [
    'MAP_NAMES',
    'MAX_ALERTS',
    'MAX_FEATURE_UNITS',
    'MAX_QUEUE',
    'MAX_SELECTED',
    'GameBatch',
    'begin_compilation',
    'check_rules',
    'make',
]


def begin_compilation(map_name: str) -> None:
    """Starts to compile the kernels of a map in the background, unless they are in the cache."""
    from sc2impala.sim import compile_ahead  # It imports numba.

    compile_ahead.begin(map_name)


def __getattr__(name: str) -> Any:
    # Lazy because it imports numba: more than the rest of what a worker of the real game needs.
    if name not in ('MAP_NAMES', 'GameBatch', 'check_rules', 'make'):
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(importlib.import_module('sc2impala.sim.game_batch'), name)

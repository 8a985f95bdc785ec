"""The SC2LE mini-games in NumPy: K games of one map advance at once, by game loops.

This package needs neither the rest of `sc2impala` nor TensorFlow, PySC2 or the game. Facts about
the game are constants with a mark of what is known of them: [S] sure, [A] approximate, [U] unknown
and chosen by us; with the source: MAP the map's own script, GD the game's data of version 4.10, TT
and ID tables of units, OBS a recorded observation of the real game, F, ACT and ENV the modules
`features`, `actions` and the documentation of PySC2, #n its issues.
"""

from sc2impala.sim.economy.production import QUEUE_LENGTH as MAX_QUEUE
from sc2impala.sim.feature_units import MAX_FEATURE_UNITS
from sc2impala.sim.game_batch import MAP_NAMES, GameBatch, make
from sc2impala.sim.observation import MAX_ALERTS, MAX_SELECTED

__all__ = [
    'MAP_NAMES',
    'MAX_ALERTS',
    'MAX_FEATURE_UNITS',
    'MAX_QUEUE',
    'MAX_SELECTED',
    'GameBatch',
    'make',
]

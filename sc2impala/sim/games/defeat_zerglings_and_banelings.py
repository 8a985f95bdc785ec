"""DefeatZerglingsAndBanelings: nine marines against ten zerg, and again with four more. [S] MAP"""

from typing import Any

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.games import waves
from sc2impala.sim.games.game import BATTLE, Game

_TYPES = (unit_types.MARINE, unit_types.ZERGLING, unit_types.BANELING)
_KINDS = np.array([1] * 6 + [2] * 4, np.int8)
_OFFSETS = np.zeros(10)  # All at one point. The game spreads them to free places. [A]
_REWARD = 5
_NEW_MARINES = 4


@compiled
def start(g: Any, rules: Any) -> None:
    """Lines up the first wave."""
    waves.start(g, rules, waves.Wave(_KINDS, _OFFSETS, _REWARD, _NEW_MARINES))


@compiled
def play_frame(g: Any, rules: Any) -> None:
    """See `waves`."""
    waves.play_frame(g, rules, waves.Wave(_KINDS, _OFFSETS, _REWARD, _NEW_MARINES))


GAME = Game(
    name='DefeatZerglingsAndBanelings',
    episode_loops=waves.EPISODE_LOOPS,
    arena=waves.ARENA,
    unit_types=_TYPES,
    family=BATTLE,
    start=start,
    play_frame=play_frame,
    num_units=waves.MAX_MARINES + len(_KINDS),
    has_targets=True,
    has_combat=True,
)

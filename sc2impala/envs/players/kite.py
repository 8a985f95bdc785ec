"""DefeatZerglingsAndBanelings: marines fire and run from the banelings in turns."""

from typing import Any, Mapping

import numpy as np

from sc2impala.envs.players import battle
from sc2impala.envs.players.battle import Battle
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.players.unit_types import BANELING

_FIGHT = 6.9
"""Distance in cells between the centres of the nearest pair from which on calls are counted."""
_TOO_NEAR = 3.9
"""Distance of a baneling from which marines run. It explodes at one cell and reaches 2.6."""
_PERIOD = 4
"""Calls from one volley to the next: 16 frames of 4 each; a marine can fire every 14 frames."""
_RUN = 5.0
"""Cells to the target of a run; marines walk a third of that until they fire."""
_CELLS_PER_HEALTH = 0.05


class KitePlayer(ScriptedPlayer):
    """All marines attack the banelings, then the zerglings, each time one that is near and weak;
    while a baneling is too near, they run from it during three of four calls.

    It is meant for one call every 4 frames. The state is the number of calls since the start of a
    fight, modulo four: marines fire in the first.
    """

    functions = ('no_op', 'select_army', 'Attack_screen', 'Move_screen')
    vectors = ('feature_units',)
    initial_state = {'phase': 0}

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        seen = Battle(observation['feature_units'], self.seen_size)
        some = seen.enemies.sum(axis=1) > 0
        banelings = seen.enemies & (seen.of_enemies('unit_type') == BANELING)
        has_banelings = banelings.any(axis=1)
        nearest = seen.distance.min(axis=1)
        phase = self.state['phase']

        calls.choose(some & ~seen.all_selected(), 'select_army')
        too_near = (banelings & (nearest < _TOO_NEAR)).sum(axis=1) > 0
        refuge = battle.away(seen.army_at, seen.middle(banelings), _RUN)
        calls.choose(too_near & (phase > 0), 'Move_screen', screen=seen.pixel(refuge))
        first = np.where(has_banelings[:, np.newaxis], banelings, seen.enemies)
        target = seen.target(first, _CELLS_PER_HEALTH)
        calls.choose(some, 'Attack_screen', screen=seen.pixel(target))
        phase[:] = np.where(nearest.min(axis=1) < _FIGHT, (phase + 1) % _PERIOD, 0)

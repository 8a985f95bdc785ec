"""DefeatRoaches: all marines attack one roach, and those that the next hit kills step aside.

A roach (range 4) that loses its target to a step of a cell turns to another marine, while the
marine (range 5) can fire on: the hits are shared, and hardly any marine dies. All distances are in
cells, between the centres of a marine and a roach: 0.875 more than from edge to edge.
"""

from typing import Mapping

import numpy as np

from sc2impala.envs.players import battle
from sc2impala.envs.players.battle import Battle
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.structs import Nest

_FIGHT = 6.1
"""Distance of the nearest pair from which on the army is in the fight: a marine can fire."""
_WEAK = 13
"""Health of a marine that has taken two hits of 16 out of 45."""
_IN_REACH = 5.2
"""Distance of a marine that a roach can hit."""
_STEP_BACK = 1.5
_CELLS_PER_HEALTH = 10.0
"""Health decides which roach is attacked, the distance between roaches of the same health."""


class PullBackPlayer(ScriptedPlayer):
    """Attacks the roach with the least health, and pulls back weak marines that are the nearest to
    a roach, one by one with two calls each.

    It is meant for one call every 4 frames. It remembers nothing, sees the pixels of the agent, and
    there are no more rules than the score needs: an agent that imitates it sees all that decides,
    but where one unit hides another. To meet the roaches in a line at their height, to attack near
    ones before weak ones, and to retreat straight away from the nearest roach gained nothing
    measurable.
    """

    functions = ('no_op', 'select_army', 'select_point', 'Attack_screen', 'Move_screen')
    vectors = ('feature_units',)
    sees_finer_than_agent = False

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        seen = Battle(observation['feature_units'], self.seen_size)
        fights = seen.distance.min(axis=(1, 2)) < _FIGHT
        attacks = np.any(seen.enemies, axis=1)
        self._pull_back(seen, calls, self._threatened(seen) & fights[:, np.newaxis])
        calls.choose(attacks & ~seen.all_selected(), 'select_army')
        target = seen.target(seen.enemies, _CELLS_PER_HEALTH)
        calls.choose(attacks & ~fights, 'Attack_screen', screen=seen.pixel(seen.horde_at))
        calls.choose(attacks, 'Attack_screen', screen=seen.pixel(target))

    def _threatened(self, seen: Battle) -> np.ndarray:
        """Returns the weak marines that a roach is likely to hit next: bool [K, M]."""
        is_nearest = seen.distance <= seen.distance.min(axis=1, keepdims=True)
        is_target = (is_nearest & (seen.distance < _IN_REACH)).any(axis=2)
        weak = seen.marines & (seen.read_marines('health') <= _WEAK)
        return weak & is_target

    def _pull_back(self, seen: Battle, calls: Calls, which: np.ndarray) -> None:
        """Selects the nearest of some marines, bool [K, M], or moves it if it is selected."""
        nearest = np.where(which, seen.distance.min(axis=2), np.inf).argmin(axis=1)
        marine = battle.at(seen.marines_at, nearest)
        selected = (seen.read_marines('is_selected') == 1) & seen.marines
        alone = battle.at(selected, nearest) & (selected.sum(axis=1) == 1)
        side = np.sign(seen.army_at[:, :1] - seen.horde_at[:, :1])
        back = np.clip(marine + side * (_STEP_BACK, 0), battle.LOW, battle.HIGH)
        some = which.sum(axis=1) > 0
        calls.choose(some & alone, 'Move_screen', screen=seen.pixel(back))
        calls.choose(some, 'select_point', screen=seen.pixel(marine))

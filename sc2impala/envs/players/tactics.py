"""Playing by tactics of two calls each: one selects a unit, the next one gives it an order."""

import abc
import collections
from typing import Any, Mapping, Sequence

import numpy as np

from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.economy import Economy
from sc2impala.envs.players.scripted_player import ScriptedPlayer

Tactic = collections.namedtuple('Tactic', ['function', 'where', 'unit', 'target'])
"""function: name of the order. where: bool [K], the games in which it can be chosen. unit: [K, 2],
the pixel of the unit that is given the order, or None for an idle worker, which is selected by the
function for it: a click may hit another unit in the same place. target: [K, 2], the pixel that the
order is about, as it is when the order is given, or None.
"""


class TacticsPlayer(ScriptedPlayer):
    """Chooses the first tactic that applies, carries it out, and chooses again.

    A subclass implements `tactics`. An order that cannot be given is dropped. Remembers which of
    the tactics waits for its second call, counted from 1.
    """

    vectors = ('player', 'feature_units')
    remembers = {'tactic': 0}

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        begun = self.memory['tactic'].copy()
        self.memory['tactic'][:] = 0
        scale = self.observation_spec.screen_size[0] / self.screen_size[0]
        for number, tactic in enumerate(self.tactics(Economy(observation, scale)), 1):
            point = {} if tactic.target is None else {'screen': tactic.target}
            calls.choose(begun == number, tactic.function, **point)
            chosen = (begun == 0) & tactic.where
            if tactic.unit is None:
                chosen = calls.choose(chosen, 'select_idle_worker')
            else:
                chosen = calls.choose(chosen, 'select_point', screen=tactic.unit)
            self.memory['tactic'][chosen] = number

    @abc.abstractmethod
    def tactics(self, economy: Economy) -> Sequence[Tactic]:
        """What can be done, the most urgent first; always the same number of tactics."""

    def site(self, sites: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Pixels [K, 2] of the sites number [K] of a list, its last one for greater numbers.

        Args:
          sites: int [n, 2], pixels on a screen of `screen_size`.
          number: int [K].
        """
        scale = np.array(self.observation_spec.screen_size) / self.screen_size
        chosen = np.asarray(sites)[np.minimum(number, len(sites) - 1)]
        return ((chosen + 0.5) * scale).astype(np.int32)

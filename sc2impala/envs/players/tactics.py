"""Players whose rules take two calls each: the first selects a unit, the second orders it."""

import abc
from typing import Any, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.economy import Economy
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.structs import Nest


class Tactic(NamedTuple):
    """An order to a unit.

    function: name of the function for the order.
    where: bool [K], the games in which the tactic applies.
    unit: [K, 2], the pixel of the unit to select, or None for an idle worker, which is selected
      with select_idle_worker because a click may hit another unit at the same position.
    target: [K, 2], the pixel of the target, computed at the time of the order, or None.
    """

    function: str
    where: Any
    unit: Any
    target: Any


class TacticsPlayer(ScriptedPlayer):
    """Repeatedly chooses the first tactic that applies and executes its two calls.

    A subclass implements `tactics`. An order that is not available is dropped. The state is the
    tactic that waits for its second call, counted from 1, or 0.
    """

    vectors = ('player', 'feature_units')
    initial_state = {'tactic': 0}
    intentions: Tuple[str, ...] = ('tactic',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        begun = self.state['tactic'].copy()
        self.state['tactic'][:] = 0
        scale = self.seen_size[0] / self.screen_size[0]
        for number, tactic in enumerate(self.tactics(Economy(observation, scale)), 1):
            point = {} if tactic.target is None else {'screen': tactic.target}
            calls.choose(begun == number, tactic.function, **point)
            chosen = (begun == 0) & tactic.where
            if tactic.unit is None:
                chosen = calls.choose(chosen, 'select_idle_worker')
            else:
                chosen = calls.choose(chosen, 'select_point', screen=tactic.unit)
            self.state['tactic'][chosen] = number

    @abc.abstractmethod
    def tactics(self, economy: Economy) -> Sequence[Tactic]:
        """Returns the tactics, the most urgent first; their number must not change."""

    def site(self, sites: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Returns the pixels, int32 [K, 2], of building sites chosen from a list.

        Args:
          sites: int [n, 2], pixels on a screen of size `screen_size`.
          number: int [K], indices into `sites`; larger ones select the last site.
        """
        scale = np.array(self.seen_size) / self.screen_size
        chosen = np.asarray(sites)[np.minimum(number, len(sites) - 1)]
        return ((chosen + 0.5) * scale).astype(np.int32)

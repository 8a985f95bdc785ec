"""DefeatZerglingsAndBanelings: marines fire and run from the banelings in turns."""

from typing import Mapping, Tuple

import numpy as np

from sc2impala.envs.players import battle
from sc2impala.envs.players.battle import Battle
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.players.unit_types import BANELING
from sc2impala.structs import Nest

_IN_REACH = 6.2
"""Distance in cells, between the centres, of an enemy that a marine can attack."""
_TOO_NEAR = 6.0
"""Distance of a baneling from which marines run while they reload."""
_HOLD_FRAMES = 4
"""Frames in which an order to attack is not repeated: another target would cancel the attack."""
_MAX_STEP = 8
"""Longest step in frames that the script counts on."""
_ATTACK_FRAMES = 4
"""Frames from the order to the hit, for a marine that has to turn first."""
_RUN = 10.0
"""Cells to the target of a run: the nearer it is, the more marines crowd, and an explosion hurts
those that stand close together."""
_AFAR = 7.0
"""Distance of the nearest enemy from which on marines walk in a line, and take no aim yet."""
_BEYOND = 4.0
"""Cells behind the enemies of the ground that marines attack."""
_CELLS_PER_HEALTH = 0.05


class KitePlayer(ScriptedPlayer):
    """All marines attack a baneling that is near and weak; while most of them reload, they run from
    banelings. Where there is none, or none is near, they attack the ground behind the enemies: each
    one fires at the nearest enemy, so that no hit is lost on a dead zergling, and they come in
    the line that they started in.

    Weapons show when the volley has left, so the script depends neither on the frames of an attack
    nor on the length of a step. In long steps marines attack again before they reload. The
    state is the frame of the last call, and of the last order to attack an enemy in reach.
    """

    functions = ('no_op', 'select_army', 'Attack_screen', 'Move_screen')
    vectors = ('feature_units', 'game_loop')
    initial_state = {'loop': 0, 'ordered': -_HOLD_FRAMES}
    intentions = ('ordered',)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        loop, ordered = observation['game_loop'][:, 0], self.state['ordered']
        step = np.clip(loop - self.state['loop'], 1, _MAX_STEP)
        self.state['loop'][:] = loop

        seen = Battle(observation['feature_units'], self.seen_size)
        some = seen.enemies.sum(axis=1) > 0
        banelings = seen.enemies & (seen.read_enemies('unit_type') == BANELING)
        has_banelings = banelings.any(axis=1)
        fighting, reloading = self._reloading(seen, np.maximum(step - _ATTACK_FRAMES, 1))

        calls.choose(some & ~seen.all_selected(), 'select_army')
        too_near = (banelings & (seen.distance.min(axis=1) < _TOO_NEAR)).sum(axis=1) > 0
        refuge = battle.away(seen.army_at, seen.middle(banelings), _RUN)
        calls.choose(too_near & reloading, 'Move_screen', screen=seen.pixel(refuge))
        holds = fighting & ~reloading & (loop - ordered < _HOLD_FRAMES)
        on_ground = ~has_banelings | (seen.distance.min(axis=(1, 2)) > _AFAR)
        target = np.where(
            on_ground[:, np.newaxis],
            battle.away(seen.horde_at, seen.army_at, _BEYOND),
            seen.target(banelings, _CELLS_PER_HEALTH),
        )
        attacks = calls.choose(some & ~holds, 'Attack_screen', screen=seen.pixel(target))
        ordered[attacks & fighting] = loop[attacks & fighting]

    def _reloading(self, seen: Battle, lead: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Determines the games in which marines can fire.

        Args:
          seen: marines and enemies.
          lead: int [K], frames in which a weapon has to be ready to count as ready.

        Returns:
          bool [K] each: whether any marine has an enemy in reach, and whether most of those that
          have reload.
        """
        in_reach = seen.marines & (seen.distance.min(axis=2) < _IN_REACH)
        ready = in_reach & (seen.read_marines('weapon_cooldown') <= lead[:, np.newaxis])
        fighting = in_reach.any(axis=1)
        return fighting, fighting & (2 * ready.sum(axis=1) < in_reach.sum(axis=1))

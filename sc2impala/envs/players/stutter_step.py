"""FindAndDefeatZerglings: the marines walk on while their weapons reload."""

from typing import Mapping

import numpy as np

from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.players import sight
from sc2impala.envs.players.battle import SCREEN_CELLS
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.find_and_defeat_zerglings import MAP_CELLS, CirclePlayer
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

_OFF_CENTRE = 3.0
"""Cells from the middle of the screen to the army from which on the camera follows it."""
_ZERGLING_HEALTH, _DAMAGE = 35, 6
"""Health of a zergling, and damage of a hit by a marine. [S] GD"""
_REGENERATED = 2
"""More than a zergling regenerates during a fight, and less than a hit."""
_WALK_FRAMES = 10
"""Frames from a volley to the order of the next one. The period of the weapon is 14 frames; after
longer walks the zergling bites for longer, and marines die."""
_TOO_FAR = 7.0
"""Cells from the army to the nearest zergling at which there is no fight."""
_OTHER = 3.0
"""Cells from the nearest zergling at which another pixel of the minimap is another zergling."""


class StutterStepPlayer(CirclePlayer):
    """Finds zerglings as `CirclePlayer` does, and walks between the two volleys that kill one.

    A marine that attacks stands still until it can fire again. This player walks instead, towards
    the next zergling or the next place on the path: from the time when every marine has hit the
    zergling until the weapons are nearly ready. The zergling follows. The camera follows the army,
    so that the health of zerglings is seen. The state is the frame of the last observation, the
    least health of a zergling in it, and the frame of the last hit.
    """

    functions = ('no_op', 'select_army', 'move_camera', 'Attack_minimap', 'Move_minimap')
    vectors = ('feature_units', 'game_loop')
    initial_state = {'loop': 0, 'health': _ZERGLING_HEALTH, 'hit_at': -_WALK_FRAMES}

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """See `ScriptedPlayer`."""
        super().__init__(observation_spec, action_spec)
        self._cells = np.array(observation_spec.minimap_size) / MAP_CELLS

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        player_relative = observation['minimap']['player_relative']
        enemies, army = player_relative == sight.ENEMY, sight.centre(player_relative == sight.SELF)
        units = sight.Units(observation['feature_units'])
        reloads = self._reloads(units, observation['game_loop'][:, 0])
        nearest = sight.nearest_pixel(enemies, army)
        near = enemies.any(axis=(1, 2)) & (self._distance(army, nearest) < _TOO_FAR)
        calls.choose(~calls.can('Attack_minimap'), 'select_army')
        calls.choose(self._off_centre(units) > _OFF_CENTRE, 'move_camera', minimap=army)
        onwards = self._onwards(enemies, army, nearest)
        calls.choose(near & reloads, 'Move_minimap', minimap=onwards)
        self.search(calls, enemies, army, nearest)

    def _reloads(self, units: sight.Units, loop: np.ndarray) -> np.ndarray:
        """Returns whether all marines have hit a living zergling, bool [K]; updates the state."""
        health = np.where(units.enemy, units.column('health'), _ZERGLING_HEALTH).min(axis=1)
        before, step = self.state['health'], loop - self.state['loop']
        # The health of another zergling counts from when the one that was hit has died.
        is_hit = (health < before - _REGENERATED) | (health > before + _REGENERATED)
        self.state['hit_at'][is_hit] = (loop - step // 2)[is_hit]
        self.state['health'][:], self.state['loop'][:] = health, loop
        hits = np.round((_ZERGLING_HEALTH - health) / _DAMAGE)
        full_volley = (hits > 0) & (hits % np.maximum(units.mine.sum(axis=1), 1) == 0)
        return full_volley & (loop - self.state['hit_at'] < _WALK_FRAMES)

    def _off_centre(self, units: sight.Units) -> np.ndarray:
        """Distance of the army from the middle of the screen, in cells: float64 [K]."""
        offset = sight.mean_pixel(units, units.mine) - np.array(self.seen_size) / 2
        away = sight.length(offset) * SCREEN_CELLS / self.seen_size[0]
        return np.where(units.mine.any(axis=1), away, np.inf)

    def _onwards(self, enemies: np.ndarray, army: np.ndarray, nearest: np.ndarray) -> np.ndarray:
        """The pixel of the nearest zergling but one, or of the path: int64 [K, 2]."""
        rows, columns = np.indices(enemies.shape[1:])
        pixels = np.stack([columns, rows], axis=-1)
        others = enemies & (self._distance(pixels, nearest[:, np.newaxis, np.newaxis]) > _OTHER)
        some = np.any(others, axis=(1, 2))[:, np.newaxis]
        return np.where(some, sight.nearest_pixel(others, army), self.next_on_path(army))

    def _distance(self, pixels: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Distance of pixels of the minimap, [..., 2], in cells."""
        return sight.length((pixels - others) / self._cells)

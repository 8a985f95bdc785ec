"""FindAndDefeatZerglings: the marines search the map together, and attack what they see."""

from typing import Any, Mapping

import numpy as np

from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.specs import ObservationSpec

_VISIBLE = 2
_MAP_CELLS = 64
_PLAYABLE = (10, 54, 20, 52)
"""Left, right, top and bottom of where units can be, in cells from the top left. [S] MAP"""
_NUM_MARINES = 3
_WAVE = 25
"""Zerglings that die before new ones come. [S] MAP"""


class SearchPlayer(ScriptedPlayer):
    """Attacks the nearest zergling in sight, otherwise goes where it has not looked yet.

    It plays by the minimap alone, and so without the camera. Remembers which pixels were seen, and
    found to be empty, since the zerglings came, and how many times they had come.
    """

    functions = ('no_op', 'select_army', 'Attack_minimap')
    minimap_layers = ('visibility_map', 'player_relative')
    vectors = ('player', 'score_cumulative')

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """See `ScriptedPlayer`."""
        super().__init__(observation_spec, action_spec)
        width, height = observation_spec.minimap_size
        rows, columns = np.indices([height, width])
        x, y = (columns + 0.5) * _MAP_CELLS / width, (rows + 0.5) * _MAP_CELLS / height
        left, right, top, bottom = _PLAYABLE
        self._playable = (left < x) & (x < right) & (top < y) & (y < bottom)
        self.remembers = {'seen': np.zeros([height, width], bool), 'wave': 0}

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        minimap = observation['minimap']
        army = sight.centre(minimap['player_relative'] == sight.SELF)
        enemies = minimap['player_relative'] == sight.ENEMY
        unseen = self._look(observation, enemies)
        calls.choose(
            enemies.any(axis=(1, 2)), 'Attack_minimap', minimap=sight.nearest_pixel(enemies, army)
        )
        calls.choose(
            unseen.any(axis=(1, 2)), 'Attack_minimap', minimap=sight.nearest_pixel(unseen, army)
        )
        calls.choose(~calls.can('Attack_minimap'), 'select_army')

    def _look(self, observation, enemies):
        """Notes what is visible; returns where zerglings may be: bool [K, H, W]."""
        seen, wave = self.memory['seen'], self.memory['wave']
        # Every death of a marine has cost a point.
        lost = _NUM_MARINES - observation['player'][:, 8]
        now = (observation['score_cumulative'][:, 0] + lost) // _WAVE
        seen[now != wave] = False
        wave[:] = now
        visible = observation['minimap']['visibility_map'] == _VISIBLE
        seen |= visible
        # One that is passed by stays where it is.
        seen &= ~enemies
        everything = (seen | ~self._playable).all(axis=(1, 2))
        seen[everything] = visible[everything]
        return self._playable & ~seen


class PatrolPlayer(ScriptedPlayer):
    """The rule of the agent LH: attacks the zergling in sight that is nearest, otherwise walks from
    corner to corner of the map.

    Remembers which corner comes next, and whether the marines have been selected.
    """

    functions = ('no_op', 'select_army', 'Attack_minimap', 'Move_minimap')
    minimap_layers = ('player_relative', 'pathable')
    remembers = {'corner': 0, 'selected': False}
    margin = 0.2
    """Between the corners that it walks to and those of the region, as a part of its sides."""
    near = 3
    """Pixels from a corner that count as being there, on a minimap of `minimap_size`."""

    def decide(self, observation: Mapping[str, Any], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        player_relative = observation['minimap']['player_relative']
        enemies, army = player_relative == sight.ENEMY, sight.centre(player_relative == sight.SELF)
        corner, selected = self.memory['corner'], self.memory['selected']
        selected |= calls.choose(~selected, 'select_army')
        calls.choose(
            enemies.any(axis=(1, 2)), 'Attack_minimap', minimap=sight.nearest_pixel(enemies, army)
        )
        corners = self._corners(observation['minimap']['pathable'] == 1)
        games = np.arange(len(corner))
        scale = self.minimap_size[0] / self.observation_spec.minimap_size[0]
        away = np.square(corners[games, corner] - army).sum(axis=1) * scale**2
        corner[calls.undecided & (away < self.near**2)] += 1
        corner %= corners.shape[1]
        calls.choose(calls.undecided, 'Move_minimap', minimap=corners[games, corner])

    def _corners(self, pathable):
        """Pixels that enclose most of a mask bool [K, H, W], from the top left one down and around:
        int64 [K, 4, 2].
        """
        ends = []
        for axis in (1, 2):
            inside = pathable.any(axis=axis)
            low = inside.argmax(axis=1)
            high = inside.shape[1] - 1 - inside[:, ::-1].argmax(axis=1)
            margin = np.round((high - low) * self.margin).astype(np.int64)
            ends.append((low + margin, high - margin))
        (left, right), (top, bottom) = ends
        corners = [(left, top), (left, bottom), (right, bottom), (right, top)]
        return np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)

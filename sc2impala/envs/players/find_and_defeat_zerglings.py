"""FindAndDefeatZerglings: the marines search the map together and attack visible zerglings."""

from typing import Mapping, Tuple

import numpy as np

from sc2impala.envs import visited
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.players import sight
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

_VISIBLE = 2
MAP_CELLS = 64
"""Width and height of the map."""
_PLAYABLE = (10, 54, 20, 52)
"""Left, right, top and bottom of the playable area, in cells from the top left. [S] MAP"""
_NUM_MARINES = 3
_WAVE = 25
"""Number of zerglings that die before the next wave appears. [S] MAP"""


class ExplorerPlayer(ScriptedPlayer):
    """Attacks the nearest visible zergling, otherwise walks to the nearest unexplored pixel.

    It uses the minimap only, and so does not move the camera. The state is the pixels that were
    visible and free of zerglings since the current wave appeared, and the number of the wave.
    """

    functions = ('no_op', 'select_army', 'Attack_minimap')
    minimap_layers = ('visibility_map', 'player_relative')
    vectors = ('player', 'score_cumulative')

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """See `ScriptedPlayer`."""
        super().__init__(observation_spec, action_spec)
        self._playable = visited.playable('FindAndDefeatZerglings', observation_spec.minimap_size)
        self.initial_state = {'seen': np.zeros(self._playable.shape, bool), 'wave': 0}

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        minimap = observation['minimap']
        army = sight.centre(minimap['player_relative'] == sight.SELF)
        enemies = minimap['player_relative'] == sight.ENEMY
        unseen = self._look(observation, enemies)
        calls.choose(
            enemies.any(axis=(1, 2)), 'Attack_minimap', minimap=sight.nearest_pixel(enemies, army)
        )
        calls.choose(
            np.any(unseen, axis=(1, 2)), 'Attack_minimap', minimap=sight.nearest_pixel(unseen, army)
        )
        calls.choose(~calls.can('Attack_minimap'), 'select_army')

    def _look(self, observation: Mapping[str, Nest], enemies: np.ndarray) -> np.ndarray:
        """Updates the visited pixels; returns where zerglings may be: bool [K, H, W]."""
        seen, wave = self.state['seen'], self.state['wave']
        # Each dead zergling scores a point and each dead marine costs one.
        lost = _NUM_MARINES - observation['player'][:, 8]
        now = (observation['score_cumulative'][:, 0] + lost) // _WAVE
        seen[now != wave] = False
        wave[:] = now
        visible = observation['minimap']['visibility_map'] == _VISIBLE
        seen |= visible
        # A zergling that is left behind stays where it is.
        seen &= ~enemies
        everything = (seen | ~self._playable).all(axis=(1, 2))
        seen[everything] = visible[everything]
        return self._playable & ~seen


class CirclePlayer(ScriptedPlayer):
    """Attacks the nearest visible zergling, otherwise walks around the map, always clockwise.

    The marines see the border and the middle of the area from their path, a rectangle. The next
    target follows from where they are, without any memory, and so can be learned by imitation; the
    nearest unexplored pixel of `ExplorerPlayer` takes a map of visited pixels.
    """

    functions: Tuple[str, ...] = ('no_op', 'select_army', 'Attack_minimap')
    minimap_layers: Tuple[str, ...] = ('player_relative',)
    margin = 5.0
    """Distance of the path from the border of the area, in cells."""
    ahead = 8.0
    """Distance of the target along the path, in cells. Nearer ones round to the marines' own pixel
    on small minimaps, and from farther ones they cut the corners."""

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """See `ScriptedPlayer`."""
        super().__init__(observation_spec, action_spec)
        left, right, top, bottom = _PLAYABLE
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        corners = corners + self.margin * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        self._targets = self._next_targets(corners)

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        player_relative = observation['minimap']['player_relative']
        enemies, army = player_relative == sight.ENEMY, sight.centre(player_relative == sight.SELF)
        self.search(calls, enemies, army, sight.nearest_pixel(enemies, army))

    def search(
        self, calls: Calls, enemies: np.ndarray, army: np.ndarray, nearest: np.ndarray
    ) -> None:
        """Attacks, walks on where there is nothing to attack, and selects the army to do so.

        Args:
          calls: of K games.
          enemies: bool [K, H, W], the pixels of the minimap with zerglings.
          army: int [K, 2], the pixels of the armies.
          nearest: int [K, 2], the pixels of the nearest zerglings.
        """
        calls.choose(np.any(enemies, axis=(1, 2)), 'Attack_minimap', minimap=nearest)
        there = np.ones([len(army)], bool)
        calls.choose(there, 'Attack_minimap', minimap=self.next_on_path(army))
        calls.choose(~calls.can('Attack_minimap'), 'select_army')

    def next_on_path(self, army: np.ndarray) -> np.ndarray:
        """Returns where to walk from the pixels of the armies, int [K, 2]: int64 [K, 2]."""
        column, row = army.astype(np.int64).T
        return self._targets[row, column]

    def _next_targets(self, corners: np.ndarray) -> np.ndarray:
        """Returns the pixel to walk to from each pixel of the minimap: int64 [H, W, 2].

        Args:
          corners: float [4, 2], of the path in cells, clockwise.
        """
        width, height = self.observation_spec.minimap_size
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        reached = np.concatenate([[0], np.cumsum(sides)])

        def point(distance: np.ndarray) -> np.ndarray:
            """Returns cells [..., 2] of the path at distances from the first corner."""
            closed = np.concatenate([corners, corners[:1]])
            x, y = (np.interp(distance % reached[-1], reached, axis) for axis in closed.T)
            return np.stack([x, y], axis=-1)

        path = np.arange(0, reached[-1], 0.25)
        rows, columns = np.indices([height, width])
        scale = MAP_CELLS / np.array([width, height])
        pixels = (np.stack([columns, rows], axis=-1) + 0.5) * scale
        away = np.square(pixels[:, :, np.newaxis] - point(path)).sum(axis=-1)
        nearest = path[away.argmin(axis=-1)]
        return (point(nearest + self.ahead) / scale).astype(np.int64)


class PatrolPlayer(ScriptedPlayer):
    """The rule of the agent LH: attacks the nearest visible zergling, otherwise walks from corner
    to corner of the map.

    The state is the index of the next corner, and whether the marines have been selected.
    """

    functions = ('no_op', 'select_army', 'Attack_minimap', 'Move_minimap')
    minimap_layers = ('player_relative', 'pathable')
    initial_state = {'corner': 0, 'selected': False}
    intentions = ('selected',)
    margin = 0.2
    """Distance of the path's corners from the area's, as a fraction of its sides."""
    near = 3
    """Distance in pixels at which a corner is reached, on a minimap of size `minimap_size`."""

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        player_relative = observation['minimap']['player_relative']
        enemies, army = player_relative == sight.ENEMY, sight.centre(player_relative == sight.SELF)
        corner, selected = self.state['corner'], self.state['selected']
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

    def _corners(self, pathable: np.ndarray) -> np.ndarray:
        """Returns the corners of the path inside a mask bool [K, H, W]: pixels int64 [K, 4, 2].

        The order is top left, bottom left, bottom right, top right.
        """
        ends = []
        for axis in (1, 2):
            inside = np.any(pathable, axis=axis)
            low = inside.argmax(axis=1)
            high = inside.shape[1] - 1 - inside[:, ::-1].argmax(axis=1)
            margin = np.round((high - low) * self.margin).astype(np.int64)
            ends.append((low + margin, high - margin))
        (left, right), (top, bottom) = ends
        corners = [(left, top), (left, bottom), (right, bottom), (right, top)]
        return np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)

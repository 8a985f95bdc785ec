"""A batch of K games of one mini-game: the public interface of the simulator."""

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from sc2impala.sim import actions, feature_units, movement, observation
from sc2impala.sim.arguments import Arguments, integers
from sc2impala.sim.economy import economy_observation
from sc2impala.sim.functions import NUM_FUNCTIONS
from sc2impala.sim.games import GAMES
from sc2impala.sim.geometry import CAMERA_EXTENT, MAP_EXTENT, View
from sc2impala.sim.rendering import Renderer
from sc2impala.sim.units import Units
from sc2impala.sim.world import World

MAP_NAMES = tuple(sorted(GAMES))
"""Names of the supported maps."""


class GameBatch:
    """A vector of K games of one map. `reset` starts their first episodes.

    An episode is a function of the game's seed, the episode index and the actions; it does not
    depend on the other games of the batch. Two batches with equal `get_state` continue equally.
    """

    def __init__(
        self,
        map_name: str,
        seeds: Sequence[int],
        screen_size: Tuple[int, int],
        minimap_size: Tuple[int, int],
        screen_layers: Sequence[str] = (),
        minimap_layers: Sequence[str] = (),
    ):
        """See `make`."""
        if map_name not in GAMES:
            raise ValueError(f'map_name is {map_name!r}; expected one of {list(MAP_NAMES)}.')
        self._rules = rules = GAMES[map_name]
        self._world = World(
            seeds,
            rules.arena,
            Units(len(seeds), rules.num_units, rules.num_mobile, rules.unit_types),
            View(_size('screen_size', screen_size), CAMERA_EXTENT),
            View(_size('minimap_size', minimap_size), MAP_EXTENT),
            rules.mechanics(len(seeds)),
        )
        self._renderer = Renderer(self._world, screen_layers, minimap_layers)
        self._available: Optional[np.ndarray] = None

    @property
    def num_games(self) -> int:
        """K."""
        return self._world.num_games

    @property
    def episode_loops(self) -> int:
        """Length of a full episode in frames."""
        return self._rules.episode_loops

    @property
    def score(self) -> np.ndarray:
        """Score of the current or just ended episode: int64 [K]."""
        return self._world.score.copy()

    @property
    def ended(self) -> np.ndarray:
        """Whether the episode of each game has ended, so that it must be reset: bool [K]."""
        return self._world.ended.copy()

    @property
    def game_loop(self) -> np.ndarray:
        """Frames since the start of the episode: int32 [K]."""
        return self._world.game_loop.copy()

    @property
    def episode(self) -> np.ndarray:
        """Index of the episode, from 0; -1 before the first `reset`: int64 [K]."""
        return self._world.episode.copy()

    def reset(self, games: Optional[np.ndarray] = None) -> None:
        """Starts the next episode of some games, even if the current one has not ended.

        Args:
          games: bool [K]; None selects all games.

        Raises:
          ValueError: if `games` is not bool [K].
        """
        chosen = np.ones([self.num_games], bool) if games is None else np.asarray(games)
        if chosen.shape != (self.num_games,) or chosen.dtype != bool:
            raise ValueError(
                f'games is an array of {chosen.dtype} {list(chosen.shape)}; '
                f'expected bool [{self.num_games}].'
            )
        chosen = np.flatnonzero(chosen)
        self._available = None
        self._world.restart(chosen)
        self._rules.start(self._world, chosen)

    @property
    def world(self) -> World:
        """The full state of the games, for callers that need more than a player can observe."""
        return self._world

    def act(
        self,
        function_id: np.ndarray,
        arguments: Mapping[str, Any],
        place: Optional[Tuple[np.ndarray, np.ndarray]] = None,
    ) -> None:
        """Executes one PySC2 function call in every game; units obey from the next frame on.

        Any argument value is accepted: points outside the image are clipped to the nearest pixel,
        `queued` and `select_add` are true unless they are 0. A function that is not available, an
        act or index that does not exist, and a call after the end of the episode change only
        `action_result`. Calls without `advance` in between are all executed, and the last result
        is kept.

        Args:
          function_id: int [K].
          arguments: dict from PySC2's argument name to int [K, 2], (x, y) pixels, for screen,
            minimap and screen2, and to int [K] for all others. Missing arguments are 0.
          place: overrides the target of screen and minimap functions: points of the world, float64
            [2, K], and slots of the units there, int [K] with NO_UNIT for none. The pixel arguments
            are then ignored.

        Raises:
          ValueError: if a name is unknown, or an array has the wrong shape or is not of integers.
        """
        function = integers('function_id', function_id, [self.num_games])
        checked = Arguments(arguments, self.num_games, place)
        exists = (function >= 0) & (function < NUM_FUNCTIONS)
        function = np.where(exists, function, 0).astype(np.int64)
        available = self._available_actions()[np.arange(self.num_games), function]
        allowed = exists & available & ~self._world.ended
        self._available = None
        actions.execute(self._world, function, checked, allowed)

    def select(self, chosen: np.ndarray) -> None:
        """Selects the units of player 1 among `chosen`, bool [K, U], on or off the screen."""
        units = self._world.units
        units.selected[...] = chosen & units.own
        self._available = None

    def advance(self, loops: np.ndarray) -> None:
        """Advances every game by its own number of frames, at most to the end of its episode.

        Args:
          loops: int [K], at least 0.

        Raises:
          ValueError: if `loops` has another shape or type, or a negative entry.
        """
        loops = integers('loops', loops, [self.num_games])
        if loops.min() < 0:
            raise ValueError(f'loops holds {loops.min()}; expected at least 0.')
        world, rules = self._world, self._rules
        self._available = None
        left = np.where(world.ended, 0, np.minimum(loops, rules.episode_loops - world.game_loop))
        for loop in range(left.max()):
            running = (loop < left) & ~world.ended
            world.game_loop += running
            world.died[:] = False
            for mechanic in world.mechanics.values():
                mechanic.step(world, running)
            movement.walk(world.units, running)
            movement.push_apart(world.units, running, world.arena.playable)
            rules.step(world, running)
            world.ended |= running & (world.game_loop == rules.episode_loops)

    def observe(self) -> Dict[str, Any]:
        """Returns the current observation.

        Returns:
          'screen', 'minimap': dicts from the requested layers to unsigned [K, height, width]. These
            are the simulator's own buffers, overwritten by the next `observe`.
          'available_actions': bool [K, 573].
          'player': int32 [K, 11]. 'score_cumulative': int32 [K, 13]. 'game_loop': int32 [K, 1].
          'single_select': int32 [K, 1, 7], 'multi_select': int32 [K, MAX_SELECTED, 7], and the
            number of rows in use, 'single_select_count' and 'multi_select_count':
            int32 [K]. All other rows are zero.
          'control_groups': int32 [K, 10, 2].
          'action_result': int32 [K, 1], the error code of the last action, or 0.
          'last_actions': int32 [K, 1], the function that the last action executed, or 0.
          'alerts': int32 [K, MAX_ALERTS], codes of the alerts since the last action, then 0.
          'build_queue': int32 [K, 5, 7], 'production_queue': int32 [K, 5, 2] of a building that is
            the only selected unit, and the number of rows in use, 'build_queue_count': int32 [K].
        """
        world = self._world
        self._renderer.draw(world)
        return {
            'screen': self._renderer.screen.pictures,
            'minimap': self._renderer.minimap.pictures,
            'available_actions': self._available_actions().copy(),
            'player': observation.player(world),
            'score_cumulative': observation.score_cumulative(world),
            'control_groups': observation.control_groups(world),
            'game_loop': world.game_loop[:, None].copy(),
            'action_result': world.action_result[:, None].copy(),
            'last_actions': world.last_action[:, None].copy(),
            'alerts': observation.alerts(world),
            **observation.selection(world),
            **economy_observation.queues(world),
        }

    def feature_units(self) -> np.ndarray:
        """Returns the units on the screen, see `feature_units`: int32 [K, MAX_FEATURE_UNITS, 46].

        Separate from `observe`, because PySC2 computes this observation only on request.
        """
        return feature_units.feature_units(self._world)

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns everything needed to resume the games exactly: copies of arrays, by name."""
        return self._world.get_state()

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state returned by `get_state` of this batch or of one with the same arguments.

        Raises:
          ValueError: if names, shapes or dtypes differ; nothing is changed.
        """
        self._world.set_state(state)
        self._available = None

    def _available_actions(self) -> np.ndarray:
        """Returns the functions that can be called, bool [K, 573]; cached."""
        if self._available is None:
            self._available = observation.available_actions(self._world)
        return self._available


def make(
    map_name: str,
    seeds: Sequence[int],
    screen_size: Tuple[int, int],
    minimap_size: Tuple[int, int],
    screen_layers: Sequence[str] = (),
    minimap_layers: Sequence[str] = (),
) -> GameBatch:
    """Creates a batch of K games of one map.

    Args:
      map_name: one of MAP_NAMES.
      seeds: K ints in 0..2**64 - 1, one per game.
      screen_size, minimap_size: (width, height) in pixels.
      screen_layers, minimap_layers: names of the feature layers to draw, see `layers`.

    Raises:
      ValueError: if the map or a layer is unknown, or a seed or size is out of range.
    """
    return GameBatch(map_name, seeds, screen_size, minimap_size, screen_layers, minimap_layers)


def _size(name: str, size: Tuple[int, int]) -> Tuple[int, int]:
    pair = np.asarray(size)
    if pair.shape != (2,) or pair.dtype.kind not in 'iu' or pair.min() < 1:
        raise ValueError(f'{name} is {size!r}; expected (width, height) of at least one pixel.')
    return int(pair[0]), int(pair[1])

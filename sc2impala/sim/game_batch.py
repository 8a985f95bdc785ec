"""K games of one mini-game, played side by side: the interface of the simulator."""

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
"""The maps that can be played."""


class GameBatch:
    """K games of one map. None has begun yet: `reset` starts their first episodes.

    Every episode is a function of the game's seed, the episode's index and the actions, whatever
    the other games of the batch do. Two batches are equal when their `get_state` is.
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
        """Game loops of a whole episode."""
        return self._rules.episode_loops

    @property
    def score(self) -> np.ndarray:
        """The score of the running, or just ended, episode: int64 [K]."""
        return self._world.score.copy()

    @property
    def ended(self) -> np.ndarray:
        """Which games wait for `reset`: bool [K]."""
        return self._world.ended.copy()

    @property
    def game_loop(self) -> np.ndarray:
        """Game loops since the episode began: int32 [K]."""
        return self._world.game_loop.copy()

    @property
    def episode(self) -> np.ndarray:
        """Index of the episode, from 0; -1 before the first `reset`: int64 [K]."""
        return self._world.episode.copy()

    def reset(self, games: Optional[np.ndarray] = None) -> None:
        """Starts the next episode of some games, whether or not the last one has ended.

        Args:
          games: bool [K]; None stands for all.

        Raises:
          ValueError: if `games` is something else.
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
        """The state of the games, for those who show or change more of it than a player can."""
        return self._world

    def act(
        self,
        function_id: np.ndarray,
        arguments: Mapping[str, Any],
        place: Optional[Tuple[np.ndarray, np.ndarray]] = None,
    ) -> None:
        """Carries out one PySC2 function call in every game; units obey from the next loop on.

        No value is an error: points outside the picture count as the nearest pixel, `queued` and
        `select_add` as true unless they are 0. A function that is not available, an act or index
        that does not exist, and any call after the end change nothing but `action_result`. Of
        several calls without `advance` in between all are carried out; the last result is kept.

        Args:
          function_id: int [K].
          arguments: by PySC2's names of arguments, int [K, 2] as (x, y) pixels for screen, minimap
            and screen2, int [K] for all others. Absent ones count as 0.
          place: points of the world, float64 [2, K], and slots of units there, int [K], NO_UNIT for
            none: what functions of the screen and minimap aim at, whatever the pixels are.

        Raises:
          ValueError: if a name is unknown, a shape is wrong, or there are no integers.
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
        """Makes player 1's units among those bool [K, U] the selection, wherever they are."""
        units = self._world.units
        units.selected[...] = chosen & units.own
        self._available = None

    def advance(self, loops: np.ndarray) -> None:
        """Lets time pass, in each game as much as is asked for, but not beyond its episode's end.

        Args:
          loops: int [K], at least 0.

        Raises:
          ValueError: if `loops` is something else.
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
        """What the player sees now.

        Returns:
          'screen', 'minimap': dicts from the layers that were asked for to unsigned [K, height,
            width]. These are the simulator's own buffers: the next `observe` draws into them again.
          'available_actions': bool [K, 573].
          'player': int32 [K, 11]. 'score_cumulative': int32 [K, 13]. 'game_loop': int32 [K, 1].
          'single_select': int32 [K, 1, 7], 'multi_select': int32 [K, MAX_SELECTED, 7], and the
            number of rows of them that hold a unit, 'single_select_count' and 'multi_select_count':
            int32 [K]. All other rows are zero.
          'control_groups': int32 [K, 10, 2].
          'action_result': int32 [K, 1], the error of the last action, or 0.
          'last_actions': int32 [K, 1], the function that the last action carried out, or 0.
          'alerts': int32 [K, MAX_ALERTS], codes of what happened since the last action, then 0.
          'build_queue': int32 [K, 5, 7], 'production_queue': int32 [K, 5, 2] and the number of rows
            of them that count, 'build_queue_count': int32 [K], of a building selected alone.
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
        """The units on the screen, see `feature_units`: int32 [K, MAX_FEATURE_UNITS, 46].

        PySC2 gives this observation only if asked to, and so it is no part of `observe`.
        """
        return feature_units.feature_units(self._world)

    def get_state(self) -> Dict[str, np.ndarray]:
        """Everything that makes the games go on exactly: copies of arrays, by name."""
        return self._world.get_state()

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes back to a state that `get_state` gave, here or in an equally made batch.

        Raises:
          ValueError: if names, shapes or dtypes are others; nothing is changed then.
        """
        self._world.set_state(state)
        self._available = None

    def _available_actions(self) -> np.ndarray:
        """Which functions can be called: bool [K, 573], kept until something changes."""
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
    """Makes K games of one map.

    Args:
      map_name: one of MAP_NAMES.
      seeds: K ints in 0..2**64 - 1, one per game.
      screen_size, minimap_size: (width, height) in pixels.
      screen_layers, minimap_layers: names of the feature layers to draw, see `layers`.

    Raises:
      ValueError: if the map or a layer is unknown, or a seed or size is no such number.
    """
    return GameBatch(map_name, seeds, screen_size, minimap_size, screen_layers, minimap_layers)


def _size(name: str, size: Tuple[int, int]) -> Tuple[int, int]:
    pair = np.asarray(size)
    if pair.shape != (2,) or pair.dtype.kind not in 'iu' or pair.min() < 1:
        raise ValueError(f'{name} is {size!r}; expected (width, height) of at least one pixel.')
    return int(pair[0]), int(pair[1])

"""A batch of K games of one mini-game: the public interface of the simulator."""

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from sc2impala.sim import (
    compile_ahead,
    counter_random,
    functions,
    geometry,
    kernels,
    observation,
    variants,
)
from sc2impala.sim import rules as rules_lib
from sc2impala.sim.drawing import Drawing
from sc2impala.sim.feature_units import COLUMNS
from sc2impala.sim.games import GAMES
from sc2impala.sim.games.game import Game
from sc2impala.sim.limits import MAX_FEATURE_UNITS
from sc2impala.sim.unit_types import SELF
from sc2impala.sim.units import NO_UNIT

MAP_NAMES = tuple(sorted(GAMES))
"""Names of the supported maps."""


class GameBatch:
    """A vector of K games of one map. `reset` starts their first episodes.

    An episode is a function of the game's seed, the episode index and the actions; it does not
    depend on the other games of the batch. Two batches with equal `get_state` continue equally.

    games: the state of the games, one record each; see `state`. Its fields can be read and written,
      as in games.health[k, i]. rules: the constants of the map, one record; see `rules`.
    """

    def __init__(
        self,
        map_name: str,
        seeds: Sequence[int],
        screen_size: Tuple[int, int],
        minimap_size: Tuple[int, int],
        screen_layers: Sequence[str] = (),
        minimap_layers: Sequence[str] = (),
        rules: Optional[Mapping[str, float]] = None,
    ):
        """See `make`."""
        if map_name not in GAMES:
            raise ValueError(f'map_name is {map_name!r}; expected one of {list(MAP_NAMES)}.')
        self._map = GAMES[map_name]
        sizes = _size('screen_size', screen_size), _size('minimap_size', minimap_size)
        checked = counter_random.check_seeds(seeds)
        self._unit_types, constants = variants.apply(self._map.unit_types, rules or {})
        self._rules = self._map.rules(*sizes, self._unit_types, constants).view(np.ndarray)
        self._blank = self._map.family.blank().view(np.ndarray)
        self._games = np.repeat(self._blank, len(checked))
        self._games['seed'], self._games['ended'] = checked, True
        self._layers = tuple(screen_layers), tuple(minimap_layers)
        self._drawing = Drawing(self._rules, len(checked), *self._layers)
        self._built: Optional[Tuple[kernels.MapKernels, kernels.FamilyKernels]] = None
        self._available = np.zeros([len(checked), functions.NUM_FUNCTIONS], np.uint8)
        self._available_is_current = False

    def _compiled(self) -> Tuple[kernels.MapKernels, kernels.FamilyKernels]:
        """The kernels. The first use waits for their compilation, the construction does not."""
        if self._built is None:
            compile_ahead.prepare(self._map.name)
            self._built = kernels.build_map(self._map), kernels.build_family(self._map.family)
        return self._built

    @property
    def _map_kernels(self) -> kernels.MapKernels:
        return self._compiled()[0]

    @property
    def _kernels(self) -> kernels.FamilyKernels:
        return self._compiled()[1]

    @property
    def games(self) -> np.recarray:
        """The records of the games."""
        return self._games.view(np.recarray)

    @property
    def rules(self) -> np.record:
        """The record of the map."""
        return self._rules[0]

    @property
    def rules_array(self) -> np.ndarray:
        """The record of the map, as an array of one record."""
        return self._rules

    @property
    def blank(self) -> np.ndarray:
        """A game without units, as an array of one record."""
        return self._blank

    @property
    def definition(self) -> Game:
        """The map."""
        return self._map

    @property
    def num_games(self) -> int:
        """K."""
        return len(self._games)

    @property
    def episode_loops(self) -> int:
        """Length of a full episode in frames."""
        return self._map.episode_loops

    @property
    def unit_types(self) -> Tuple[Any, ...]:
        """The UnitTypes of the map; the type of a unit is an index into them."""
        return self._unit_types

    @property
    def score(self) -> np.ndarray:
        """Score of the current or just ended episode: int64 [K]."""
        return self._games['score'].copy()

    @property
    def ended(self) -> np.ndarray:
        """Returns whether each game has ended and must be reset, bool [K]."""
        return self._games['ended'] != 0

    @property
    def game_loop(self) -> np.ndarray:
        """Frames since the start of the episode: int32 [K]."""
        return self._games['game_loop'].copy()

    @property
    def episode(self) -> np.ndarray:
        """Index of the episode, from 0; -1 before the first `reset`: int64 [K]."""
        return self._games['episode'].copy()

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
        self._available_is_current = False
        self._map_kernels.restart(self._games, self._rules, self._blank, chosen)

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
        calls = functions.calls(function_id, arguments, self.num_games, place)
        available = self._available_actions()
        self._available_is_current = False
        self._kernels.act(self._games, self._rules, calls, available)

    def select(self, chosen: np.ndarray) -> None:
        """Selects the units of player 1 among `chosen`, bool [K, U], on or off the screen."""
        own = (self._games['alive'] != 0) & (self._games['owner'] == SELF)
        self._games['selected'] = chosen & own
        self._available_is_current = False

    def advance(self, loops: np.ndarray) -> None:
        """Advances every game by its own number of frames, at most to the end of its episode.

        Args:
          loops: int [K], at least 0.

        Raises:
          ValueError: if `loops` has another shape or type, or a negative entry.
        """
        loops = functions.integers('loops', loops, (self.num_games,))
        if loops.min() < 0:
            raise ValueError(f'loops holds {loops.min()}; expected at least 0.')
        self._available_is_current = False
        self._map_kernels.advance(self._games, self._rules, loops.astype(np.int64))

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
        self._kernels.draw(self._games, self._rules, *self._drawing.arrays)
        observed = np.zeros([self.num_games], observation.OBSERVATION)
        self._kernels.observe(self._games, self._rules, observed)
        found: Dict[str, Any] = {name: observed[name] for name in observed.dtype.names or ()}
        found['screen'] = dict(self._drawing.screen)
        found['minimap'] = dict(self._drawing.minimap)
        found['available_actions'] = self.available_actions()
        return found

    def available_actions(self) -> np.ndarray:
        """Returns whether each function can be called now: bool [K, 573]."""
        return self._available_actions().astype(bool)

    def feature_units(self, screen_size: Optional[Tuple[int, int]] = None) -> np.ndarray:
        """Returns the units on the screen, see `feature_units`: int32 [K, MAX_FEATURE_UNITS, 46].

        Separate from `observe`, because PySC2 computes this observation only on request.

        Args:
          screen_size: (width, height) of the screen in whose pixels positions and radii are given;
            None for that of the layers.
        """
        rows = np.zeros([self.num_games, MAX_FEATURE_UNITS, len(COLUMNS)], np.int32)
        rules = self._rules
        if screen_size is not None:
            rules = rules_lib.with_screen_size(rules, screen_size)
        self._kernels.list_units(self._games, rules, rows)
        return rows

    def describe_units(self) -> Tuple[np.ndarray, np.ndarray]:
        """Describes the units that player 1 sees, on and off the screen.

        Returns:
          rows: float64 [K, U, 46], the columns of `feature_units`, except for the positions and
            without truncation.
          slots: int64 [K, U], the slot of the unit of each row, NO_UNIT after the last one.
        """
        slots = np.full(self._games['alive'].shape, NO_UNIT, np.int64)
        rows = np.zeros(slots.shape + (len(COLUMNS),))
        self._kernels.describe_units(self._games, self._rules, rows, slots)
        return rows, slots

    def lift_fog(self) -> None:
        """Disables the fog of war: player 1 sees the whole map from now on."""
        self._rules['has_fog'] = False
        self._games['_visibility_changed'] = True

    def crop_minimap(self, area: geometry.Rectangle) -> None:
        """Makes the minimap show an area of the map, instead of all of it; before `reset`."""
        rules_lib.crop_minimap(self._rules, area)
        self._drawing = Drawing(self._rules, self.num_games, *self._layers)

    def run(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Runs a kernel, see `kernels`, on all games with further arguments."""
        kernel(self._games, self._rules, *arguments)

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns everything needed to resume the games exactly: copies of arrays, by name."""
        return {name: self._games[name].copy() for name in self._saved()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state returned by `get_state` of this batch or of one with the same arguments.

        Raises:
          ValueError: if names, shapes or dtypes differ; nothing is changed.
        """
        names = self._saved()
        if set(state) != set(names):
            raise ValueError(f'state holds {sorted(state)}; expected {sorted(names)}.')
        for name in names:
            given, array = np.asarray(state[name]), self._games[name]
            if (given.shape, given.dtype) != (array.shape, array.dtype):
                raise ValueError(
                    f'state[{name!r}] is {given.dtype} {given.shape}; '
                    f'expected {array.dtype} {array.shape}.'
                )
        self._games[:] = self._blank
        for name in names:
            self._games[name] = state[name]
        self._available_is_current = False

    def records(self) -> np.ndarray:
        """Returns all games as records [K] of the fields that are not derived from others."""
        return self._copied(slice(None))

    def record(self, k: int) -> np.void:
        """Returns a copy of game `k`, as `records` does."""
        return self._copied(slice(k, k + 1))[0]

    def continue_from(self, k: int, record: np.void) -> None:
        """Lets game `k` continue from the state of another one, with random numbers of its own.

        Args:
          k: index of the game.
          record: from `record` of a game of the same map.
        """
        names = ['episode', *[field.name for field in counter_random.FIELDS]]
        own = {name: self._games[name][k] for name in names}
        self._games[k] = self._blank[0]
        for name in self._saved():
            self._games[name][k] = own.get(name, record[name])
        self._available_is_current = False

    def _copied(self, games: slice) -> np.ndarray:
        """Returns packed records of the saved fields."""
        names, dtype = self._saved(), self._games.dtype
        copied = np.zeros(len(self._games[games]), [(name, dtype[name]) for name in names])
        for name in names:
            copied[name] = self._games[name][games]
        return copied

    def _saved(self) -> Tuple[str, ...]:
        """Returns the names of the fields that are not derived from others."""
        return tuple(name for name in self._games.dtype.names or () if not name.startswith('_'))

    def _available_actions(self) -> np.ndarray:
        """Returns the functions that can be called, uint8 [K, 573]; kept until a game changes."""
        if not self._available_is_current:
            self._kernels.list_actions(self._games, self._rules, self._available)
            self._available_is_current = True
        return self._available


def make(
    map_name: str,
    seeds: Sequence[int],
    screen_size: Tuple[int, int],
    minimap_size: Tuple[int, int],
    screen_layers: Sequence[str] = (),
    minimap_layers: Sequence[str] = (),
    rules: Optional[Mapping[str, float]] = None,
) -> GameBatch:
    """Creates a batch of K games of one map.

    Args:
      map_name: one of MAP_NAMES.
      seeds: K ints in 0..2**64 - 1, one per game.
      screen_size, minimap_size: (width, height) in pixels.
      screen_layers, minimap_layers: names of the feature layers to draw, see `layers`.
      rules: constants of the rules that differ from their defaults, by name: those of
        `variants.CONSTANTS`, and of unit types, as in {'facing': 1, 'marine.damage_point': 2.0}.

    Raises:
      ValueError: if the map, a layer or a constant is unknown, or a seed, a size or a constant is
        out of range.
    """
    return GameBatch(
        map_name, seeds, screen_size, minimap_size, screen_layers, minimap_layers, rules
    )


def check_rules(map_name: str, rules: Mapping[str, float]) -> None:
    """Checks constants of the rules as `make` does.

    Raises:
      ValueError: if one is unknown on the map or out of range.
    """
    variants.apply(GAMES[map_name].unit_types, rules)


def _size(name: str, size: Tuple[int, int]) -> Tuple[int, int]:
    pair = np.asarray(size)
    if pair.shape != (2,) or pair.dtype.kind not in 'iu' or pair.min() < 1:
        raise ValueError(f'{name} is {size!r}; expected (width, height) of at least one pixel.')
    return int(pair[0]), int(pair[1])

"""The state of K games: everything needed to resume them, as arrays that are changed in place.

Axes: K games, U unit slots per game, of which the first M are for units that can move, Q orders per
unit, G control groups. Arrays of points have an additional leading axis of size 2 (x, y).
"""

from typing import Any, Dict, Mapping, Sequence

import numpy as np

from sc2impala.sim import alerts, geometry, orders, unit_types
from sc2impala.sim.counter_random import CounterRandom
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.units import Units


class World:
    """The units, scores and clocks of K games of one map.

    Attributes:
      arena: the Arena of the map. screen, minimap: Views.
      units: Units. random: CounterRandom.
      mechanics: dict from name to Mechanic, in the order in which they step.
      episode: int64 [K], -1 before the first. game_loop: int32 [K]. ended: bool [K].
      score, minerals, vespene: int64 [K]; minerals and vespene are those that player 1 can spend.
      camera: float64 [2, K], the middle of the screen.
      terrain_changed: bool [K], whether the terrain layers must be redrawn.
      died: bool [K, U], the units that died in this frame; their type and owner can still be read.
      action_result: int32 [K], error code of the last action, or 0.
      last_action: int32 [K], id of the function that the last action executed.
      alerts: bool [K, NUM_ALERTS], alerts raised since the last action; see `alerts`.
    """

    FIELDS = (
        'episode',
        'game_loop',
        'ended',
        'score',
        'minerals',
        'vespene',
        'camera',
        'action_result',
        'last_action',
        'alerts',
    )

    def __init__(
        self,
        seeds: Sequence[int],
        arena: geometry.Arena,
        units: Units,
        screen: geometry.View,
        minimap: geometry.View,
        mechanics: Sequence[Mechanic] = (),
    ):
        """Creates K = len(seeds) games, all marked as ended until `restart`."""
        self.random = CounterRandom(seeds)
        self.arena = arena
        self.units = units
        self.screen = screen
        self.minimap = minimap
        # Any: every mechanic has its own public methods.
        self.mechanics: Dict[str, Any] = {mechanic.name: mechanic for mechanic in mechanics}
        self.num_games = len(self.random.seed)
        self.episode = np.full([self.num_games], -1, np.int64)
        self.game_loop = np.zeros([self.num_games], np.int32)
        self.ended = np.ones([self.num_games], bool)
        self.score = np.zeros([self.num_games], np.int64)
        self.minerals = np.zeros([self.num_games], np.int64)
        self.vespene = np.zeros([self.num_games], np.int64)
        self.camera = np.zeros([2, self.num_games])
        self.terrain_changed = np.ones([self.num_games], bool)
        self.died = np.zeros_like(units.alive)
        self.action_result = np.zeros([self.num_games], np.int32)
        self.last_action = np.zeros([self.num_games], np.int32)
        self.alerts = np.zeros([self.num_games, alerts.NUM_ALERTS], bool)

    def restart(self, games: np.ndarray) -> None:
        """Resets the games int [n] to the start of their next episode, without units."""
        self.episode[games] += 1
        self.random.restart(games, self.episode[games])
        self.units.clear(games)
        for mechanic in self.mechanics.values():
            mechanic.restart(self, games)
        self.game_loop[games] = 0
        self.ended[games] = False
        for amount in (self.score, self.minerals, self.vespene):
            amount[games] = 0
        self.look_at(games, np.array(self.arena.camera)[:, None])
        self.action_result[games] = 0
        self.last_action[games] = 0
        self.alerts[games] = False

    def place(
        self,
        games: np.ndarray,
        slots: slice,
        unit_type: unit_types.UnitType,
        owner: int,
        points: np.ndarray,
    ) -> None:
        """Creates idle units of full health in slots.

        Args:
          games: int [n].
          slots: the same s slots in each of these games.
          unit_type: one of `units.types`.
          owner: SELF, ENEMY or NEUTRAL.
          points: float64 [2, n, s].
        """
        columns = np.arange(slots.start, slots.stop)
        rows, columns = np.broadcast_arrays(games[:, None], columns)
        points = np.broadcast_to(points, (2,) + rows.shape).reshape(2, -1)
        self.put(rows.reshape(-1), columns.reshape(-1), unit_type, owner, points)

    def put(
        self,
        games: np.ndarray,
        slots: np.ndarray,
        unit_type: unit_types.UnitType,
        owner: int,
        points: np.ndarray,
    ) -> None:
        """Like `place`, for any n slots: games and slots int [n], points float64 [2, n]."""
        self.units.put(games, slots, unit_type, owner, points)
        for mechanic in self.mechanics.values():
            mechanic.forget(games, slots)

    def relocate(self, games: np.ndarray, slots: np.ndarray, points: np.ndarray) -> None:
        """Moves n living units to other points and clears their orders.

        Mechanics clear their state of these units, as for new units.

        Args:
          games, slots: int [n].
          points: float64 [2, n].
        """
        self.units.position[:, games, slots] = points
        self.units.order_kind[games, slots] = orders.IDLE
        orders.begin(self.units, (games, slots))
        for mechanic in self.mechanics.values():
            mechanic.forget(games, slots)

    def kill(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Removes n living units, int [n] each, from the game and marks them in `died`.

        Orders that target them are dropped; a unit that was executing one starts its next order.
        """
        self.died[games, slots] = True
        self.units.remove(games, slots)
        orders.drop_target(self.units, games, slots)
        for mechanic in self.mechanics.values():
            mechanic.forget(games, slots)

    def look_at(self, games: np.ndarray, points: np.ndarray) -> None:
        """Points the cameras of the games int [n] at points float64 [2, n] or [2, 1]."""
        self.terrain_changed[games] |= (self.camera[:, games] != points).any(0)
        self.camera[:, games] = points

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns copies of all arrays, by name."""
        return {name: array.copy() for name, array in self._arrays().items()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state returned by `get_state` of a world of the same map and number of games.

        Raises:
          ValueError: if names, shapes or dtypes differ from those of this world; nothing is
            changed.
        """
        arrays = self._arrays()
        if set(state) != set(arrays):
            raise ValueError(f'state holds {sorted(state)}; expected {sorted(arrays)}.')
        for name, array in arrays.items():
            given = np.asarray(state[name])
            if (given.shape, given.dtype) != (array.shape, array.dtype):
                raise ValueError(
                    f'state[{name!r}] is {given.dtype} {given.shape}; '
                    f'expected {array.dtype} {array.shape}.'
                )
        for name, array in arrays.items():
            array[...] = state[name]
        self.terrain_changed[:] = True
        self.died[:] = False

    def _arrays(self) -> Dict[str, np.ndarray]:
        parts: Dict[str, Any] = {'': self, 'units/': self.units, 'random/': self.random}
        parts.update((name + '/', mechanic) for name, mechanic in self.mechanics.items())
        return {
            prefix + name: getattr(part, name)
            for prefix, part in parts.items()
            for name in part.FIELDS
        }

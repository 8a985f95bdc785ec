"""The state of K games: everything that a restart needs, as arrays that are changed in place.

Axes: K games, U unit slots of a game, M of them (the first ones) for units that can move, Q orders
of a unit, G control groups. Points have their axis of two before K.
"""

from typing import Dict, Mapping, Sequence

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.counter_random import CounterRandom

NUM_CONTROL_GROUPS = 10  # [S] ACT
MAX_ORDERS = 8  # The one being carried out included. [U]


class Units:
    """The units of K games; a slot holds one while it is `alive`.

    Attributes:
      position: float64 [2, K, U]. alive: bool [K, U]. type: int8 [K, U], index into `types`.
      owner: uint8 [K, U]. health: float64 [K, U].
      selected: bool [K, U] and control_groups: bool [K, G, U], only ever living units of player 1.
      order_kind: int8 [K, M, Q] and order_point: float64 [2, K, M, Q]; the first is carried out.
      goal: float64 [2, K, M], where the unit walks now; its own position when it stands.
      patrol_origin: float64 [2, K, M], the other end of the patrol that is carried out.
      types: the UnitTypes that can occur; stats: the same as arrays.
      num_mobile: M. others: int [M, M - 1], all slots of these but the unit's own.
    """

    FIELDS = (
        'position',
        'alive',
        'type',
        'owner',
        'health',
        'selected',
        'control_groups',
        'order_kind',
        'order_point',
        'goal',
        'patrol_origin',
    )

    def __init__(
        self,
        num_games: int,
        num_units: int,
        num_mobile: int,
        types: Sequence[unit_types.UnitType],
    ):
        """Makes K games of U slots without units; the first M slots can move."""
        self.types = tuple(types)
        self.stats = unit_types.tabulate(types)
        self.num_mobile = num_mobile
        self.others = np.array(
            [[other for other in range(num_mobile) if other != slot] for slot in range(num_mobile)]
        )
        self.position = np.zeros([2, num_games, num_units])
        self.alive = np.zeros([num_games, num_units], bool)
        self.type = np.zeros([num_games, num_units], np.int8)
        self.owner = np.zeros([num_games, num_units], np.uint8)
        self.health = np.zeros([num_games, num_units])
        self.selected = np.zeros([num_games, num_units], bool)
        self.control_groups = np.zeros([num_games, NUM_CONTROL_GROUPS, num_units], bool)
        self.order_kind = np.zeros([num_games, num_mobile, MAX_ORDERS], np.int8)
        self.order_point = np.zeros([2, num_games, num_mobile, MAX_ORDERS])
        self.goal = np.zeros([2, num_games, num_mobile])
        self.patrol_origin = np.zeros([2, num_games, num_mobile])

    @property
    def own(self) -> np.ndarray:
        """Which slots hold units of player 1: bool [K, U]."""
        return self.alive & (self.owner == unit_types.SELF)

    def clear(self, games: np.ndarray) -> None:
        """Takes every unit, selection, control group and order out of the games int [n]."""
        for points in (self.position, self.order_point, self.goal, self.patrol_origin):
            points[:, games] = 0
        for values in (self.alive, self.type, self.owner, self.health, self.order_kind):
            values[games] = 0
        self.selected[games] = False
        self.control_groups[games] = False

    def place(
        self,
        games: np.ndarray,
        slots: slice,
        unit_type: unit_types.UnitType,
        owner: int,
        points: np.ndarray,
    ) -> None:
        """Puts new, idle units of full health into slots.

        Args:
          games: int [n].
          slots: the same s slots in each of them.
          unit_type: one of `types`.
          owner: SELF, ENEMY or NEUTRAL.
          points: float64 [2, n, s].
        """
        self.position[:, games, slots] = points
        self.alive[games, slots] = True
        self.type[games, slots] = self.types.index(unit_type)
        self.owner[games, slots] = owner
        self.health[games, slots] = unit_type.health
        mobile = slice(slots.start, min(slots.stop, self.num_mobile))
        self.order_kind[games, mobile] = 0
        self.goal[:, games, mobile] = self.position[:, games, mobile]


class World:
    """The units, scores and clocks of K games of one map.

    Attributes:
      arena: the Arena of the map. screen, minimap: Views.
      units: Units. random: CounterRandom.
      episode: int64 [K], -1 before the first. game_loop: int32 [K]. ended: bool [K].
      score, minerals: int64 [K].
      camera: float64 [2, K], the middle of the screen.
      terrain_changed: bool [K], where the ground must be drawn again, or was never drawn.
      action_result: int32 [K], error of the last action or 0.
      last_action: int32 [K], function that the last action carried out.
    """

    FIELDS = (
        'episode',
        'game_loop',
        'ended',
        'score',
        'minerals',
        'camera',
        'action_result',
        'last_action',
    )

    def __init__(
        self,
        seeds: Sequence[int],
        arena: geometry.Arena,
        units: Units,
        screen: geometry.View,
        minimap: geometry.View,
    ):
        """Makes K = len(seeds) games that have ended before they began."""
        self.random = CounterRandom(seeds)
        self.arena = arena
        self.units = units
        self.screen = screen
        self.minimap = minimap
        self.num_games = len(self.random.seed)
        self.episode = np.full([self.num_games], -1, np.int64)
        self.game_loop = np.zeros([self.num_games], np.int32)
        self.ended = np.ones([self.num_games], bool)
        self.score = np.zeros([self.num_games], np.int64)
        self.minerals = np.zeros([self.num_games], np.int64)
        self.camera = np.zeros([2, self.num_games])
        self.terrain_changed = np.ones([self.num_games], bool)
        self.action_result = np.zeros([self.num_games], np.int32)
        self.last_action = np.zeros([self.num_games], np.int32)

    def restart(self, games: np.ndarray) -> None:
        """Sets the games int [n] to the beginning of their next episode, without units."""
        self.episode[games] += 1
        self.random.restart(games, self.episode[games])
        self.units.clear(games)
        self.game_loop[games] = 0
        self.ended[games] = False
        self.score[games] = 0
        self.minerals[games] = 0
        self.look_at(games, np.array(self.arena.camera)[:, None])
        self.action_result[games] = 0
        self.last_action[games] = 0

    def look_at(self, games: np.ndarray, points: np.ndarray) -> None:
        """Points the cameras of the games int [n] at points float64 [2, n] or [2, 1]."""
        self.terrain_changed[games] |= (self.camera[:, games] != points).any(0)
        self.camera[:, games] = points

    def get_state(self) -> Dict[str, np.ndarray]:
        """Copies of all arrays, by name."""
        return {name: array.copy() for name, array in self._arrays().items()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Takes over what `get_state` gave, of a world of the same map and number of games.

        Raises:
          ValueError: if names, shapes or dtypes are not those of this world; nothing is changed.
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

    def _arrays(self):
        parts = {'': self, 'units/': self.units, 'random/': self.random}
        return {
            prefix + name: getattr(part, name)
            for prefix, part in parts.items()
            for name in part.FIELDS
        }

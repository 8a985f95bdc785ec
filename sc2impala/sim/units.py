"""The units of K games. The axes are those of `world`."""

from typing import Sequence, Tuple

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.neighbours import Neighbours

NUM_CONTROL_GROUPS = 10  # [S] ACT
MAX_ORDERS = 8  # The one being carried out included. [U]
FEW_SLOTS = 32  # So few are looked at together, whether they are used or not.
NO_UNIT = -1
"""Stands for a slot where there may be none."""


class Units:
    """The units of K games; a slot holds one while it is `alive`.

    Attributes:
      position: float64 [2, K, U]. alive: bool [K, U]. type: int8 [K, U], index into `types`.
      owner: uint8 [K, U]. health: float64 [K, U].
      selected: bool [K, U] and control_groups: bool [K, G, U], only ever living units of player 1.
      order_kind: int8 [K, M, Q], see `orders`; the first is carried out. Of each order:
        order_point: float64 [2, K, M, Q], where it leads. order_target: int16 [K, M, Q], the slot
        of the unit it aims at, or NO_UNIT. order_type: int8 [K, M, Q], index into `types` of what
        it builds.
      goal: float64 [2, K, M], where the unit walks now; its own position when it stands.
      busy: bool [K, M], whether a mechanic has taken over: it sets the goal at every loop, and
        reaching the goal ends no order.
      solid: bool [K, M], whether it bumps into other units.
      bound: bool [K, M], whether it takes no orders but those that wait in its queue.
      inside: bool [K, M], whether it is in a building, where nobody sees it.
      detour: bool [K, M], whether it walks to its `waypoint`, float64 [2, K, M], before its goal.
      side: int8 [K, M], to which side a busy unit on its way is pushed by those that stand: 1 is
        left, -1 right; 0 where nobody is in its way.
      patrol_origin: float64 [2, K, M], the other end of the patrol that is carried out.
      unfinished: int16 [K, U], game loops of work until a building is complete.
      active: bool [K, U], whether a building produces something.
      types: the UnitTypes that can occur; stats: the same as arrays.
      num_mobile: M. neighbours: Neighbours, which finds units that touch.
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
        'order_target',
        'order_type',
        'goal',
        'busy',
        'solid',
        'bound',
        'inside',
        'waypoint',
        'detour',
        'side',
        'patrol_origin',
        'unfinished',
        'active',
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
        self.neighbours = Neighbours(num_games, num_units, num_mobile)
        self.position = np.zeros([2, num_games, num_units])
        self.alive = np.zeros([num_games, num_units], bool)
        self.type = np.zeros([num_games, num_units], np.int8)
        self.owner = np.zeros([num_games, num_units], np.uint8)
        self.health = np.zeros([num_games, num_units])
        self.selected = np.zeros([num_games, num_units], bool)
        self.control_groups = np.zeros([num_games, NUM_CONTROL_GROUPS, num_units], bool)
        self.order_kind = np.zeros([num_games, num_mobile, MAX_ORDERS], np.int8)
        self.order_point = np.zeros([2, num_games, num_mobile, MAX_ORDERS])
        self.order_target = np.full([num_games, num_mobile, MAX_ORDERS], NO_UNIT, np.int16)
        self.order_type = np.zeros([num_games, num_mobile, MAX_ORDERS], np.int8)
        self.goal = np.zeros([2, num_games, num_mobile])
        self.busy = np.zeros([num_games, num_mobile], bool)
        self.solid = np.ones([num_games, num_mobile], bool)
        self.bound = np.zeros([num_games, num_mobile], bool)
        self.inside = np.zeros([num_games, num_mobile], bool)
        self.waypoint = np.zeros([2, num_games, num_mobile])
        self.detour = np.zeros([num_games, num_mobile], bool)
        self.side = np.zeros([num_games, num_mobile], np.int8)
        self.patrol_origin = np.zeros([2, num_games, num_mobile])
        self.unfinished = np.zeros([num_games, num_units], np.int16)
        self.active = np.zeros([num_games, num_units], bool)

    @property
    def own(self) -> np.ndarray:
        """Which slots hold units of player 1: bool [K, U]."""
        return self.alive & (self.owner == unit_types.SELF)

    def num_used(self) -> int:
        """How many of the slots for units that move must be looked at: up to the last living one.

        Where there are few slots it is all of them.
        """
        if self.num_mobile <= FEW_SLOTS:
            return self.num_mobile
        used = np.any(self.alive[:, : self.num_mobile], axis=0).nonzero()[0]
        return int(used[-1]) + 1 if used.size else 0

    def flat(self, games: np.ndarray, slots: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Where units, int [...] each, are in arrays [K, U] and [K, M] that are flattened."""
        return games * self.alive.shape[1] + slots, games * self.num_mobile + slots

    def clear(self, games: np.ndarray) -> None:
        """Takes every unit, selection, control group and order out of the games int [n]."""
        for points in (
            self.position,
            self.order_point,
            self.goal,
            self.waypoint,
            self.patrol_origin,
        ):
            points[:, games] = 0
        for values in (self.alive, self.type, self.owner, self.health):
            values[games] = 0
        for values in (self.order_kind, self.order_type, self.busy, self.bound, self.inside):
            values[games] = 0
        for values in (self.detour, self.side, self.unfinished, self.active):
            values[games] = 0
        self.order_target[games] = NO_UNIT
        self.solid[games] = True
        self.selected[games] = False
        self.control_groups[games] = False

    def put(
        self,
        games: np.ndarray,
        slots: np.ndarray,
        unit_type: unit_types.UnitType,
        owner: int,
        points: np.ndarray,
    ) -> None:
        """Puts new, idle units of full health into slots; `World.place` and `put` call this.

        Args:
          games, slots: int [n], of n units.
          unit_type: one of `types`.
          owner: SELF, ENEMY or NEUTRAL.
          points: float64 [2, n].
        """
        self.position[:, games, slots] = points
        self.alive[games, slots] = True
        self.type[games, slots] = self.types.index(unit_type)
        self.owner[games, slots] = owner
        self.health[games, slots] = unit_type.health
        self.unfinished[games, slots] = 0
        self.active[games, slots] = False
        self._stand(games, slots)

    def remove(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Takes n units, int [n] each, out of the game, the selection and all control groups."""
        self.alive[games, slots] = False
        self.health[games, slots] = 0
        self.unfinished[games, slots] = 0
        self.active[games, slots] = False
        self.selected[games, slots] = False
        self.control_groups[games, :, slots] = False
        self._stand(games, slots)

    def _stand(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Takes all orders away."""
        mobile = slots < self.num_mobile
        at = games[mobile], slots[mobile]
        self.order_kind[at] = 0
        self.order_target[at] = NO_UNIT
        for values in (self.busy, self.bound, self.inside, self.detour):
            values[at] = False
        self.solid[at] = True
        points = (slice(None),) + at
        self.goal[points] = self.position[points]

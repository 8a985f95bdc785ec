"""The units of K games. The axes are those of `world`."""

from typing import Sequence, Tuple

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.neighbours import Neighbours

NUM_CONTROL_GROUPS = 10  # [S] ACT
MAX_ORDERS = 8  # Including the current one. [U]
FEW_SLOTS = 32  # Up to this number all slots are processed, used or not.
NO_UNIT = -1
"""Slot number that means no unit."""


class Units:
    """The units of K games; a slot is in use while it is `alive`.

    Attributes:
      position: float64 [2, K, U]. alive: bool [K, U]. type: int8 [K, U], index into `types`.
      owner: uint8 [K, U]. health: float64 [K, U].
      selected: bool [K, U] and control_groups: bool [K, G, U], living units of player 1 only.
      order_kind: int8 [K, M, Q], see `orders`; the first order is the current one. For each order:
        order_point: float64 [2, K, M, Q], target point. order_target: int16 [K, M, Q], slot of the
        target unit, or NO_UNIT. order_type: int8 [K, M, Q], index into `types` of the building to
        build.
      goal: float64 [2, K, M], the point that the unit walks to; its own position when it stands.
      busy: bool [K, M], whether a mechanic controls the unit: it sets the goal in every frame, and
        reaching the goal does not end the order.
      solid: bool [K, M], whether it collides with other units.
      bound: bool [K, M], whether it accepts queued orders only.
      inside: bool [K, M], whether it is inside a building and therefore invisible.
      detour: bool [K, M], whether it walks to its `waypoint`, float64 [2, K, M], before its goal.
      side: int8 [K, M], the side to which a busy, walking unit is pushed by standing units: 1 left,
        -1 right, 0 if it is not blocked.
      patrol_origin: float64 [2, K, M], the other end of the current patrol.
      unfinished: int16 [K, U], frames of work until a building is complete.
      active: bool [K, U], whether a building is producing a unit.
      types: the UnitTypes that can occur; stats: the same as a UnitTable.
      num_mobile: M. neighbours: Neighbours, which finds touching units.
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
        """Creates K games of U empty slots; the first M slots are for units that can move."""
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
        """Living units of player 1: bool [K, U]."""
        return self.alive & (self.owner == unit_types.SELF)

    def num_used(self) -> int:
        """Returns the number of leading mobile slots that include all living mobile units.

        With at most FEW_SLOTS mobile slots it is always M.
        """
        if self.num_mobile <= FEW_SLOTS:
            return self.num_mobile
        used = np.any(self.alive[:, : self.num_mobile], axis=0).nonzero()[0]
        return int(used[-1]) + 1 if used.size else 0

    def flat(self, games: np.ndarray, slots: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the indices of units, int [...] each, in flattened arrays [K, U] and [K, M]."""
        return games * self.alive.shape[1] + slots, games * self.num_mobile + slots

    def clear(self, games: np.ndarray) -> None:
        """Removes all units, selections, control groups and orders of the games int [n]."""
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
        """Creates idle units of full health in slots; called by `World.place` and `World.put`.

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
        """Removes n units, int [n] each, from the game, the selection and all control groups."""
        self.alive[games, slots] = False
        self.health[games, slots] = 0
        self.unfinished[games, slots] = 0
        self.active[games, slots] = False
        self.selected[games, slots] = False
        self.control_groups[games, :, slots] = False
        self._stand(games, slots)

    def _stand(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Clears all orders."""
        mobile = slots < self.num_mobile
        at = games[mobile], slots[mobile]
        self.order_kind[at] = 0
        self.order_target[at] = NO_UNIT
        for values in (self.busy, self.bound, self.inside, self.detour):
            values[at] = False
        self.solid[at] = True
        points = (slice(None),) + at
        self.goal[points] = self.position[points]

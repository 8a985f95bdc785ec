"""Production: training queues and rally points of buildings."""

from typing import Dict, Tuple

import numpy as np

from sc2impala.sim import alerts, functions, orders, results, unit_types
from sc2impala.sim.economy import slots as slots_of
from sc2impala.sim.economy import supply
from sc2impala.sim.economy.exits import exit_of
from sc2impala.sim.economy.ground import Ground
from sc2impala.sim.economy.harvesting import Harvesting
from sc2impala.sim.economy.ledger import Ledger
from sc2impala.sim.economy.unit_roles import NO_TYPE, UnitRoles
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World

QUEUE_LENGTH = 5  # [S] GD


class Production(Mechanic):
    """The production of K games with B fixed slots.

    Attributes:
      queue: int8 [K, B, QUEUE_LENGTH], indices into the types, NO_TYPE after the last unit.
      ready_at: int32 [K, B], frame in which the first unit of the queue is complete; 0 while it
        waits for supply.
      has_rally: bool [K, B]. rally_point: float64 [2, K, B]. rally_target: int16 [K, B], slot of
        the rally target, or NO_UNIT.
      trained: int32 [K, T], number of trained units of every type.
    """

    name = 'production'
    FIELDS = ('queue', 'ready_at', 'has_rally', 'rally_point', 'rally_target', 'trained')

    def __init__(
        self,
        num_games: int,
        num_fixed: int,
        num_types: int,
        roles: UnitRoles,
        ground: Ground,
        harvesting: Harvesting,
        ledger: Ledger,
    ):
        """Creates the mechanic for K games with B fixed slots and T types."""
        self.roles = roles
        self._ground = ground
        self._harvesting = harvesting
        self._ledger = ledger
        shape = [num_games, num_fixed]
        self.queue = np.full(shape + [QUEUE_LENGTH], NO_TYPE, np.int8)
        self.ready_at = np.zeros(shape, np.int32)
        self.has_rally = np.zeros(shape, bool)
        self.rally_point = np.zeros([2] + shape)
        self.rally_target = np.full(shape, NO_UNIT, np.int16)
        self.trained = np.zeros([num_games, num_types], np.int32)

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        self._forget((games,))
        self.trained[games] = 0

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """See Mechanic. Units in training are lost."""
        first = self._harvesting.num_mobile
        fixed = slots >= first
        if not np.count_nonzero(fixed):
            return
        games, slots = games[fixed], slots[fixed]
        self._forget((games, slots - first))
        rows, columns = np.nonzero(self.rally_target[games] == slots[:, None])
        self.rally_target[games[rows], columns] = NO_UNIT

    def step(self, world: World, running: np.ndarray) -> None:
        """Creates complete units and starts the next ones of the queues."""
        done = (self.ready_at == world.game_loop[:, None]) & running[:, None]
        if np.count_nonzero(done):
            for game, fixed in zip(*np.nonzero(done)):
                self._complete(world, game, fixed)
        waiting = (self.queue[:, :, 0] != NO_TYPE) & (self.ready_at == 0) & running[:, None]
        if np.count_nonzero(waiting):
            self._begin(world, waiting)

    def restrict(self, world: World, available: np.ndarray) -> None:
        """Restricts training to affordable units; enables cancelling where a queue is not empty."""
        everyone = np.arange(world.num_games)
        for function in np.flatnonzero(available.any(0) & (self.roles.product != NO_TYPE)):
            type_index = self.roles.product[function]
            if not world.units.stats.is_structure[type_index]:
                available[:, function] &= (
                    self.order_error(world, everyone, type_index) == results.OK
                )
        first = world.units.num_mobile
        producing = world.units.selected[:, first:] & (self.queue[:, :, 0] != NO_TYPE)
        available[:, functions.CANCEL_LAST_QUICK] |= producing.any(1)
        alone = world.units.selected.sum(1) == 1
        available[:, functions.BUILD_QUEUE] = producing.any(1) & alone

    def columns(self, world: World, games: np.ndarray, slots: np.ndarray) -> Dict[str, np.ndarray]:
        """See Mechanic."""
        is_fixed = slots >= world.units.num_mobile
        fixed = np.where(is_fixed, slots - world.units.num_mobile, 0)
        length = (self.queue[games, fixed] != NO_TYPE).sum(1)
        return {
            'order_length': length * is_fixed,
            'order_progress_0': 100 * self.progress(world)[games, fixed] * is_fixed,
        }

    def order_error(self, world: World, games: np.ndarray, type_index: int) -> np.ndarray:
        """Checks cost and supply of a unit: codes of `results`, int [n]."""
        stats = world.units.stats
        code = np.full(len(games), results.OK)
        code[supply.free(world, games) < stats.food[type_index]] = results.NOT_ENOUGH_FOOD
        code[world.vespene[games] < stats.vespene[type_index]] = results.NOT_ENOUGH_VESPENE
        code[world.minerals[games] < stats.minerals[type_index]] = results.NOT_ENOUGH_MINERALS
        return code

    def order(self, world: World, game: int, buildings: np.ndarray, type_index: int) -> int:
        """Adds a unit to the shortest queue of some buildings, slots int [n], and pays for it.

        Returns:
          a code of `results`.
        """
        fixed = buildings - world.units.num_mobile
        length = (self.queue[game, fixed] != NO_TYPE).sum(1)
        shortest = fixed[length.argmin()]
        if length.min() == QUEUE_LENGTH:
            return results.QUEUE_IS_FULL
        code = self.order_error(world, np.array([game]), type_index)[0]
        if code == results.OK:
            unit_type = world.units.types[type_index]
            self._ledger.pay(world, game, unit_type.minerals, unit_type.vespene)
            self.queue[game, shortest, length.min()] = type_index
        return code

    def cancel(self, world: World, game: int, building: int, place: int) -> None:
        """Cancels a unit in the queue of the building in a slot and refunds its cost."""
        fixed = building - world.units.num_mobile
        unit_type = world.units.types[self.queue[game, fixed, place]]
        self._ledger.pay(world, game, -unit_type.minerals, -unit_type.vespene)
        self._shift(world, game, fixed, place)

    def rally(
        self, games: np.ndarray, buildings: np.ndarray, points: np.ndarray, targets: np.ndarray
    ) -> None:
        """Sets the rally points of buildings.

        Args:
          games, buildings: int [n].
          points: float64 [2, n].
          targets: int [n], slots of resources to harvest, or NO_UNIT.
        """
        fixed = buildings - self._harvesting.num_mobile
        self.has_rally[games, fixed] = True
        self.rally_point[:, games, fixed] = points
        self.rally_target[games, fixed] = targets

    def food(self, world: World, games: np.ndarray) -> np.ndarray:
        """Returns the supply of units in training, without waiting ones: int [n, B]."""
        food = world.units.stats.food.take(self.queue[games, :, 0], mode='wrap')
        return food * (self.ready_at[games] > 0)

    def progress(self, world: World) -> np.ndarray:
        """Returns the progress of the first unit of every queue: float64 [K, B] in 0..1."""
        loops = np.maximum(world.units.stats.build_loops[self.queue[:, :, 0]], 1)
        left = self.ready_at - world.game_loop[:, None]
        return np.where(self.ready_at > 0, 1 - left / loops, 0)

    def _forget(self, at: Tuple[np.ndarray, ...]) -> None:
        self.queue[at] = NO_TYPE
        for values in (self.ready_at, self.has_rally):
            values[at] = 0
        self.rally_point[(slice(None),) + at] = 0
        self.rally_target[at] = NO_UNIT

    def _begin(self, world: World, waiting: np.ndarray) -> None:
        """Starts the first units of queues while there is supply; lower slots have priority."""
        games = np.flatnonzero(waiting.any(1))
        waiting = waiting[games]
        food = world.units.stats.food.take(self.queue[games, :, 0], mode='wrap') * waiting
        begins = waiting & (food.cumsum(1) <= supply.free(world, games)[:, None])
        rows, fixed = np.nonzero(begins)
        games = games[rows]
        type_index = self.queue[games, fixed, 0]
        self.ready_at[games, fixed] = (
            world.game_loop[games] + world.units.stats.build_loops[type_index]
        )
        world.units.active[games, fixed + world.units.num_mobile] = True

    def _complete(self, world: World, game: int, fixed: int) -> None:
        """Creates the first unit of a queue beside its building."""
        units = world.units
        slot = slots_of.first_free(units, game, slots_of.mobile(units))
        assert slot is not None, 'the supply limit leaves a slot'
        building = fixed + units.num_mobile
        type_index = self.queue[game, fixed, 0]
        toward = self.rally_point[:, game, fixed] if self.has_rally[game, fixed] else None
        point = exit_of(world, self._ground, game, building, toward)
        games, slots = np.array([game]), np.array([slot])
        world.put(games, slots, units.types[type_index], unit_types.SELF, point[:, None])
        is_worker = units.types[type_index].is_worker
        code = alerts.TRAIN_WORKER_COMPLETE if is_worker else alerts.TRAIN_UNIT_COMPLETE
        world.alerts[game, code] = True
        self.trained[game, type_index] += 1
        self._shift(world, game, fixed, 0)
        self._send(world, game, slot, fixed)

    def _shift(self, world: World, game: int, fixed: int, place: int) -> None:
        """Removes a unit that is complete or cancelled from a queue."""
        queue = self.queue[game, fixed]
        queue[place:-1] = queue[place + 1 :].copy()
        queue[-1] = NO_TYPE
        if place == 0:
            self.ready_at[game, fixed] = 0
            world.units.active[game, fixed + world.units.num_mobile] = False

    def _send(self, world: World, game: int, slot: int, fixed: int) -> None:
        """Orders a new unit to the rally point of its building, if there is one."""
        if not self.has_rally[game, fixed]:
            return
        units = world.units
        target = self.rally_target[game, fixed]
        gathers = units.types[units.type[game, slot]].is_worker and target != NO_UNIT
        gathers = gathers and self._harvesting.can_harvest(
            world, np.array([game]), np.array([target])
        )
        orders.give(
            units,
            np.array([game]),
            chosen=np.arange(units.num_mobile)[None] == slot,
            order_kind=np.array([[orders.GATHER if gathers else orders.MOVE]]),
            point=np.broadcast_to(
                self.rally_point[:, game, fixed, None, None], (2, 1, units.num_mobile)
            ),
            queued=np.array([False]),
            target=np.array([[target if gathers else NO_UNIT]]),
        )

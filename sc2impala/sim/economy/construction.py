"""Construction: workers walk to the site, pay, and stay until the building is complete."""

from typing import Tuple

import numpy as np

from sc2impala.sim import alerts, functions, orders, results, unit_types
from sc2impala.sim.economy import slots as slots_of
from sc2impala.sim.economy.ground import Ground
from sc2impala.sim.economy.harvesting import Harvesting
from sc2impala.sim.economy.ledger import Ledger
from sc2impala.sim.economy.unit_roles import NO_TYPE, UnitRoles
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World

REACH = 0.75  # From the centre of a worker to the edge of its building site. [U]
FIRST_HEALTH = 0.1  # Fraction of its health that a new building has. [A]
REFUND = 0.75  # Fraction of the cost that is refunded for a cancelled building. [S] in the game


class Construction(Mechanic):
    """The buildings under construction in K games.

    Attributes:
      builder: int16 [K, B], slot of the worker that builds, or NO_UNIT.
    """

    name = 'construction'
    FIELDS = ('builder',)

    def __init__(
        self,
        num_games: int,
        num_fixed: int,
        num_resources: int,
        roles: UnitRoles,
        ground: Ground,
        harvesting: Harvesting,
        ledger: Ledger,
    ):
        """Creates the mechanic for K games with B fixed slots, the first ones for resources."""
        self.roles = roles
        self._ground = ground
        self._harvesting = harvesting
        self._ledger = ledger
        self._num_resources = num_resources
        self.builder = np.full([num_games, num_fixed], NO_UNIT, np.int16)

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        self.builder[games] = NO_UNIT

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """See Mechanic."""
        first = self._harvesting.num_mobile
        fixed = slots >= first
        self.builder[games[fixed], slots[fixed] - first] = NO_UNIT

    def step(self, world: World, running: np.ndarray) -> None:
        """Starts construction where workers have arrived, and advances unfinished buildings."""
        units = world.units
        last = units.num_used()
        arriving = (units.order_kind[:, :last, 0] == orders.BUILD) & running[:, None]
        arriving &= ~units.bound[:, :last]
        if np.count_nonzero(arriving):
            self._begin(world, *np.nonzero(arriving))
        growing = (self.builder != NO_UNIT) & running[:, None]
        if np.count_nonzero(growing):
            self._grow(world, *np.nonzero(growing))

    def restrict(self, world: World, available: np.ndarray) -> None:
        """Restricts building to affordable, unlocked types; enables halt and cancel."""
        units = world.units
        for function in np.flatnonzero(available.any(0) & (self.roles.product != NO_TYPE)):
            type_index = self.roles.product[function]
            if units.stats.is_structure[type_index]:
                everyone = np.arange(world.num_games)
                offered = self.order_error(world, everyone, type_index) == results.OK
                available[:, function] &= offered
        mobile = slots_of.mobile(units)
        available[:, functions.HALT_QUICK] &= (units.selected[:, mobile] & units.bound).any(1)
        unfinished = units.selected & (units.unfinished > 0)
        available[:, functions.CANCEL_QUICK] |= unfinished.any(1)

    def order_error(self, world: World, games: np.ndarray, type_index: int) -> np.ndarray:
        """Checks cost and requirements of a building: codes of `results`, int [n]."""
        units = world.units
        code = np.full(len(games), results.OK)
        code[world.vespene[games] < units.stats.vespene[type_index]] = results.NOT_ENOUGH_VESPENE
        code[world.minerals[games] < units.stats.minerals[type_index]] = results.NOT_ENOUGH_MINERALS
        needed = self.roles.needs[type_index]
        if needed != NO_TYPE:
            complete = units.own[games] & (units.type[games] == needed)
            complete &= units.unfinished[games] == 0
            code[~complete.any(1)] = results.BUILD_TECH_REQUIREMENTS_NOT_MET
        return code

    def cancel(self, world: World, game: int, slot: int) -> None:
        """Removes an unfinished building and refunds most of its cost."""
        stats, type_index = world.units.stats, world.units.type[game, slot]
        refund = [-int(REFUND * cost[type_index]) for cost in (stats.minerals, stats.vespene)]
        self._ledger.pay(world, game, *refund)
        world.kill(np.array([game]), np.array([slot]))
        self._ground.survey(world)

    def halt(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Stops builders, int [n] each, and makes them idle."""
        world.units.order_kind[games, slots] = orders.IDLE
        orders.begin(world.units, (games, slots))

    def _begin(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Starts construction by workers that have arrived, one per game and frame."""
        units = world.units
        type_index = units.order_type[games, slots, 0]
        centre = units.order_point[:, games, slots, 0]
        half = units.stats.footprint[type_index].T / 2 + REACH
        away = np.abs(units.position[:, games, slots] - centre)
        at_place = np.flatnonzero((away <= half).all(0))
        _, first = np.unique(games[at_place], return_index=True)
        for index in at_place[first]:
            self._begin_one(world, games[index], slots[index])

    def _begin_one(self, world: World, game: int, slot: int) -> None:
        units = world.units
        building = units.order_target[game, slot, 0]
        at = np.array([game]), np.array([slot])
        if building == NO_UNIT:
            code, building = self._place(world, game, slot)
        else:
            code = results.OK if self._can_continue(world, game, building) else results.ERROR
        if code != results.OK:
            world.action_result[game] = code
            orders.finish(units, at)
            return
        units.order_target[game, slot, 0] = building
        units.goal[:, game, slot] = units.position[:, game, slot]
        units.busy[at] = units.bound[at] = True
        units.detour[at] = False
        self.builder[game, building - units.num_mobile] = slot

    def _can_continue(self, world: World, game: int, building: int) -> bool:
        """Whether the building is unfinished and has no builder."""
        unfinished = world.units.unfinished[game, building] > 0
        return unfinished and self.builder[game, building - world.units.num_mobile] == NO_UNIT

    def _place(self, world: World, game: int, slot: int) -> Tuple[int, int]:
        """Pays for and creates the building of a worker's order: returns a code and its slot."""
        units = world.units
        type_index = units.order_type[game, slot, 0]
        centre = units.order_point[:, game, slot, 0].copy()
        code = self._ground.can_build(world, game, type_index, centre)
        if code == results.OK:
            code = self.order_error(world, np.array([game]), type_index)[0]
        free = slots_of.first_free(units, game, slots_of.buildings(units, self._num_resources))
        if code == results.OK and free is None:
            code = results.CANT_BUILD_LOCATION_INVALID
        if code != results.OK or free is None:
            return code, NO_UNIT
        unit_type = units.types[type_index]
        beneath = self._ground.fixed_at(world, game, centre)
        self._ledger.pay(world, game, unit_type.minerals, unit_type.vespene)
        games, slots = np.array([game]), np.array([free])
        world.put(games, slots, unit_type, unit_types.SELF, centre[:, None])
        units.health[game, free] = FIRST_HEALTH * unit_type.health
        units.unfinished[game, free] = unit_type.build_loops
        if type_index == self.roles.refinery:
            self._harvesting.tap(world, game, free, beneath[0])
        self._ground.survey(world)
        return results.OK, free

    def _grow(self, world: World, games: np.ndarray, fixed: np.ndarray) -> None:
        """Advances the buildings that still have their builders."""
        units = world.units
        builder, slots = self.builder[games, fixed], fixed + units.num_mobile
        works = units.bound[games, builder] & (units.order_target[games, builder, 0] == slots)
        self.builder[games[~works], fixed[~works]] = NO_UNIT
        games, slots, builder = games[works], slots[works], builder[works]
        full = units.stats.health[units.type[games, slots]]
        loops = units.stats.build_loops[units.type[games, slots]]
        grown = units.health[games, slots] + (1 - FIRST_HEALTH) * full / loops
        units.health[games, slots] = np.minimum(grown, full)
        units.unfinished[games, slots] -= 1
        complete = units.unfinished[games, slots] == 0
        if np.count_nonzero(complete):
            games, slots, builder = games[complete], slots[complete], builder[complete]
            world.alerts[games, alerts.BUILDING_COMPLETE] = True
            self.builder[games, slots - units.num_mobile] = NO_UNIT
            orders.finish(units, (games, builder))

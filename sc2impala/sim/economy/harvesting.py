"""Harvesting: the cycle of workers between a field or refinery and a town hall.

One worker at a time works on a field or inside a refinery. A worker that arrives at an occupied
mineral field looks for one with fewer users. Workers do not collide while they harvest. [S] GD, [A]

Unlike other units, workers accelerate and slow down gradually, which takes a large part of a trip
of a few cells.
"""

from typing import Dict, Tuple

import numpy as np

from sc2impala.sim import alerts, functions, geometry, orders
from sc2impala.sim.economy import fields
from sc2impala.sim.economy import slots as slots_of
from sc2impala.sim.economy.ledger import Ledger
from sc2impala.sim.economy.navigation import Navigation
from sc2impala.sim.economy.unit_roles import UnitRoles
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.unit_types import LOOPS_PER_SECOND, SELF
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World

MINERALS_PER_TRIP = 5  # [S] GD
GAS_PER_TRIP = 4  # [S] GD
MINERAL_LOOPS = round(2.786 * LOOPS_PER_SECOND)  # [S] GD
GAS_LOOPS = round(1.981 * LOOPS_PER_SECOND)  # [S] GD
RETURN_LOOPS = round(0.5 * LOOPS_PER_SECOND)  # Delay after a delivery. [S] GD, [A]
ACCELERATION = 2.5 / LOOPS_PER_SECOND**2  # Of a worker, in cells per frame squared. [S] GD
TURN_LOOPS = 3
"""Frames to turn before walking back: 180 degrees at about 1000 degrees per second. [A] GD"""

HANDOVER_LOOPS = 2
"""Delay between two workers on a mineral field. It limits a field with three workers to 102
minerals per minute, so that two published agents reach their published scores in BuildMarines.
[U]"""

_TINY = 1e-9

NONE, TO_FIELD, WAITING, WORKING, TO_BASE, LEAVING = range(6)
"""Phases of a harvester."""


class Harvesting(Mechanic):
    """The harvesters of K games with M units that can move and B fixed slots.

    Attributes, [K, M] each unless another shape is given:
      phase: int8. until: int32, frame in which WORKING or LEAVING ends; while WAITING, the frame of
        arrival.
      field, base: int16, slots of its field and town hall, or NO_UNIT; the field is kept when the
        unit stops harvesting.
      cargo: int8, carried amount. cargo_is_gas: bool.
      looked: bool, whether it has looked for another field since its arrival.
      leg: float64 [2, K, M], end of the straight segment that it walks; at_edge: bool, whether this
        is the edge of the field or base. speed: float64, cells per frame.
      occupant: int16 [K, B], slot of the worker on the field, or NO_UNIT. free_at: int32 [K, B],
        first frame in which the next worker can start. contents: int32 [K, B]. source: int16
        [K, B], index of the fixed slot that holds the contents: of a refinery its geyser, of others
        the slot itself.
      seen: int32 [K], version of the ground for which the legs were computed.
    """

    name = 'harvesting'
    FIELDS = (
        'phase',
        'until',
        'field',
        'base',
        'cargo',
        'cargo_is_gas',
        'looked',
        'leg',
        'at_edge',
        'speed',
        'occupant',
        'free_at',
        'contents',
        'source',
        'seen',
    )

    def __init__(
        self,
        num_games: int,
        num_mobile: int,
        num_fixed: int,
        roles: UnitRoles,
        navigation: Navigation,
        ledger: Ledger,
    ):
        """Creates the mechanic for K games with M units that can move and B fixed slots."""
        self.roles = roles
        self._navigation = navigation
        self._ledger = ledger
        shape = [num_games, num_mobile]
        self.phase = np.zeros(shape, np.int8)
        self.until = np.zeros(shape, np.int32)
        self.field = np.full(shape, NO_UNIT, np.int16)
        self.base = np.full(shape, NO_UNIT, np.int16)
        self.cargo = np.zeros(shape, np.int8)
        self.cargo_is_gas = np.zeros(shape, bool)
        self.looked = np.zeros(shape, bool)
        self.leg = np.zeros([2] + shape)
        self.at_edge = np.zeros(shape, bool)
        self.speed = np.zeros(shape)
        self.occupant = np.full([num_games, num_fixed], NO_UNIT, np.int16)
        self.free_at = np.zeros([num_games, num_fixed], np.int32)
        self.contents = np.zeros([num_games, num_fixed], np.int32)
        self.source = np.tile(np.arange(num_fixed, dtype=np.int16), [num_games, 1])
        self.seen = np.zeros([num_games], np.int32)

    @property
    def num_mobile(self) -> int:
        """M."""
        return self.phase.shape[1]

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        self._forget_units((games,))
        self._forget_fixed((games,), np.arange(self.contents.shape[1]))
        self.seen[games] = 0

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """See Mechanic."""
        mobile = slots < self.num_mobile
        if np.count_nonzero(mobile):
            at = games[mobile], slots[mobile]
            self._leave_field(*at)
            self._forget_units(at)
        if not mobile.all():
            fixed = slots[~mobile] - self.num_mobile
            self._forget_fixed((games[~mobile], fixed), fixed)

    def fill(self, world: World, games: np.ndarray) -> None:
        """Sets the contents of the resources in the games int [n] to those of their types."""
        fixed = slice(self.num_mobile, None)
        contents = world.units.stats.contents[world.units.type[games, fixed]]
        self.contents[games] = contents * world.units.alive[games, fixed]

    def tap(self, world: World, game: int, refinery: int, geyser: int) -> None:
        """Connects a refinery to the geyser below it; both are slots."""
        self.source[game, refinery - self.num_mobile] = geyser - self.num_mobile

    def can_harvest(self, world: World, games: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """Whether the slots int [n], which may be NO_UNIT, can be harvested: bool [n]."""
        units = world.units
        type_index = units.type[games, slots]
        fixed = np.maximum(slots - self.num_mobile, 0)
        fits = (type_index == self.roles.mineral_field) | (
            (type_index == self.roles.refinery) & (units.unfinished[games, slots] == 0)
        )
        filled = self.contents[games, self.source[games, fixed]] > 0
        return (slots >= self.num_mobile) & units.alive[games, slots] & fits & filled

    def step(self, world: World, running: np.ndarray) -> None:
        """Advances all harvesters by one frame."""
        units = world.units
        last = units.num_used()
        order_kind = units.order_kind[:, :last, 0]
        works = ((order_kind == orders.GATHER) | (order_kind == orders.RETURN)) & running[:, None]
        taken = works & units.busy[:, :last]
        phase = self.phase[:, :last]
        stopped = (phase != NONE) & ~taken & running[:, None]
        if np.count_nonzero(stopped):
            at = np.nonzero(stopped)
            self._leave_field(*at)
            self.phase[at] = NONE
        fresh = works & ~taken
        if np.count_nonzero(fresh):
            self._begin(world, *np.nonzero(fresh))
        due = (self.until[:, :last] == world.game_loop[:, None]) & running[:, None]
        due &= (phase == WORKING) | (phase == LEAVING)
        if np.count_nonzero(due):
            games, slots = np.nonzero(due)
            # The unit accelerates from a negative speed and moves once it is positive.
            self.speed[games, slots] = -TURN_LOOPS * ACCELERATION
            working = self.phase[games, slots] == WORKING
            self._to_field(world, games[~working], slots[~working])
            self._load(world, games[working], slots[working])
        walking = ((phase == TO_FIELD) | (phase == TO_BASE)) & running[:, None]
        if np.count_nonzero(walking):
            self._walk(world, *np.nonzero(walking))
        waiting = (phase == WAITING) & running[:, None]
        if np.count_nonzero(waiting):
            self._serve(world, *np.nonzero(waiting))

    def restrict(self, world: World, available: np.ndarray) -> None:
        """Restricts Harvest_Return to units with cargo and select_idle_worker to idle workers."""
        units = world.units
        mobile = slots_of.mobile(units)
        carries = units.selected[:, mobile] & (self.cargo > 0)
        available[:, functions.HARVEST_RETURN_QUICK] &= carries.any(1)
        available[:, functions.SELECT_IDLE_WORKER] = self.idle(world).any(1)

    def idle(self, world: World) -> np.ndarray:
        """Returns the workers without orders: bool [K, M]."""
        units = world.units
        mine = units.owner[:, : units.num_mobile] == SELF
        idle = units.order_kind[:, :, 0] == orders.IDLE
        return slots_of.workers(units, self.roles.worker) & mine & idle

    def columns(self, world: World, games: np.ndarray, slots: np.ndarray) -> Dict[str, np.ndarray]:
        """See Mechanic."""
        return fields.columns(self, world, games, slots)

    def _forget_units(self, at: Tuple[np.ndarray, ...]) -> None:
        for values in (self.phase, self.until, self.cargo, self.cargo_is_gas, self.looked):
            values[at] = 0
        for values in (self.at_edge, self.speed):
            values[at] = 0
        self.field[at] = NO_UNIT
        self.base[at] = NO_UNIT
        self.leg[(slice(None),) + at] = 0

    def _forget_fixed(self, at: Tuple[np.ndarray, ...], fixed: np.ndarray) -> None:
        self.occupant[at] = NO_UNIT
        self.free_at[at] = 0
        self.contents[at] = 0
        self.source[at] = fixed

    def _leave_field(self, games: np.ndarray, slots: np.ndarray) -> None:
        """Frees the fields on which the units work."""
        working = self.phase[games, slots] == WORKING
        games, slots = games[working], slots[working]
        self.occupant[games, self.field[games, slots] - self.num_mobile] = NO_UNIT

    def _begin(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Starts the harvesting orders that have reached the front of queues."""
        units = world.units
        at = games, slots
        units.busy[at] = True
        units.solid[at] = False
        units.goal[:, games, slots] = units.position[:, games, slots]
        self.speed[at] = 0
        self.phase[at] = NONE
        gathers = units.order_kind[games, slots, 0] == orders.GATHER
        self.field[at] = np.where(gathers, units.order_target[games, slots, 0], self.field[at])
        # A worker with cargo returns it first. [U]
        full = self.cargo[at] > 0
        self._to_base(world, games[full], slots[full])
        out = gathers & ~full
        self._to_field(world, games[out], slots[out])
        self._end(world, games[~gathers & ~full], slots[~gathers & ~full])

    def _end(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Ends the harvesting orders of units."""
        if games.size:
            self.phase[games, slots] = NONE
            orders.finish(world.units, (games, slots))

    def _to_field(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Sends harvesters to their fields, or to other ones if these are exhausted."""
        if not games.size:
            return
        gone = ~self.can_harvest(world, games, self.field[games, slots])
        for index in np.flatnonzero(gone):
            self._change_field(world, games[index], slots[index])
        gone = ~self.can_harvest(world, games, self.field[games, slots])
        self._end(world, games[gone], slots[gone])
        self._set_out(world, games[~gone], slots[~gone], TO_FIELD)

    def _to_base(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Sends harvesters to the nearest town hall."""
        if not games.size:
            return
        units = world.units
        ready = units.own & (units.type == self.roles.town_hall) & (units.unfinished == 0)
        ready = ready[:, self.num_mobile :]
        last = len(ready[0]) - ready.any(0)[::-1].argmax()
        here = units.position[:, games, slots][:, :, None]
        there = units.position[:, games, self.num_mobile : self.num_mobile + last]
        distance = np.where(ready[games, :last], np.square(there - here).sum(0), np.inf)
        nearest = distance.argmin(1)
        exists = ready[games, nearest]
        self.base[games, slots] = np.where(exists, self.num_mobile + nearest, NO_UNIT)
        self._end(world, games[~exists], slots[~exists])
        self._set_out(world, games[exists], slots[exists], TO_BASE)

    def _set_out(self, world: World, games: np.ndarray, slots: np.ndarray, phase: int) -> None:
        self.phase[games, slots] = phase
        self.looked[games, slots] = False
        self._choose_legs(world, games, slots)

    def _choose_legs(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Computes the next legs of walking harvesters; ends the order if there is no path."""
        if not games.size:
            return
        at = games, slots
        target = np.where(self.phase[at] == TO_FIELD, self.field[at], self.base[at])
        leg, at_edge, exists = self._navigation.approach(world, games, slots, target)
        self.leg[:, games, slots] = leg
        self.at_edge[at] = at_edge
        self._end(world, games[~exists], slots[~exists])

    def _walk(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Moves harvesters and handles arrivals."""
        units = world.units
        changed = self.seen != self._navigation.ground_version
        if np.count_nonzero(changed):
            affected = changed[games]
            self._choose_legs(world, games[affected], slots[affected])
            self.seen[games] = self._navigation.ground_version[games]
            walking = self.phase[games, slots] != NONE
            games, slots = games[walking], slots[walking]

        at = games, slots
        here = units.position[:, games, slots]
        offset = self.leg[:, games, slots] - here
        left = geometry.length(offset)
        top_speed = units.stats.speed[units.type[at]]
        speed = np.minimum(self.speed[at] + ACCELERATION, top_speed)
        # The fastest speed at which it can still stop at the edge.
        slow = np.sqrt(2 * ACCELERATION * left)
        speed = np.where(self.at_edge[at], np.minimum(speed, slow), speed)
        arrived = left <= np.maximum(speed, 0)
        part = np.where(arrived, 1, np.maximum(speed, 0) / np.maximum(left, _TINY))
        end = here + offset * part
        units.position[:, games, slots] = end
        units.goal[:, games, slots] = end
        self.speed[at] = speed
        if np.count_nonzero(arrived):
            self._arrive(world, games[arrived], slots[arrived])

    def _arrive(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        at_edge = self.at_edge[games, slots]
        out = self.phase[games, slots] == TO_FIELD
        self._choose_legs(world, games[~at_edge], slots[~at_edge])
        there = at_edge & out
        self.phase[games[there], slots[there]] = WAITING
        self.until[games[there], slots[there]] = world.game_loop[games[there]]
        self.speed[games[there], slots[there]] = 0
        back = at_edge & ~out
        self._unload(world, games[back], slots[back])

    def _serve(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Starts the longest waiting worker of each free field; another looks elsewhere."""
        field = self.field[games, slots]
        gone = ~self.can_harvest(world, games, field)
        if np.count_nonzero(gone):
            self._to_field(world, games[gone], slots[gone])
            games, slots, field = games[~gone], slots[~gone], field[~gone]
        fixed = field - self.num_mobile
        free = self.occupant[games, fixed] == NO_UNIT
        free &= self.free_at[games, fixed] <= world.game_loop[games]
        if np.count_nonzero(free):
            place = games * self.contents.shape[1] + fixed
            order = np.lexsort((slots, self.until[games, slots], place))
            order = order[free[order]]
            _, first = np.unique(place[order], return_index=True)
            begins = order[first]
            self._start_work(world, games[begins], slots[begins])
            free[:] = False
            free[begins] = True
        looks = ~free & ~self.looked[games, slots]
        if np.count_nonzero(looks):
            _, first = np.unique(games[looks], return_index=True)
            self._look_around(world, games[looks][first], slots[looks][first])

    def _start_work(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        at = games, slots
        field = self.field[at]
        self.occupant[games, field - self.num_mobile] = slots
        is_gas = world.units.type[games, field] == self.roles.refinery
        self.phase[at] = WORKING
        self.until[at] = world.game_loop[games] + np.where(is_gas, GAS_LOOPS, MINERAL_LOOPS)
        world.units.inside[at] = is_gas

    def _look_around(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Sends units to other fields with fewer users."""
        self.looked[games, slots] = True
        moves, field = fields.less_used(self, world, games, slots)
        games, slots = games[moves], slots[moves]
        self._aim_at(world, games, slots, field[moves])
        self._to_field(world, games, slots)

    def _aim_at(
        self, world: World, games: np.ndarray, slots: np.ndarray, field: np.ndarray
    ) -> None:
        """Sets the field of units and, if they gather, the target of their order."""
        units = world.units
        self.field[games, slots] = field
        gathers = units.order_kind[games, slots, 0] == orders.GATHER
        games, slots, field = games[gathers], slots[gathers], field[gathers]
        units.order_target[games, slots, 0] = field
        units.order_point[:, games, slots, 0] = units.position[:, games, field]

    def _change_field(self, world: World, game: int, slot: int) -> None:
        """Assigns another field to a unit after its field is exhausted."""
        field = fields.replacement(self, world, game, slot)
        if field is not None:
            self._aim_at(world, *np.array([[game], [slot], [field]]))

    def _load(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Ends the work of units and sets their cargo."""
        if not games.size:
            return
        units = world.units
        at = games, slots
        field = self.field[at]
        fixed = field - self.num_mobile
        is_gas = units.type[games, field] == self.roles.refinery
        self.occupant[games, fixed] = NO_UNIT
        self.free_at[games, fixed] = world.game_loop[games] + np.where(is_gas, 0, HANDOVER_LOOPS)
        units.inside[at] = False
        source = self.source[games, fixed]
        left = self.contents[games, source]
        amount = np.minimum(np.where(is_gas, GAS_PER_TRIP, MINERALS_PER_TRIP), left)
        self.contents[games, source] = left - amount
        self.cargo[at] = amount
        self.cargo_is_gas[at] = is_gas
        more = units.order_kind[games, slots, 1] != orders.IDLE
        self._end(world, games[more], slots[more])
        self._to_base(world, games[~more], slots[~more])
        empty = left == amount
        world.alerts[games[empty & is_gas], alerts.VESPENE_EXHAUSTED] = True
        for index in np.flatnonzero(empty & ~is_gas):
            self._remove_field(world, games[index], field[index])

    def _remove_field(self, world: World, game: int, field: int) -> None:
        """Removes an exhausted mineral field and reassigns its users."""
        units = world.units
        world.alerts[game, alerts.MINERALS_EXHAUSTED] = True
        users = units.order_kind[game, :, 0] == orders.GATHER
        users &= units.order_target[game, :, 0] == field
        self.field[game, users] = field
        for slot in np.flatnonzero(users):
            self._change_field(world, game, int(slot))
            if self.field[game, slot] == field and self.cargo[game, slot]:
                units.order_kind[game, slot, 0] = orders.RETURN
                units.order_target[game, slot, 0] = NO_UNIT
        on_way = (self.phase[game] == TO_FIELD) | (self.phase[game] == WAITING)
        moved = np.flatnonzero(users & on_way)
        world.kill(np.array([game]), np.array([field]))
        moved = moved[units.busy[game, moved]]
        self._to_field(world, np.full(moved.shape, game), moved)

    def _unload(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        """Delivers the cargo of units, if their base still exists, and sends them back."""
        if not games.size:
            return
        units = world.units
        base = self.base[games, slots]
        stands = units.alive[games, base] & (units.unfinished[games, base] == 0)
        stands &= units.type[games, base] == self.roles.town_hall
        self._to_base(world, games[~stands], slots[~stands])
        games, slots = games[stands], slots[stands]
        at = games, slots
        self._ledger.collect(world, games, self.cargo[at], self.cargo_is_gas[at])
        self.cargo[at] = 0
        self.speed[at] = 0
        self.phase[at] = LEAVING
        self.until[at] = world.game_loop[games] + RETURN_LOOPS
        returned = units.order_kind[games, slots, 0] == orders.RETURN
        over = returned & (units.order_kind[games, slots, 1] != orders.IDLE)
        over |= returned & ~self.can_harvest(world, games, self.field[at])
        self._end(world, games[over], slots[over])
        # After a return order the unit continues to gather.
        again = returned & ~over
        games, slots = games[again], slots[again]
        units.order_kind[games, slots, 0] = orders.GATHER
        self._aim_at(world, games, slots, self.field[games, slots])

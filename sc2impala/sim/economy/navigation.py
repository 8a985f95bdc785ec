"""How units walk around what stands in their way.

A unit walks straight where nothing is in between. Otherwise it makes for the farthest point that it
can walk straight to, on a short way through the cells that are free, and decides again from there.
Where several want to get to such a point at once they would hold each other up for good, and so
would those that press each other against a building: they slip through each other.
"""

from typing import Optional, Tuple

import numpy as np

from sc2impala.sim import orders
from sc2impala.sim.economy import footprints, routes
from sc2impala.sim.economy.ground import UNIT_RADIUS, Ground
from sc2impala.sim.economy.slots import num_used
from sc2impala.sim.mechanic import Mechanic

MAX_KNOWN = 1 << 14  # Ways that are remembered.
PATIENCE = 3  # How often a unit tries to get to the end of a detour when it is so near. [U]
SLIP_LOOPS = 16  # For which it bumps into nobody then. [U]
MAX_PRESSED = 8  # Loops for which a unit lets itself be pushed out of buildings. [U]
NEAR = 0.5  # A unit decides so early before the end of a detour, as it may be in a crowd, ... [U]
EVERY = 3  # ... once in so many loops. [U]


class Navigation(Mechanic):
    """Finds the ways of the units of K games.

    Attributes:
      routed: float64 [2, K, M], the goal that every unit has a way to, infinite for none.
      detour: bool [K, M], whether that way is a detour.
      tries: int8 [K, M], how often it has been decided that a unit goes on to where it goes.
      pressed: int8 [K, M], for how many loops a unit has been pushed out of buildings.
      slips_until: int32 [K, M], the game loop in which a unit is solid again, 0 if it is.
      seen: int32 [K], the version of the ground that these ways are for.
    """

    name = 'navigation'
    FIELDS = ('routed', 'detour', 'tries', 'pressed', 'slips_until', 'seen')

    def __init__(self, num_games: int, num_mobile: int, ground: Ground):
        """Makes the mechanic for K games with M units that can move."""
        self._ground = ground
        self._lattice = routes.Lattice(ground.area)
        self._known = {}
        self.routed = np.full([2, num_games, num_mobile], np.inf)
        self.detour = np.zeros([num_games, num_mobile], bool)
        self.tries = np.zeros([num_games, num_mobile], np.int8)
        self.pressed = np.zeros([num_games, num_mobile], np.int8)
        self.slips_until = np.zeros([num_games, num_mobile], np.int32)
        self.seen = np.zeros([num_games], np.int32)

    @property
    def ground_version(self) -> np.ndarray:
        """Counts the changes of the ground: int32 [K]."""
        return self._ground.version

    def restart(self, world, games: np.ndarray) -> None:
        """See Mechanic."""
        self.routed[:, games] = np.inf
        self.detour[games] = False
        self.tries[games] = 0
        self.pressed[games] = 0
        self.slips_until[games] = 0
        self.seen[games] = 0

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """See Mechanic."""
        mobile = slots < self.detour.shape[1]
        games, slots = games[mobile], slots[mobile]
        self.routed[:, games, slots] = np.inf
        self.tries[games, slots] = 0
        self.pressed[games, slots] = 0
        self.slips_until[games, slots] = 0

    def step(self, world, running: np.ndarray) -> None:
        """Finds ways for the units that have a new goal, or have come to the end of a detour."""
        units = world.units
        last = num_used(units)
        position, goal = units.position[:, :, :last], units.goal[:, :, :last]
        detour, routed = units.detour[:, :last], self.routed[:, :, :last]
        self._make_solid(world, running, last)
        new_ground = (self.seen != self._ground.version) & running
        if new_ground.any():
            self.seen[new_ground] = self._ground.version[new_ground]
            self.routed[:, new_ground] = np.inf

        walks = (goal != position).any(0) & units.alive[:, :last] & running[:, None]
        lost = (goal != routed).any(0) | (detour != self.detour[:, :last])
        away = np.abs(units.waypoint[:, :, :last] - position).max(0)
        turn = (world.game_loop[:, None] + np.arange(last)) % EVERY == 0
        lost |= detour & ((away == 0) | (away < NEAR) & turn)
        games, slots = np.nonzero(walks & lost)
        # Who stands may be pushed, and needs a new way when it walks again.
        np.copyto(routed, np.inf, where=running[:, None] & ~walks)
        if games.size:
            self._route(world, games, slots)

    def note_pushed(self, world, running: np.ndarray, games: np.ndarray, slots: np.ndarray) -> None:
        """Has new ways found for units that were pushed out of buildings in this loop.

        Who is pushed for too long leaves: idle units go to where there is room.

        Args:
          world: changed in place.
          running: bool [K].
          games, slots: int [n], the units.
        """
        self.routed[:, games, slots] = np.inf
        count = self.pressed[games, slots] + 1
        self.pressed[running] = 0
        self.pressed[games, slots] = count
        for game, slot in zip(games[count >= MAX_PRESSED], slots[count >= MAX_PRESSED]):
            self._leave(world, game, slot)

    def approach(
        self, world, games: np.ndarray, slots: np.ndarray, targets: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where units walk next on their way to the edge of something that covers cells.

        Args:
          world: the games.
          games, slots, targets: int [n], the units and what they walk to.

        Returns:
          points float64 [2, n]; bool [n], whether they are at the edge there; bool [n], whether
          there is a way at all.
        """
        units = world.units
        start, centre = units.position[:, games, slots], units.position[:, games, targets]
        half = units.stats.footprint[units.type[games, targets]].T / 2 + UNIT_RADIUS
        way = start - centre
        part = (half / np.maximum(np.abs(way), half)).min(0)
        points = centre + way * part
        blocked = self._ground.crosses(games, start, points)
        last, exists = np.ones([2, len(games)], bool)
        for index in np.flatnonzero(blocked):
            game, target, here = games[index], targets[index], start[:, index]
            point, last[index] = self._remember(
                (self._ground.digest[game].tobytes(), here.tobytes(), int(target)),
                lambda game=game, target=target, here=here: self._around_to(
                    world, game, here, target
                ),
            )
            exists[index] = point is not None
            points[:, index] = here if point is None else point
        return points, last, exists

    def step_towards(self, game: int, start: np.ndarray, goals: int) -> Optional[np.ndarray]:
        """The farthest point on the way to the nearest of some cells to walk straight to.

        Args:
          game: index of the game.
          start: float64 [2].
          goals: set of cells, see `routes`.

        Returns:
          float64 [2], the middle of a cell, or None where no way leads.
        """
        lattice = self._lattice
        free = self.free(game)
        first = lattice.bit(start)
        if not free >> first & 1:
            return self._ground.nearest_free_cell(game, start)
        way = routes.path(free, lattice.stride, first, goals & free)
        if not way:
            return None
        middles = lattice.middles(way)
        games = np.full([len(way)], game)
        starts = np.repeat(start[:, None], len(way), axis=1)
        clear = np.flatnonzero(~self._ground.crosses(games, starts, middles))
        return middles[:, clear[-1] if clear.size else 0]

    def free(self, game: int) -> int:
        """The set of cells of a game that units can enter."""
        return self._lattice.pack(self._ground.area & ~self._ground.taken[game])

    def _remember(self, key, find):
        """What `find` returns, which must depend on nothing but the key: workers often take the
        same ways again.
        """
        if key not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = find()
        return self._known[key]

    def _around_to(self, world, game, start, target):
        """Like `approach`, for one unit with something in its way; None where there is no way."""
        goals = self._beside(world, game, target)
        if not goals >> self._lattice.bit(start) & 1:
            return self.step_towards(game, start, goals), False
        half = world.units.stats.footprint[world.units.type[game, target]] / 2 + UNIT_RADIUS
        centre = world.units.position[:, game, target]
        return np.minimum(np.maximum(start, centre - half), centre + half), True

    def _slip(self, world, games, slots):
        """Lets units bump into nobody for a while."""
        self.tries[games, slots] = self.pressed[games, slots] = 0
        self.slips_until[games, slots] = world.game_loop[games] + SLIP_LOOPS
        world.units.solid[games, slots] = False

    def _leave(self, world, game, slot):
        """Lets a unit slip, and go to where there is room if it has nothing else to do."""
        units = world.units
        self._slip(world, game, slot)
        if units.order_kind[game, slot, 0] == orders.IDLE:
            mobile = slice(0, units.num_mobile)
            others = units.alive[game, mobile] & units.solid[game]
            point = units.position[:, game, slot]
            room = self._ground.nearest_free_cell(
                game, point, units.position[:, game, mobile][:, others]
            )
            units.goal[:, game, slot] = room

    def _make_solid(self, world, running, last):
        """Ends the slipping of units whose time has come; harvesters stay as they are."""
        until = self.slips_until[:, :last]
        over = (until > 0) & (until <= world.game_loop[:, None]) & running[:, None]
        if over.any():
            games, slots = np.nonzero(over)
            self.slips_until[games, slots] = 0
            kind = world.units.order_kind[games, slots, 0]
            harvests = (kind == orders.GATHER) | (kind == orders.RETURN)
            world.units.solid[games[~harvests], slots[~harvests]] = True

    def _beside(self, world, game, slot):
        """The set of free cells that touch a side of what is in a slot."""
        footprint = world.units.stats.footprint[world.units.type[game, slot]]
        rows, columns = footprints.cells(world.units.position[:, game, slot], footprint, margin=1)
        mask = np.zeros_like(self._ground.area)
        mask[rows, columns] = True
        mask[np.ix_([rows.start, rows.stop - 1], [columns.start, columns.stop - 1])] = False
        return self._lattice.pack(mask) & self.free(game)

    def _route(self, world, games, slots):
        units = world.units
        at = games, slots
        points = (slice(None),) + at
        start, goal = units.position[points], units.goal[points]
        around = self._ground.covers(games, goal).any(1) | self._ground.crosses(games, start, goal)
        before = np.where(units.detour[at], units.waypoint[points], np.inf)
        units.detour[at] = around
        for index in np.flatnonzero(around):
            game, slot, here, there = games[index], slots[index], start[:, index], goal[:, index]
            waypoint, end = self._remember(
                (self._ground.digest[game].tobytes(), here.tobytes(), there.tobytes()),
                lambda game=game, here=here, there=there: self._around(game, here, there),
            )
            units.goal[:, game, slot] = end
            units.detour[game, slot] = waypoint is not None
            if waypoint is not None:
                units.waypoint[:, game, slot] = waypoint
        self.routed[points] = units.goal[points]
        self.detour[at] = units.detour[at]
        same = units.detour[at] & (units.waypoint[points] == before).all(0)
        self.tries[at] = np.where(same, self.tries[at] + 1, 0)
        held_up = self.tries[at] >= PATIENCE
        self._slip(world, games[held_up], slots[held_up])

    def _around(self, game, start, goal):
        """The next waypoint, None if the way is straight; and the goal or what is nearest to it."""
        lattice, free = self._lattice, self.free(game)
        if self._ground.covers(np.array([game]), goal[:, None]).any():
            goal = lattice.middles((lattice.bit(goal),))[:, 0]
        first = lattice.bit(start)
        cell = lattice.bit(goal)
        if not routes.path(free, lattice.stride, first, free & 1 << cell):
            within = routes.reachable(free, lattice.stride, first)
            nearest = routes.nearest(lattice, within & free, goal)
            cell = first if nearest is None else nearest
            goal = lattice.middles((cell,))[:, 0]
        if not self._ground.crosses(np.array([game]), start[:, None], goal[:, None]).any():
            return None, goal
        return self.step_towards(game, start, 1 << cell), goal

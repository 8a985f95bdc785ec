"""How units walk around what stands in their way.

A unit walks straight where nothing is in between. Otherwise it makes for the farthest point that it
can walk straight to, on a short way through the cells that are free, and decides again from there.
Where several want to get to such a point at once they would hold each other up for good, and so
would those that press each other against a building: they slip through each other.
"""

import functools
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from sc2impala.sim import orders
from sc2impala.sim.economy import footprints, path_cache, path_finding
from sc2impala.sim.economy.ground import UNIT_RADIUS, Ground
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

MAX_KNOWN = 1 << 14  # Approaches that are remembered.
PATIENCE = 3  # How often a unit tries to get to the end of a detour when it is so near. [U]
SLIP_LOOPS = 16  # For which it bumps into nobody then. [U]
MAX_PRESSED = 8  # Loops for which a unit lets itself be pushed out of buildings. [U]
PATH_PERIOD = 3  # Ways are decided in one of so many loops, ... [U]
NEAR_WAYPOINT = 0.5  # ... so early before the end of a detour, as the unit may be in a crowd. [U]


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
    FIELDS = ('path_goal', 'detour', 'tries', 'pressed', 'slips_until', 'seen')

    def __init__(self, num_games: int, num_mobile: int, ground: Ground):
        """Makes the mechanic for K games with M units that can move."""
        self._ground = ground
        self._grid = path_finding.PathingGrid(ground.area)
        self._path_cache = path_cache.PathCache(self._grid)
        self._known: Dict[Tuple[bytes, bytes, int], Any] = {}
        self.path_goal = np.full([2, num_games, num_mobile], np.inf)
        self.detour = np.zeros([num_games, num_mobile], bool)
        self.tries = np.zeros([num_games, num_mobile], np.int8)
        self.pressed = np.zeros([num_games, num_mobile], np.int8)
        self.slips_until = np.zeros([num_games, num_mobile], np.int32)
        self.seen = np.zeros([num_games], np.int32)

    @property
    def ground_version(self) -> np.ndarray:
        """Counts the changes of the ground: int32 [K]."""
        return self._ground.version

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        self.path_goal[:, games] = np.inf
        self.detour[games] = False
        self.tries[games] = 0
        self.pressed[games] = 0
        self.slips_until[games] = 0
        self.seen[games] = 0

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """See Mechanic."""
        mobile = slots < self.detour.shape[1]
        games, slots = games[mobile], slots[mobile]
        self.path_goal[:, games, slots] = np.inf
        self.tries[games, slots] = 0
        self.pressed[games, slots] = 0
        self.slips_until[games, slots] = 0

    def step(self, world: World, running: np.ndarray) -> None:
        """Finds ways for units that have a new goal, are at the end of a detour, or were pushed."""
        units = world.units
        last = units.num_used()
        position, goal = units.position[:, :, :last], units.goal[:, :, :last]
        detour, path_goal = units.detour[:, :last], self.path_goal[:, :, :last]
        self._make_solid(world, running, last)
        new_ground = (self.seen != self._ground.version) & running
        if np.count_nonzero(new_ground):
            self.seen[new_ground] = self._ground.version[new_ground]
            self.path_goal[:, new_ground] = np.inf

        # Who has a new goal walks straight at first.
        units.detour[:, :last] &= (goal == path_goal).all(0) | ~running[:, None]
        walks = (goal != position).any(0) & units.alive[:, :last] & running[:, None]
        # Who stands may be pushed, and needs a new way when it walks again.
        np.copyto(path_goal, np.inf, where=running[:, None] & ~walks)
        decides = running & (world.game_loop % PATH_PERIOD == 0)
        if not np.count_nonzero(decides):
            return
        away = np.abs(units.waypoint[:, :, :last] - position).max(0)
        lost = (goal != path_goal).any(0) | (detour != self.detour[:, :last])
        lost |= detour & (away < NEAR_WAYPOINT) | (self.pressed[:, :last] > 0)
        games, slots = np.nonzero(walks & lost & decides[:, None])
        if games.size:
            self._find_paths(world, games, slots)

    def note_pushed(
        self, world: World, running: np.ndarray, games: np.ndarray, slots: np.ndarray
    ) -> None:
        """Takes note of units that were pushed out of buildings in this loop.

        Those that are when ways are decided anew get a new one. Who is pushed for too long leaves:
        idle units go to where there is room.

        Args:
          world: changed in place.
          running: bool [K].
          games, slots: int [n], the units.
        """
        count = self.pressed[games, slots] + 1
        self.pressed[running] = 0
        self.pressed[games, slots] = count
        for game, slot in zip(games[count >= MAX_PRESSED], slots[count >= MAX_PRESSED]):
            self._leave(world, game, slot)

    def approach(
        self, world: World, games: np.ndarray, slots: np.ndarray, targets: np.ndarray
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
        offset = start - centre
        part = (half / np.maximum(np.abs(offset), half)).min(0)
        points = centre + offset * part
        blocked = self._ground.crosses(games, start, points)
        last, exists = np.ones([2, len(games)], bool)
        for index in np.flatnonzero(blocked):
            game, target, here = games[index], targets[index], start[:, index]
            point, last[index] = self._remember(
                (self._ground.digest[game].tobytes(), here.tobytes(), int(target)),
                functools.partial(self._around_to, world, game, here, target),
            )
            exists[index] = point is not None
            points[:, index] = here if point is None else point
        return points, last, exists

    def _remember(self, key: Tuple[bytes, bytes, int], find: Callable[[], Any]) -> Any:
        """What `find` returns, which must depend on nothing but the key: workers often take the
        same ways again.
        """
        if key not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = find()
        return self._known[key]

    def _around_to(
        self, world: World, game: int, start: np.ndarray, target: int
    ) -> Tuple[Optional[np.ndarray], bool]:
        """Like `approach`, for one unit with something in its way; None where there is no way."""
        state, cell = self._states(np.array([game])), self._grid.numbers(start[:, None])
        goals = self._beside(world, game, target)
        if goals[cell[0]]:
            half = world.units.stats.footprint[world.units.type[game, target]] / 2 + UNIT_RADIUS
            centre = world.units.position[:, game, target]
            return np.minimum(np.maximum(start, centre - half), centre + half), True
        if not self._path_cache.are_free(state, cell)[0]:
            return self._ground.nearest_free_cell(game, start), False
        path = self._path_cache.to_any(state[0], cell[0], goals)
        if not goals[path[-1]]:
            return None, False
        return self._farthest(np.array([game]), start[:, None], path[:, None])[:, 0], False

    def _beside(self, world: World, game: int, slot: int) -> np.ndarray:
        """The free cells that touch a side of what is in a slot: bool [C]."""
        footprint = world.units.stats.footprint[world.units.type[game, slot]]
        rows, columns = footprints.cells(world.units.position[:, game, slot], footprint, margin=1)
        mask = np.zeros_like(self._ground.area)
        mask[rows, columns] = True
        mask[np.ix_([rows.start, rows.stop - 1], [columns.start, columns.stop - 1])] = False
        return self._grid.pack(mask & ~self._ground.taken[game])

    def _slip(
        self, world: World, games: Union[int, np.ndarray], slots: Union[int, np.ndarray]
    ) -> None:
        """Lets units bump into nobody for a while."""
        self.tries[games, slots] = self.pressed[games, slots] = 0
        self.slips_until[games, slots] = world.game_loop[games] + SLIP_LOOPS
        world.units.solid[games, slots] = False

    def _leave(self, world: World, game: int, slot: int) -> None:
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

    def _make_solid(self, world: World, running: np.ndarray, last: int) -> None:
        """Ends the slipping of units whose time has come; harvesters stay as they are."""
        until = self.slips_until[:, :last]
        over = (until > 0) & (until <= world.game_loop[:, None]) & running[:, None]
        if np.count_nonzero(over):
            games, slots = np.nonzero(over)
            self.slips_until[games, slots] = 0
            order_kind = world.units.order_kind[games, slots, 0]
            harvests = (order_kind == orders.GATHER) | (order_kind == orders.RETURN)
            world.units.solid[games[~harvests], slots[~harvests]] = True

    def _find_paths(self, world: World, games: np.ndarray, slots: np.ndarray) -> None:
        units = world.units
        at = games, slots
        points = (slice(None),) + at
        start, goal = units.position[points], units.goal[points]
        covered = np.any(self._ground.covers(games, goal), axis=1)
        around = covered | self._ground.crosses(games, start, goal)
        before = np.where(units.detour[at], units.waypoint[points], np.inf)
        units.detour[at] = around
        if np.count_nonzero(around):
            games_around, slots_around = games[around], slots[around]
            waypoint, end, straight = self._around(
                games_around, start[:, around], goal[:, around], covered[around]
            )
            units.goal[:, games_around, slots_around] = end
            units.detour[games_around, slots_around] = ~straight
            here = games_around[~straight], slots_around[~straight]
            units.waypoint[(slice(None),) + here] = waypoint
        self.path_goal[points] = units.goal[points]
        self.detour[at] = units.detour[at]
        same = units.detour[at] & (units.waypoint[points] == before).all(0)
        self.tries[at] = np.where(same, self.tries[at] + 1, 0)
        held_up = self.tries[at] >= PATIENCE
        self._slip(world, games[held_up], slots[held_up])

    def _around(
        self, games: np.ndarray, start: np.ndarray, goal: np.ndarray, covered: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How n units get to where they cannot walk straight to.

        Args:
          games: int [n].
          start, goal: float64 [2, n].
          covered: bool [n], whether something stands on the goal.

        Returns:
          the next waypoints float64 [2, m] of those whose way is not straight; the goals, or what
          is nearest to them, float64 [2, n]; bool [n], whether the way there is straight.
        """
        grid = self._grid
        states, cells = self._states(games), grid.numbers(start)
        enclosed = ~self._path_cache.are_free(states, cells)
        path_start = start.copy()
        for index in np.flatnonzero(enclosed):
            path_start[:, index] = self._ground.nearest_free_cell(games[index], start[:, index])
        cells = grid.numbers(path_start)
        goal_cells = grid.numbers(goal)
        goal = np.where(covered, grid.middles(goal_cells), goal)
        exists = self._path_cache.exist(states, cells, goal_cells)
        for index in np.flatnonzero(~exists):
            goal_cells[index] = self._path_cache.nearest(
                states[index], cells[index], goal[:, index]
            )
        goal = np.where(exists, goal, grid.middles(goal_cells))

        straight = ~self._ground.crosses(games, start, goal)
        winding = ~straight
        waypoint = path_start[:, winding]
        rest = ~enclosed[winding]
        if np.count_nonzero(rest):
            which = np.flatnonzero(winding)[rest]
            path = self._path_cache.to_cells(states[which], cells[which], goal_cells[which])
            waypoint[:, rest] = self._farthest(games[which], start[:, which], path)
        return waypoint, goal, straight

    def _farthest(self, games: np.ndarray, start: np.ndarray, path: np.ndarray) -> np.ndarray:
        """Points far along ways that can be walked straight to, with what comes next hidden.

        Args:
          games: int [n].
          start: float64 [2, n].
          way: int [l, n], cells.

        Returns:
          float64 [2, n], the middle of the first cell where nothing behind it is found.
        """
        points = self._grid.middles(path)
        every = np.arange(len(games))
        clear = np.zeros([len(games)], np.int64)
        # Up to the end of each way, not of the longest, which is somebody else's.
        hidden = (path == path[-1]).argmax(0) + 1
        while (hidden - clear > 1).any():
            between = (clear + hidden) // 2
            crosses = self._ground.crosses(games, start, points[:, between, every])
            clear, hidden = np.where(crosses, clear, between), np.where(crosses, between, hidden)
        return points[:, clear, every]

    def _states(self, games: np.ndarray) -> np.ndarray:
        """The numbers of the states of the ground, int [n]."""
        ground = self._ground
        self._path_cache.tidy()
        known = {
            game: self._path_cache.state(ground.digest[game].tobytes(), ground.taken[game])
            for game in set(games.tolist())
        }
        return np.array([known[game] for game in games.tolist()])

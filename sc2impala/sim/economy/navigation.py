"""Path finding of units around obstacles.

A unit walks straight if nothing blocks it. Otherwise it computes a short path through free cells,
walks to the farthest point of the path in a straight line of sight, and decides again from there.
Units that would block each other permanently, at such a point or against a building, lose their
collisions for a while.
"""

import functools
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from sc2impala.sim import orders
from sc2impala.sim.economy import footprints, path_cache, path_finding
from sc2impala.sim.economy.ground import UNIT_RADIUS, Ground
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

MAX_KNOWN = 1 << 14  # Maximum number of cached approaches.
PATIENCE = 3  # Decisions for the same waypoint before a unit loses its collisions. [U]
SLIP_LOOPS = 16  # Frames without collisions. [U]
MAX_PRESSED = 8  # Consecutive frames of being pushed out of buildings before a unit leaves. [U]
PATH_PERIOD = 3  # Paths are decided every PATH_PERIOD frames, ... [U]
NEAR_WAYPOINT = 0.5  # ... and within this distance of a waypoint, which may be crowded. [U]


class Navigation(Mechanic):
    """Path finding for the units of K games.

    Attributes:
      path_goal: float64 [2, K, M], the goal for which a unit has a path, infinite for none.
      detour: bool [K, M], whether that path is a detour.
      tries: int8 [K, M], number of consecutive decisions for the same waypoint.
      pressed: int8 [K, M], consecutive frames in which a unit was pushed out of buildings.
      slips_until: int32 [K, M], frame in which a unit is solid again, 0 if it is solid.
      seen: int32 [K], version of the ground for which the paths were computed.
    """

    name = 'navigation'
    FIELDS = ('path_goal', 'detour', 'tries', 'pressed', 'slips_until', 'seen')

    def __init__(self, num_games: int, num_mobile: int, ground: Ground):
        """Creates the mechanic for K games with M units that can move."""
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
        """Version of the ground, incremented by every change: int32 [K]."""
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
        """Finds paths for units that have a new goal, reached a waypoint, or were pushed."""
        units = world.units
        last = units.num_used()
        position, goal = units.position[:, :, :last], units.goal[:, :, :last]
        detour, path_goal = units.detour[:, :last], self.path_goal[:, :, :last]
        self._make_solid(world, running, last)
        new_ground = (self.seen != self._ground.version) & running
        if np.count_nonzero(new_ground):
            self.seen[new_ground] = self._ground.version[new_ground]
            self.path_goal[:, new_ground] = np.inf

        # A unit with a new goal walks straight at first.
        units.detour[:, :last] &= (goal == path_goal).all(0) | ~running[:, None]
        walks = (goal != position).any(0) & units.alive[:, :last] & running[:, None]
        # A standing unit may be pushed, and needs a new path when it walks again.
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
        """Records the units that were pushed out of buildings in this frame.

        They get new paths at the next decision. Units that are pushed for MAX_PRESSED frames lose
        their collisions, and idle ones walk to free space.

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
        """Returns the next points of units on their paths to the edges of buildings or resources.

        Args:
          world: the games.
          games, slots, targets: int [n], the units and the slots of their targets.

        Returns:
          points float64 [2, n]; bool [n], whether these are at the edge; bool [n], whether a path
          exists.
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
        """Returns the cached result of `find`, which must depend on the key only.

        Workers often use the same paths again.
        """
        if key not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = find()
        return self._known[key]

    def _around_to(
        self, world: World, game: int, start: np.ndarray, target: int
    ) -> Tuple[Optional[np.ndarray], bool]:
        """Like `approach`, for one unit that is blocked; the point is None without a path."""
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
        """Returns the free cells that touch a side of the unit in a slot: bool [C]."""
        footprint = world.units.stats.footprint[world.units.type[game, slot]]
        rows, columns = footprints.cells(world.units.position[:, game, slot], footprint, margin=1)
        mask = np.zeros_like(self._ground.area)
        mask[rows, columns] = True
        mask[np.ix_([rows.start, rows.stop - 1], [columns.start, columns.stop - 1])] = False
        return self._grid.pack(mask & ~self._ground.taken[game])

    def _slip(
        self, world: World, games: Union[int, np.ndarray], slots: Union[int, np.ndarray]
    ) -> None:
        """Disables the collisions of units for SLIP_LOOPS frames."""
        self.tries[games, slots] = self.pressed[games, slots] = 0
        self.slips_until[games, slots] = world.game_loop[games] + SLIP_LOOPS
        world.units.solid[games, slots] = False

    def _leave(self, world: World, game: int, slot: int) -> None:
        """Disables the collisions of a unit; an idle one walks to free space."""
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
        """Restores the collisions of units after SLIP_LOOPS frames, except for harvesters."""
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
        """Finds paths of n units to goals that they cannot reach in a straight line.

        Args:
          games: int [n].
          start, goal: float64 [2, n].
          covered: bool [n], whether the goal is inside an obstacle.

        Returns:
          the next waypoints, float64 [2, m], of the units without a straight path; the goals or the
          nearest reachable points, float64 [2, n]; bool [n], whether these have a straight path.
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
        """Returns points far along paths that can be reached in a straight line.

        Found by bisection: the point after it on the path cannot be reached.

        Args:
          games: int [n].
          start: float64 [2, n].
          path: int [l, n], cells.

        Returns:
          float64 [2, n], centres of cells; that of the first cell if no later one can be reached.
        """
        points = self._grid.middles(path)
        every = np.arange(len(games))
        clear = np.zeros([len(games)], np.int64)
        # Up to the end of each path; `path` is padded to the longest one.
        hidden = (path == path[-1]).argmax(0) + 1
        while (hidden - clear > 1).any():
            between = (clear + hidden) // 2
            crosses = self._ground.crosses(games, start, points[:, between, every])
            clear, hidden = np.where(crosses, clear, between), np.where(crosses, between, hidden)
        return points[:, clear, every]

    def _states(self, games: np.ndarray) -> np.ndarray:
        """Returns the numbers of the states of the ground: int [n]."""
        ground = self._ground
        self._path_cache.tidy()
        known = {
            game: self._path_cache.state(ground.digest[game].tobytes(), ground.taken[game])
            for game in set(games.tolist())
        }
        return np.array([known[game] for game in games.tolist()])

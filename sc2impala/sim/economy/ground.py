"""The ground: cells covered by buildings and resources, and the obstacles that they form."""

import hashlib
from typing import Tuple

import numpy as np

from sc2impala.sim import geometry, orders, results
from sc2impala.sim.economy import footprints
from sc2impala.sim.economy.unit_roles import UnitRoles
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.units import Units
from sc2impala.sim.world import World

UNIT_RADIUS = 0.375  # Of all mobile units on these maps. [S] GD
TOLERANCE = 1e-3
"""A unit that overlaps a building by less does not collide; rounding errors are far smaller."""

NO_POINTS = np.zeros([2, 0])
_FAR = 1e3  # Larger than any distance on a map.

EVICTION_SPEED = 0.5  # Cells per frame by which units are moved out of a building. [U]


class Ground(Mechanic):
    """The ground of K games.

    Attributes:
      taken: bool [K, 64, 64] by y and x, the covered cells.
      stands: bool [K, B], the fixed slots in use.
      low, high: float64 [2, K, B], corners of the boxes around these that centres of units cannot
        enter; empty boxes for unused slots.
      version: int32 [K], incremented when the above change. digest: uint64 [K, 2], hash of the
        boxes.
      cleared: float64 [2, K, M], the position at which a unit was last found not to overlap a box.
    """

    name = 'ground'
    FIELDS = ('taken', 'stands', 'low', 'high', 'version', 'digest', 'cleared')

    def __init__(
        self,
        num_games: int,
        num_mobile: int,
        num_fixed: int,
        roles: UnitRoles,
        arena: geometry.Arena,
    ):
        """Creates empty ground.

        Args:
          num_games, num_mobile, num_fixed: K, M and B.
          roles: of the map.
          arena: units and buildings stay on the cells with playable centres.
        """
        columns, rows = geometry.cells_within(arena.playable)
        self.area = rows[:, None] & columns
        self._playable = arena.playable
        self._roles = roles
        # Updated by every `survey`, at least once per frame.
        self._num_used = num_fixed
        self.taken = np.zeros([num_games] + [geometry.MAP_EXTENT] * 2, bool)
        self.stands = np.zeros([num_games, num_fixed], bool)
        self.low = np.full([2, num_games, num_fixed], np.inf)
        self.high = np.full([2, num_games, num_fixed], -np.inf)
        self.version = np.zeros([num_games], np.int32)
        self.digest = np.zeros([num_games, 2], np.uint64)
        self.cleared = np.full([2, num_games, num_mobile], np.inf)

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        self.taken[games] = False
        self.stands[games] = False
        self.low[:, games] = np.inf
        self.high[:, games] = -np.inf
        self.version[games] = 0
        self.digest[games] = 0
        self.cleared[:, games] = np.inf

    def step(self, world: World, running: np.ndarray) -> None:
        """Accounts for units that have died."""
        self.survey(world)

    def survey(self, world: World) -> None:
        """Updates the ground if buildings or resources appeared or disappeared."""
        fixed = slice(world.units.num_mobile, None)
        changed = (world.units.alive[:, fixed] != self.stands).any(1)
        for game in np.flatnonzero(changed):
            self._survey_game(world, int(game))
        used = np.any(self.stands, axis=0)
        self._num_used = len(used) - int(used[::-1].argmax()) if used.any() else 0

    def can_build(self, world: World, game: int, type_index: int, centre: np.ndarray) -> int:
        """Checks the location of a building.

        Args:
          world: the games.
          game: index of the game.
          type_index: index into the types.
          centre: float64 [2], from `footprints.snap`; for a refinery the position of the geyser.

        Returns:
          a code of `results`.
        """
        footprint = world.units.stats.footprint[type_index]
        cells = footprints.cells(centre, footprint)
        if type_index == self._roles.refinery:
            at_place = self.fixed_at(world, game, centre)
            free = list(world.units.type[game, at_place]) == [self._roles.geyser]
            return results.OK if free else results.CANT_BUILD_LOCATION_INVALID
        if self.taken[game][cells].any() or self.area[cells].sum() < footprint.prod():
            return results.CANT_BUILD_LOCATION_INVALID
        if type_index == self._roles.town_hall and self._near_resources(world, game)[cells].any():
            return results.CANT_BUILD_TOO_CLOSE_TO_RESOURCES
        return results.OK

    def fixed_at(self, world: World, game: int, centre: np.ndarray) -> np.ndarray:
        """Returns the fixed slots of units with their centre at a point, float64 [2]: int [n]."""
        same = (world.units.position[:, game] == centre[:, None]).all(0) & world.units.alive[game]
        same[: world.units.num_mobile] = False
        return np.flatnonzero(same)

    def crosses(self, games: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Whether a box blocks the segment between two points; boxes that contain `start` do not.

        Args:
          games: int [n].
          start, end: float64 [2, n].

        Returns:
          bool [n].
        """
        low, high = self._boxes(games)
        offset = end - start
        # A segment parallel to an axis has practically no bound across it.
        per_offset, start = (
            (1 / np.where(offset == 0, 1e-12, offset))[:, :, None],
            start[:, :, None],
        )
        low -= start
        low *= per_offset
        high -= start
        high *= per_offset
        enter_x, enter_y = np.minimum(low, high)
        leave_x, leave_y = np.maximum(low, high, out=low)
        enter = np.maximum(enter_x, enter_y)
        hit = enter < np.minimum(leave_x, leave_y)
        hit &= enter > 0
        hit &= enter < 1
        return np.any(hit, axis=1)

    def covers(self, games: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Returns the boxes that contain points [2, n]: bool [n, b], b being the slots in use."""
        low, high = self._boxes(games)
        points = points[:, :, None]
        return np.all((low < points) & (points < high), axis=0)

    def evict(self, world: World, running: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Moves units out of buildings that they were pushed into or that appeared on them.

        Units that are not solid are skipped: they walk out by themselves.

        Args:
          world: changed in place.
          running: bool [K].

        Returns:
          games and slots of the moved units, int [n] each.
        """
        units = world.units
        last = units.num_used()
        position = units.position[:, :, :last]
        moved = (position != self.cleared[:, :, :last]).any(0) & running[:, None]
        moved &= units.alive[:, :last] & units.solid[:, :last]
        games, slots = np.nonzero(moved)
        if not games.size:
            return games, slots
        points = position[:, games, slots]
        self.cleared[:, games, slots] = points
        inside = self._on_taken_cell(games, points)
        games, slots, points = games[inside], slots[inside], points[:, inside]
        inside = self.covers(games, points)
        stuck = inside.any(1)
        games, slots, points = games[stuck], slots[stuck], points[:, stuck]
        if not games.size:
            return games, slots

        self.cleared[:, games, slots] = np.inf
        offset = self._exits(units, (games, slots), points, inside[stuck].argmax(1)) - points
        distance = geometry.length(offset)
        end = points + offset * np.minimum(1, EVICTION_SPEED / distance)
        end[:, distance <= EVICTION_SPEED] = (points + offset)[:, distance <= EVICTION_SPEED]
        stands = (units.goal[:, games, slots] == points).all(0)
        units.position[:, games, slots] = end
        units.goal[:, games[stands], slots[stands]] = end[:, stands]
        return games, slots

    def nearest_free_cell(
        self, game: int, point: np.ndarray, others: np.ndarray = NO_POINTS
    ) -> np.ndarray:
        """Returns the centre [2] of the free cell nearest to a point [2]; of ties the first.

        Cells too near to other units, float64 [2, n], are used only if there are no others; without
        a free cell the point itself is returned.
        """
        rows, columns = np.nonzero(self.area & ~self.taken[game])
        if not rows.size:
            return point
        middles = np.stack([columns, rows]) + 0.5
        gaps = geometry.length(middles[:, :, None] - others[:, None])
        crowded = (gaps < 2 * UNIT_RADIUS).any(1)
        distance = np.square(middles - point[:, None]).sum(0)
        return middles[:, np.lexsort((distance, crowded))[0]]

    def _survey_game(self, world: World, game: int) -> None:
        units = world.units
        first = units.num_mobile
        stands = units.alive[game, first:]
        half = units.stats.footprint[units.type[game, first:]].T / 2
        centre = units.position[:, game, first:]
        margin = UNIT_RADIUS - TOLERANCE
        self.low[:, game] = np.where(stands, centre - half - margin, np.inf)
        self.high[:, game] = np.where(stands, centre + half + margin, -np.inf)
        self.stands[game] = stands
        self.taken[game] = False
        for slot in first + np.flatnonzero(stands):
            footprint = units.stats.footprint[units.type[game, slot]]
            self.taken[game][footprints.cells(units.position[:, game, slot], footprint)] = True
        self.version[game] += 1
        boxes = self.low[:, game].tobytes() + self.high[:, game].tobytes()
        self.digest[game] = np.frombuffer(
            hashlib.blake2b(boxes, digest_size=16).digest(), np.uint64
        )
        self.cleared[:, game] = np.inf
        world.terrain_changed[game] = True

    def _near_resources(self, world: World, game: int) -> np.ndarray:
        units = world.units
        mask = np.zeros_like(self.area)
        resource = units.alive[game] & (units.stats.contents > 0)[units.type[game]]
        for slot in np.flatnonzero(resource):
            footprint = units.stats.footprint[units.type[game, slot]]
            footprints.keep_clear(mask, units.position[:, game, slot], footprint)
        return mask

    def _boxes(self, games: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Returns copies of the box corners of n games, limited to slots in use: [2, n, b] each."""
        last = self._num_used
        return self.low[:, :, :last].take(games, axis=1), self.high[:, :, :last].take(games, axis=1)

    def _on_taken_cell(self, games: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Whether the squares around points [2, n] touch a covered cell."""
        low = np.floor(points - UNIT_RADIUS).astype(np.int64)
        high = np.floor(points + UNIT_RADIUS).astype(np.int64)
        found = np.zeros([len(games)], bool)
        for x in (low[0], high[0]):
            for y in (low[1], high[1]):
                found |= self.taken[games, y, x]
        return found

    def _exits(
        self, units: Units, at: Tuple[np.ndarray, ...], points: np.ndarray, box: np.ndarray
    ) -> np.ndarray:
        """Returns the nearest free point beside the box of every point, else a free cell.

        Points at units that cannot be pushed are used only if there are no others.
        """
        games, _ = at
        low = self.low[:, games, box] - TOLERANCE
        high = self.high[:, games, box] + TOLERANCE
        exits = np.repeat(points[:, :, None], 4, axis=2)
        exits[0, :, 0], exits[0, :, 1] = low[0], high[0]
        exits[1, :, 2], exits[1, :, 3] = low[1], high[1]
        within = (exits == geometry.clamp(exits, self._playable)).all(0)
        taken = self.covers(games.repeat(4), exits.reshape(2, -1)).any(1)
        within &= ~taken.reshape(within.shape)
        distance = geometry.length(exits - points[:, :, None])
        distance += _FAR * self._held(units, at, exits)
        distance[~within] = np.inf
        chosen = exits[:, np.arange(len(games)), distance.argmin(1)]
        for index in np.flatnonzero(~within.any(1)):
            chosen[:, index] = self.nearest_free_cell(games[index], points[:, index])
        return chosen

    def _held(self, units: Units, at: Tuple[np.ndarray, ...], points: np.ndarray) -> np.ndarray:
        """Whether another unit that cannot be pushed stands at points [2, n, 4]: bool [n, 4]."""
        games, slots = at
        mobile = slice(0, units.num_mobile)
        stays = units.bound[games] | (units.order_kind[games, :, 0] == orders.HOLD)
        stays &= units.alive[games, mobile]
        stays[np.arange(len(games)), slots] = False
        members = stays.any(0)
        if not members.any():
            return np.zeros(points.shape[1:], bool)
        there = units.position[:, games, mobile][:, :, members]
        near = geometry.length(points[:, :, :, None] - there[:, :, None]) < 2 * UNIT_RADIUS
        return (near & stays[:, None, members]).any(2)

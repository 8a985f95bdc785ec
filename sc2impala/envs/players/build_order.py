"""Players of the maps with an economy that follow a build order, without any memory.

Their calls are a function of the current observation alone, which shows every decision: a unit
that must get an order is either selected already, or selected by this call. An agent that executes
another call, or misses a pixel, is corrected on the next observation. This makes them easy to
imitate.
"""

import abc
from typing import Mapping, Sequence, Tuple

import numpy as np

from sc2impala.envs.players import sight, unit_types
from sc2impala.envs.players.calls import Calls
from sc2impala.envs.players.economy import Economy
from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.envs.players.unit_types import (
    BARRACKS,
    COMMAND_CENTER,
    COST,
    MARINE,
    MINERAL_FIELD,
    REFINERY,
    SCV,
    SUPPLY_DEPOT,
)
from sc2impala.structs import Nest

NOTHING = 0
"""Placeholder without a unit type."""

_FUNCTIONS = {
    SUPPLY_DEPOT: 'Build_SupplyDepot_screen',
    REFINERY: 'Build_Refinery_screen',
    BARRACKS: 'Build_Barracks_screen',
    COMMAND_CENTER: 'Build_CommandCenter_screen',
}
_ONE, _ALL = 0, 2
"""Values of select_worker; the latter also of select_point_act, for all units of a type."""

_MINERAL_LINE = (23, 33)
"""Point between the first command centre and its mineral fields, on a screen of 84 x 84."""

_WORKERS_QUEUED = 2  # With one, a command centre is idle until the next call.
_CELLS = 24  # On a screen, across and down.
_MARINE_RADIUS = 0.5  # In cells, on the screen.
_BESIDE = 1.25  # Largest distance in cells of a worker to the edge of its building.
_TOLERANCE = 0.3  # In cells: a building may stand half a cell off the point of the order.
_COST_OF = np.zeros([max(_FUNCTIONS) + 1], np.int64)
_COST_OF[list(_FUNCTIONS)] = [COST[unit_type] for unit_type in _FUNCTIONS]


class Town(Economy):
    """An `Economy` whose buildings are planned.

    selected, done: bool [K, N], the selected units, and those that are not under construction.
    workers: int [K], the number of workers, those in training included.
    """

    def __init__(self, observation: Mapping[str, Nest], seen_size: Tuple[int, int]):
        """Reads units and resources from an observation.

        Args:
          observation: must contain the vectors player and feature_units.
          seen_size: (width, height) of the screen in whose pixels it gives the units.
        """
        rows = observation['feature_units']
        in_use = (sight.Units(rows).column('unit_type') > 0).any(axis=0)
        last = np.flatnonzero(in_use).max(initial=0)
        super().__init__(dict(observation, feature_units=rows[:, : last + 1]))
        self.selected = self.units.column('is_selected') > 0
        self.done = self.units.column('build_progress') >= 100
        self.workers = observation['player'][:, 6]
        self._cells = (self.units.pixel + 0.5) * _CELLS / seen_size

    def complete(self, unit_type: int) -> np.ndarray:
        """Returns the own units of a type that are not under construction: bool [K, N]."""
        return self.all(unit_type) & self.done

    def queued(self, unit_type: int) -> np.ndarray:
        """Returns the number of units in the queues of the buildings of a type: int [K]."""
        length = self.units.column('order_length')
        return np.where(self.complete(unit_type), length, 0).sum(axis=1)

    def free_workers(self) -> np.ndarray:
        """Returns the workers that do not stand at a building that they construct: bool [K, N]."""
        free = self.all(SCV)
        order = self.units.column('order_id_0')
        for unit_type, construction in unit_types.CONSTRUCTION.items():
            unfinished = self.all(unit_type) & ~self.done
            reach = unit_types.WIDTH[unit_type] / 2 + _BESIDE
            for game, row in zip(*np.nonzero(free & (order == construction))):
                near = np.abs(self._cells[game] - self._cells[game, row]) <= reach
                free[game, row] = not (unfinished[game] & near[:, 0] & near[:, 1]).any()
        return free

    def below_marines(self, screen_size: Tuple[int, int]) -> np.ndarray:
        """Returns the units that a click cannot select because a marine is in the way.

        Args:
          screen_size: (width, height) of the screen that is clicked on.

        Returns:
          bool [K, N].
        """
        below = np.zeros_like(self.selected)
        marines = self.all(MARINE)
        clicked = np.floor(self._cells * screen_size / _CELLS)
        for game in np.flatnonzero(marines.any(axis=1)):
            shape = len(clicked[game]), marines[game].sum()
            same, near = np.ones(shape, bool), np.ones(shape, bool)
            for axis in (0, 1):
                pixels, cells = clicked[game, :, axis], self._cells[game, :, axis]
                same &= pixels[:, np.newaxis] == pixels[marines[game]]
                near &= np.abs(cells[:, np.newaxis] - cells[marines[game]]) < _MARINE_RADIUS
            below[game] = (same | near).any(axis=1)
        return below

    def first_site(
        self, where: np.ndarray, sites: np.ndarray, unit_type: int
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the first site that no depot or barracks overlaps.

        Args:
          where: bool [K], the games in which it is needed.
          sites: [n, 2], points (x, y) in cells from the upper left corner of the screen.
          unit_type: what to build there.

        Returns:
          int [K], the index of the site, and bool [K], where there is one.
        """
        overlap = np.zeros([len(where), len(sites)], bool)
        for other in (SUPPLY_DEPOT, BARRACKS):
            built = self.all(other)
            reach = (unit_types.WIDTH[unit_type] + unit_types.WIDTH[other]) / 2 - _TOLERANCE
            for game in np.flatnonzero(where):
                centres = self._cells[game, built[game]]
                near = np.abs(sites[:, np.newaxis] - centres) < reach
                overlap[game] |= (near[..., 0] & near[..., 1]).any(axis=1)
        return overlap.argmin(axis=1), where & ~overlap.all(axis=1)


class BuildOrderPlayer(ScriptedPlayer):
    """Constructs the next building, then sends idle workers to work, then trains units.

    A subclass implements `next_building` and `work`, and adds to `train`. A worker is ordered to
    build until the building appears, an idle one or else the nearest one to a fixed place.

    sites: points by unit type, int [n, 2], on a screen of size `screen_size`. The first free one is
        used: a building that stands in the wrong place does not stop the others.
    max_workers: no more are trained.
    """

    vectors = ('player', 'feature_units')
    sites: Mapping[int, np.ndarray] = {}
    max_workers = 200

    def decide(self, observation: Mapping[str, Nest], calls: Calls) -> None:
        """See `ScriptedPlayer.decide`."""
        town = Town(observation, self.seen_size)
        building, site = self._choose_sites(town, self.next_building(town))
        self._construct(town, calls, building, site)
        idle, selected = town.idle(SCV), town.all(SCV) & town.selected
        number = selected.sum(axis=1)
        only_idle = (number > 0) & ((selected & idle).sum(axis=1) == number)
        calls.choose(only_idle, 'Harvest_Gather_screen', screen=self.work(town))
        calls.choose(idle.sum(axis=1) > 0, 'select_idle_worker', select_worker=_ALL)
        self.train(town, calls, building)

    @abc.abstractmethod
    def next_building(self, town: Town) -> np.ndarray:
        """Returns the type of the next building, or NOTHING: int [K]."""

    @abc.abstractmethod
    def work(self, town: Town) -> np.ndarray:
        """Returns what idle workers harvest: pixels int [K, 2]."""

    def train(self, town: Town, calls: Calls, building: np.ndarray) -> None:
        """Trains units; here workers.

        Args:
          town: the visible units and resources.
          calls: calls to decide.
          building: int [K], result of `next_building`.
        """
        fewer = town.workers < self.max_workers
        self.fill_queues(town, calls, fewer, COMMAND_CENTER, 'Train_SCV_quick', _WORKERS_QUEUED)

    def fill_queues(
        self,
        town: Town,
        calls: Calls,
        where: np.ndarray,
        producer: int,
        function: str,
        max_queued: int,
    ) -> None:
        """Trains units in all buildings of a type, whose queues are filled evenly.

        Args:
          town: the visible units and resources.
          calls: calls to decide.
          where: bool [K], the games in which the units are wanted.
          producer: the type of the buildings.
          function: the name of the function.
          max_queued: number of units that a building may have in its queue.
        """
        made_by = town.complete(producer)
        number = made_by.sum(axis=1)
        trains = where & (town.queued(producer) < max_queued * number)
        trains &= (town.minerals >= COST[SCV]) & (town.food_left > 0)
        calls.choose(trains & ((made_by & town.selected).sum(axis=1) == number), function)
        units = town.units
        leftmost = sight.least(made_by, units.column('x'), units.column('y'))
        calls.choose(trains, 'select_point', screen=units.pixel_of(leftmost), select_point_act=_ALL)

    def nearest_field(self, town: Town, point: Sequence[int]) -> np.ndarray:
        """Returns the mineral field nearest to a point on a screen of size `screen_size`.

        Returns:
          pixels int [K, 2].
        """
        return self._nearest(town, town.units.select_type(MINERAL_FIELD), point)

    def site_of(
        self, town: Town, where: np.ndarray, unit_type: int
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Returns where to build.

        Args:
          town: the visible units and resources.
          where: bool [K], the games in which a building of the type is next.
          unit_type: its type.

        Returns:
          pixels int32 [K, 2], and bool [K], in which of these games there is a site.
        """
        sites = (self.sites[unit_type] + 0.5) / self.screen_size
        index, found = town.first_site(where, sites * _CELLS, unit_type)
        return (sites * self.seen_size).astype(np.int32)[index], found

    def _choose_sites(self, town: Town, building: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the types, NOTHING where there is no site, and sites as pixels: int32 [K, 2]."""
        chosen = np.full_like(building, NOTHING)
        site = np.zeros([len(building), 2], np.int32)
        for unit_type in np.unique(building[building != NOTHING]):
            point, found = self.site_of(town, building == unit_type, unit_type)
            chosen[found] = unit_type
            site[found] = np.broadcast_to(point, site.shape)[found]
        return chosen, site

    def _construct(self, town: Town, calls: Calls, building: np.ndarray, site: np.ndarray) -> None:
        """Orders a worker to build the affordable building, or selects workers.

        A click selects all workers, as it does all buildings of a type: an agent that draws the
        point and the kind of the selection independently cannot confuse them.
        """
        affordable = (building != NOTHING) & (town.minerals >= _COST_OF[building])
        free = town.free_workers()
        ready = affordable & (town.selected & free).any(axis=1)
        for unit_type in np.unique(building[ready]):
            calls.choose(ready & (building == unit_type), _FUNCTIONS[unit_type], screen=site)
        has_idle = affordable & town.idle(SCV).any(axis=1)
        calls.choose(has_idle, 'select_idle_worker', select_worker=_ONE)
        seen = free & ~town.below_marines(self.action_spec.screen_size)
        worker = self._nearest(town, seen, _MINERAL_LINE)
        some = affordable & seen.any(axis=1)
        calls.choose(some, 'select_point', screen=worker, select_point_act=_ALL)

    def _nearest(self, town: Town, among: np.ndarray, point: Sequence[int]) -> np.ndarray:
        """Returns the pixel, int32 [K, 2], of the unit among these that is nearest to a point."""
        seen = ((np.array(point) + 0.5) * self.seen_size / self.screen_size).astype(np.int32)
        pixels = town.units.pixel
        to_all = sight.squared_distance(pixels, np.broadcast_to(seen, [len(pixels), 2]))
        return town.units.pixel_of(sight.least(among, to_all))


def first_missing(town: Town, order: Sequence[Tuple[int, int, int]]) -> np.ndarray:
    """Returns the type of the first building of a build order that does not exist yet.

    Args:
      town: the visible units and resources.
      order: (unit type, number, workers) each: build until the number of the type is reached.
        An entry waits, and with it all that follow, until the number of workers is reached.

    Returns:
      int [K]; NOTHING while an entry waits, and when all has been built.
    """
    first = np.full([len(town.workers)], NOTHING)
    complete_so_far = np.ones([len(town.workers)], bool)
    for unit_type, number, workers in order:
        missing = town.number(unit_type) < number
        first[complete_so_far & missing & (town.workers >= workers)] = unit_type
        complete_so_far &= ~missing
    return first

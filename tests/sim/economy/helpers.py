"""Games of the two maps with an economy, that tests can modify."""

import numpy as np

from sc2impala.sim import functions, geometry, orders, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import ground, harvesters, lifecycle
from sc2impala.sim.units import NO_UNIT
from tests.sim import players

GAS, MARINES = 'CollectMineralsAndGas', 'BuildMarines'
NUM_MOBILE, FIRST_BUILDING = 200, 220
COMMAND_CENTER = (30.5, 27.5)
GEYSER = (26.5, 20.5)


@compiled
def _create(games, rules, i, type_index, owner, x, y):
    lifecycle.create(games[0], rules[0], i, type_index, owner, x, y)
    ground.survey(games[0], rules[0])


@compiled
def _kill(games, i):
    lifecycle.kill(games[0], i)


@compiled
def _give(games, i, order_kind, x, y, target):
    orders.give(games[0], i, order_kind, x, y, False, target, 0)


def build(game, k, unit_type):
    """Creates a complete building on free ground in game k; returns its slot."""
    g = game.games[k]
    type_ids = [candidate.unit_type for candidate in game.unit_types]
    slot = FIRST_BUILDING + int(np.argmin(g.alive[FIRST_BUILDING:]))
    columns, rows = unit_type.footprint
    x, y = next(
        (x, y)
        for y in range(22, 34)
        for x in range(26, 42)
        if not g.taken[y : y + rows, x : x + columns].any()
    )
    type_index = type_ids.index(unit_type.unit_type)
    middle = x + columns / 2, y + rows / 2
    _create(game._games[k : k + 1], game._rules, slot, type_index, unit_types.SELF, *middle)
    return slot


class Base:
    """One game, by default without workers.

    game: the GameBatch of one game. g, rules: the records of the game and of its map.
    """

    def __init__(self, map_name=GAS, workers=0, minerals=50, seed=0, **layers):
        self.game = players.make(map_name, [seed], **layers)
        self.game.reset()
        self.g, self.rules = self.game.games[0], self.game.rules
        self.types = self.game.unit_types
        self.kill(*self.slots(unit_types.SCV)[workers:])
        self.g.minerals = minerals

    def type_index(self, unit_type):
        """The index of the map's type with the same id."""
        return [candidate.unit_type for candidate in self.types].index(unit_type.unit_type)

    def slots(self, unit_type):
        """The slots of living units of a type."""
        return np.flatnonzero((self.g.alive != 0) & (self.g.type == self.type_index(unit_type)))

    def put(self, unit_type, x, y, owner=unit_types.SELF):
        """Creates a unit or complete building at a point; returns its slot."""
        first = FIRST_BUILDING if unit_type.is_structure else 0
        slot = first + int(np.argmin(self.g.alive[first:]))
        type_index = self.type_index(unit_type)
        _create(*self._records(), slot, type_index, owner, float(x), float(y))
        return slot

    def kill(self, *slots):
        for slot in slots:
            _kill(self._records()[0], int(slot))

    def slot_at(self, x, y):
        """The slot of the building or resource at a point."""
        there = (self.g.alive != 0) & (self.g.x == x) & (self.g.y == y)
        (slot,) = NUM_MOBILE + np.flatnonzero(there[NUM_MOBILE:])
        return int(slot)

    def where(self, slot):
        return float(self.g.x[slot]), float(self.g.y[slot])

    def select(self, *slots):
        self.game.select(np.isin(np.arange(len(self.g.alive)), slots)[None])

    def act(self, function, point=None, queued=0, **arguments):
        """Calls a function, with the pixel that shows a point; returns the result."""
        arguments = {name: np.array([value]) for name, value in arguments.items()}
        arguments['queued'] = np.array([queued])
        if point is not None:
            arguments['screen'] = self.pixel(*point)[None]
        self.game.act(np.array([function]), arguments)
        return int(self.g.action_result)

    def pixel(self, x, y):
        """The (column, row) of the screen that shows a point."""
        reach = geometry.CAMERA_EXTENT / 2
        across = (x - self.g.camera_x + reach) * self.rules.screen_across
        down = (self.g.camera_y + reach - y) * self.rules.screen_down
        return np.floor([across, down]).astype(int)

    def order(self, slot, order_kind, x=0.0, y=0.0, target=NO_UNIT):
        """Gives a unit an order directly, without a function call."""
        _give(self._records()[0], slot, order_kind, float(x), float(y), target)

    def run(self, loops):
        self.game.advance(np.array([loops]))

    def run_until(self, done, limit=2000):
        """Advances until `done()`; returns the number of frames."""
        for loop in range(limit):
            if done():
                return loop
            self.run(1)
        raise AssertionError(f'It did not happen in {limit} loops.')

    def offers(self):
        self.run(0)  # Fields may have been written since the functions were listed.
        return list(np.flatnonzero(self.game.observe()['available_actions'][0]))

    def order_kind(self, slot):
        """The order kind of the current order of a unit."""
        return int(self.g.order_kind[slot, 0])

    def _records(self):
        return self.game._games, self.game._rules


GATHER = functions.HARVEST_GATHER_SCREEN
RETURN = functions.HARVEST_RETURN_QUICK
DEPOT = functions.BUILD_SUPPLY_DEPOT_SCREEN
BARRACKS = functions.BUILD_BARRACKS_SCREEN


def refinery_geyser(base):
    geysers = base.slots(unit_types.VESPENE_GEYSER)
    (at_place,) = [slot for slot in geysers if base.where(slot) == GEYSER]
    return at_place


def tapped(base, workers):
    """A refinery with workers that are on their way to it; returns its slot and theirs."""
    refinery = base.put(unit_types.REFINERY, *GEYSER)
    harvesters.tap(base.g, refinery, refinery_geyser(base))
    slots = [base.put(unit_types.SCV, 27 + 0.8 * i, 24) for i in range(workers)]
    for slot in slots:
        base.order(slot, orders.GATHER, target=refinery)
    return refinery, slots

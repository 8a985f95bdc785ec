"""Games of the two maps with an economy, that tests can modify."""

import numpy as np

from sc2impala.sim import functions, geometry, orders, unit_types
from sc2impala.sim.units import NO_UNIT
from tests.sim import players

GAS, MARINES = 'CollectMineralsAndGas', 'BuildMarines'
GAME = np.array([0])
COMMAND_CENTER = (30.5, 27.5)


class Base:
    """One game, by default without workers."""

    def __init__(self, map_name=GAS, workers=0, minerals=50, seed=0):
        self.game = players.make(map_name, [seed])
        self.game.reset()
        self.world = self.game._world
        self.units = self.world.units
        self.mechanics = self.world.mechanics
        extra = self.slots(unit_types.SCV)[workers:]
        if extra.size:
            self.world.kill(np.zeros_like(extra), extra)
        self.world.minerals[:] = minerals

    def type_of(self, unit_type):
        """The type of the map with the same id."""
        ids = [candidate.unit_type for candidate in self.units.types]
        return self.units.types[ids.index(unit_type.unit_type)]

    def slots(self, unit_type):
        """The slots of living units of a type."""
        type_index = self.units.types.index(self.type_of(unit_type))
        return np.flatnonzero(self.units.alive[0] & (self.units.type[0] == type_index))

    def put(self, unit_type, x, y, owner=unit_types.SELF):
        """Creates a unit or complete building at a point; returns its slot."""
        mobile = not unit_type.is_structure
        free = np.flatnonzero(~self.units.alive[0])
        first = self.units.num_mobile
        slot = free[free < first][0] if mobile else free[free >= first + 20][0]
        point = np.array([[x], [y]], float)
        self.world.put(GAME, np.array([slot]), self.type_of(unit_type), owner, point)
        self.mechanics['ground'].survey(self.world)
        return int(slot)

    def slot_at(self, x, y):
        """The slot of the building or resource at a point."""
        (slot,) = self.mechanics['ground'].fixed_at(self.world, 0, np.array([x, y]))
        return int(slot)

    def where(self, slot):
        return tuple(self.units.position[:, 0, slot])

    def select(self, *slots):
        self.units.selected[0] = np.isin(np.arange(self.units.alive.shape[1]), slots)
        self.game._available = None

    def act(self, function, point=None, queued=0, **arguments):
        """Calls a function, with the pixel that shows a point; returns the result."""
        arguments = {name: np.array([value]) for name, value in arguments.items()}
        arguments['queued'] = np.array([queued])
        if point is not None:
            arguments['screen'] = self.pixel(*point)[None]
        self.game.act(np.array([function]), arguments)
        return int(self.world.action_result[0])

    def pixel(self, x, y):
        corner = geometry.screen_corner(self.world.camera[:, 0])
        return np.floor(self.world.screen.to_pixels(np.array([x, y]), corner)).astype(int)

    def order(self, slot, order_kind, x=0.0, y=0.0, target=NO_UNIT):
        """Gives a unit an order directly, without a function call."""
        point = np.zeros([2, 1, self.units.num_mobile]) + np.reshape([x, y], [2, 1, 1])
        orders.give(
            self.units,
            GAME,
            chosen=(np.arange(self.units.num_mobile) == slot)[None],
            order_kind=np.array([[order_kind]]),
            point=point,
            queued=np.array([False]),
            target=np.array([[target]]),
        )

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
        return list(np.flatnonzero(self.game.observe()['available_actions'][0]))

    def order_kind(self, slot):
        """The order kind of the current order of a unit."""
        return int(self.units.order_kind[0, slot, 0])


GATHER = functions.HARVEST_GATHER_SCREEN
RETURN = functions.HARVEST_RETURN_QUICK
DEPOT = functions.BUILD_SUPPLY_DEPOT_SCREEN
BARRACKS = functions.BUILD_BARRACKS_SCREEN

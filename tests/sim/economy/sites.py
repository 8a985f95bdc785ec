"""Games with a base and units that walk, but neither harvest nor build nor fight."""

import numpy as np

from sc2impala.sim import geometry, movement, orders, overlaps, state, unit_types, units
from sc2impala.sim import rules as rules_of
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import eviction, ground, navigation, unit_roles

TYPES = (
    unit_types.SCV,
    unit_types.MARINE,
    unit_types.COMMAND_CENTER,
    unit_types.SUPPLY_DEPOT,
    unit_types.REFINERY,
    unit_types.BARRACKS,
    unit_types.MINERAL_FIELD,
    unit_types.VESPENE_GEYSER,
)
SIZES = {'M': 200, 'L': 200, 'U': 320, 'B': 120}
FIELDS = units.GAME_FIELDS + units.UNIT_FIELDS + overlaps.FIELDS + movement.FIELDS
FIELDS += ground.FIELDS + eviction.FIELDS + navigation.FIELDS
MINERAL_FIELDS = (
    [(25.0, 22.5), (24.0, 23.5), (24.0, 25.5), (23.0, 26.5)]
    + [(23.0, 28.5), (24.0, 29.5), (24.0, 31.5), (25.0, 32.5)]
    + [(41.0, 22.5), (42.0, 23.5), (42.0, 25.5), (43.0, 26.5)]
    + [(43.0, 28.5), (42.0, 29.5), (42.0, 31.5), (41.0, 32.5)]
)
GEYSERS = [(26.5, 20.5), (26.5, 34.5), (39.5, 20.5), (39.5, 34.5)]
COMMAND_CENTER = (30.5, 27.5)
FIRST_BUILDING = SIZES['M'] + len(MINERAL_FIELDS) + len(GEYSERS)


@compiled
def _play(g, rules, loops):
    for _ in range(loops):
        g.game_loop += 1
        ground.survey(g, rules)
        navigation.step(g, rules)
        movement.walk(g, rules)
        movement.push_apart(g, rules)
        eviction.evict(g, rules)
        navigation.note_pushed(g, rules)


def make_rules():
    """The constants of a map with these types: the array of one record."""
    return rules_of.make(
        TYPES,
        geometry.SINGLE_SCREEN_WITH_BASE,
        (32, 32),
        (32, 32),
        num_units=SIZES['U'],
        num_resources=FIRST_BUILDING - SIZES['M'],
        **unit_roles.roles(TYPES),
    )


class Site:
    """One game: `g` and `rules` are the records that compiled functions take."""

    def __init__(self):
        # Records refer to these arrays.
        self._games, self._rules = state.blank_record(FIELDS, SIZES), make_rules()
        self.g, self.rules = self._games[0], self._rules[0]
        self.slot_of = {}
        places = [(unit_types.MINERAL_FIELD, point) for point in MINERAL_FIELDS]
        places += [(unit_types.VESPENE_GEYSER, point) for point in GEYSERS]
        for slot, (unit_type, point) in enumerate(places, SIZES['M']):
            self.place(slot, unit_type, *point, owner=unit_types.NEUTRAL)
            self.slot_of[point] = slot
        self.slot_of[COMMAND_CENTER] = self.put(unit_types.COMMAND_CENTER, *COMMAND_CENTER)

    def put(self, unit_type, x, y):
        """Creates a unit or complete building at a point; returns its slot."""
        first = FIRST_BUILDING if unit_type.is_structure else 0
        slot = first + int(np.argmin(self.g.alive[first:]))
        self.place(slot, unit_type, x, y)
        ground.survey(self.g, self.rules)
        return slot

    def place(self, slot, unit_type, x, y, owner=unit_types.SELF):
        """Creates a unit in a slot."""
        type_index = TYPES.index(unit_type)
        units.put(self.g, self.rules, slot, type_index, owner, float(x), float(y))
        navigation.forget(self.g, slot)

    def kill(self, slot):
        units.remove(self.g, slot)
        navigation.forget(self.g, slot)

    def where(self, slot):
        return float(self.g.x[slot]), float(self.g.y[slot])

    def points(self, slots):
        """The positions of units: float64 [2, n]."""
        return np.stack([self.g.x[slots], self.g.y[slots]])

    def order(self, slot, order_kind, x=0.0, y=0.0):
        orders.give(self.g, slot, order_kind, float(x), float(y), False, units.NO_UNIT, 0)

    def order_kind(self, slot):
        return int(self.g.order_kind[slot, 0])

    def run(self, loops):
        _play(self.g, self.rules, loops)

    def run_until(self, done, limit=2000):
        """Advances until `done()`; returns the number of frames."""
        for loop in range(limit):
            if done():
                return loop
            self.run(1)
        raise AssertionError(f'It did not happen in {limit} loops.')

    def wall(self, *points):
        """Builds supply depots."""
        for x, y in points:
            self.put(unit_types.SUPPLY_DEPOT, x, y)


def inside(site, slot, x, y, half):
    """The depth of the centre of a unit inside of the box around a building."""
    away = np.abs(np.array(site.where(slot)) - (x, y))
    return (half + 0.375 - away).min()

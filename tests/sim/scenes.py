"""Games for tests of function calls: units at given places, which do not move."""

import numpy as np

from sc2impala.sim import actions, functions, geometry, pixels, rules, unit_types, units
from sc2impala.sim.compiler import compiled
from sc2impala.sim.games.game import BATTLE

MARINE, ZERGLING, ROACH = unit_types.MARINE, unit_types.ZERGLING, unit_types.ROACH
BEACON, SCV = unit_types.BEACON, unit_types.SCV
SELF, ENEMY, NEUTRAL = unit_types.SELF, unit_types.ENEMY, unit_types.NEUTRAL


class Scene:
    """One game of units given as (type, owner, x, y), in the order of their slots.

    games: its record, in an array. g: the same as a record, whose fields can be read and written.
    all_rules, rules: the constants of the map, likewise.
    available: bool [573], the functions that can be called: all of them by default.
    """

    def __init__(
        self, *given, arena=geometry.OPEN_FIELD, screen=(84, 84), minimap=(64, 64), **options
    ):
        """options: fields of the constants of the map."""
        types = tuple(dict.fromkeys(unit_type for unit_type, _, _, _ in given))
        options = dict({'has_targets': True}, **options)
        self.all_rules = rules.make(types, arena, screen, minimap, **options)
        self.rules = self.all_rules[0]
        self.games = BATTLE.blank()
        self.g = self.games[0]
        self.g.camera_x, self.g.camera_y = arena.camera
        for slot, (unit_type, owner, x, y) in enumerate(given):
            index = types.index(unit_type)
            _put(self.games, self.all_rules, slot, index, owner, float(x), float(y))
        self.available = np.ones([functions.NUM_FUNCTIONS], np.uint8)

    def call(self, function, place=None, target=units.NO_UNIT, **given):
        """Calls a function; returns the result.

        Arguments are pixels (column, row) or ints by name; `place` is a point of the world, and
        `target` the slot of the unit there.
        """
        table = functions.calls(
            np.array([function]),
            {name: np.array([value]) for name, value in given.items()},
            1,
            None if place is None else (np.array([place], float).T, np.array([target])),
        )
        _execute(self.games, self.all_rules, table, self.available)
        return int(self.g.action_result)

    def select(self, *slots):
        self.g.selected[:] = False
        self.g.selected[list(slots)] = True

    def selected(self):
        """Slots of the selected units."""
        return np.flatnonzero(self.g.selected).tolist()

    def order(self, slot):
        """Kind, target point and target unit of the current order of a unit."""
        g = self.g
        point = float(g.order_x[slot, 0]), float(g.order_y[slot, 0])
        return int(g.order_kind[slot, 0]), point, int(g.order_target[slot, 0])

    def screen_pixel(self, x, y):
        """The pixel of the screen that shows a point of the world."""
        at = (
            pixels.screen_column(self.g, self.rules, float(x)),
            pixels.screen_row(self.g, self.rules, float(y)),
        )
        return [int(np.floor(value)) for value in at]

    def minimap_pixel(self, x, y):
        """The pixel of the minimap that shows a point of the world."""
        at = pixels.minimap_column(self.rules, float(x)), pixels.minimap_row(self.rules, float(y))
        return [int(np.floor(value)) for value in at]


@compiled
def _put(games, rules_of_map, slot, type_index, owner, x, y):
    units.put(games[0], rules_of_map[0], slot, type_index, owner, x, y)


@compiled
def _execute(games, rules_of_map, calls, available):
    actions.execute(games[0], rules_of_map[0], calls[0], available)

"""Games with units at given points, that are drawn and observed without playing."""

import numpy as np

from sc2impala.sim import (
    feature_units,
    functions,
    geometry,
    kernels,
    layers,
    limits,
    observation,
    unit_types,
)
from sc2impala.sim import rules as rules_of
from sc2impala.sim.drawing import Drawing
from sc2impala.sim.games.game import BATTLE

TYPES = (unit_types.MARINE, unit_types.BEACON)


class Scene:
    """K games; `games` are their records, `rules` is the array of the record of the map."""

    def __init__(
        self,
        num_games=1,
        screen=(84, 84),
        minimap=(64, 64),
        types=TYPES,
        arena=geometry.SINGLE_SCREEN,
    ):
        self.types = tuple(types)
        self.rules = rules_of.make(
            self.types, arena, screen, minimap, num_units=BATTLE.num_units
        ).view(np.ndarray)
        self.games = np.repeat(BATTLE.blank(), num_games).view(np.recarray)
        self.games['camera_x'], self.games['camera_y'] = arena.camera
        self._kernels = kernels.build_family(BATTLE)

    def put(self, k, slot, x, y, unit_type=unit_types.MARINE, owner=unit_types.SELF):
        """Creates a unit."""
        g = self.games
        g['x'][k, slot], g['y'][k, slot] = x, y
        g['alive'][k, slot] = True
        g['type'][k, slot] = self.types.index(unit_type)
        g['owner'][k, slot] = owner
        g['health'][k, slot] = unit_type.health
        g['mobile_end'] = g['unit_end'] = BATTLE.num_units

    def drawing(self, screen_layers=None, minimap_layers=None):
        """New images of all layers, or of some."""
        screen = list(layers.SCREEN_SCALES) if screen_layers is None else screen_layers
        minimap = list(layers.MINIMAP_SCALES) if minimap_layers is None else minimap_layers
        for name in ('camera', 'visibility', 'ground'):
            self.games[f'_{name}_changed'] = True
        return Drawing(self.rules, len(self.games), screen, minimap)

    def draw(self, drawing=None):
        """Draws into images, by default into new ones; returns those of screen and minimap."""
        drawing = drawing or self.drawing()
        self._kernels.draw(self.games.view(np.ndarray), self.rules, *drawing.arrays)
        return drawing.screen, drawing.minimap

    def observe(self, found=None):
        """Returns OBSERVATION [K], or writes into given ones."""
        if found is None:
            found = np.zeros([len(self.games)], observation.OBSERVATION)
        self._kernels.observe(self.games.view(np.ndarray), self.rules, found)
        return found

    def available(self):
        """Returns the lists of the functions that can be called."""
        found = np.ones([len(self.games), functions.NUM_FUNCTIONS], np.uint8)
        self._kernels.list_actions(self.games.view(np.ndarray), self.rules, found)
        return [list(np.flatnonzero(row)) for row in found]

    def feature_units(self, rows=None):
        """Returns int32 [K, MAX_FEATURE_UNITS, 46], or writes into given rows."""
        if rows is None:
            shape = [len(self.games), limits.MAX_FEATURE_UNITS, len(feature_units.COLUMNS)]
            rows = np.zeros(shape, np.int32)
        self._kernels.list_units(self.games.view(np.ndarray), self.rules, rows)
        return rows


def marines(positions, **options):
    """A Scene of K games with marines at points [K, n, 2]."""
    scene = Scene(len(positions), **options)
    for k, points in enumerate(positions):
        for slot, (x, y) in enumerate(points):
            scene.put(k, slot, x, y)
    return scene

"""The constants of a map, as one structured record that compiled functions read.

`rules[0]` is passed to all compiled functions next to the record of a game. It holds the table of
the map's unit types (`rules.speed[g.type[i]]`), its regions, and the sizes of screen and minimap.
"""

from typing import Any, Sequence, Tuple

import numpy as np

from sc2impala.sim import functions, geometry, variants
from sc2impala.sim.unit_types import UnitType

MAX_TYPES = 8
"""Rows of the table of unit types: at least the largest number of types of a map."""

_TYPE_COLUMNS = {
    'unit_type': np.int32,
    'health': np.float64,
    'radius': np.float64,
    'minimap_radius': np.float64,
    'speed': np.float64,
    'armor': np.float64,
    'is_light': np.uint8,
    'is_structure': np.uint8,
    'is_army': np.uint8,
    'is_worker': np.uint8,
    'sight': np.float64,
    'food': np.int32,
    'food_provided': np.int32,
    'minerals': np.int32,
    'vespene': np.int32,
    'build_loops': np.int32,
    'footprint': np.int32,
    'contents': np.int32,
    'damage': np.float64,
    'bonus_to_light': np.float64,
    'weapon_range': np.float64,
    'weapon_period': np.float64,
    'damage_point': np.float64,
    'backswing': np.float64,
    'missile_speed': np.float64,
    'missile_min_range': np.float64,
    'splash_radius': np.float64,
    'regeneration': np.float64,
}
"""Fields of UnitType with one entry per type, see there; footprint is [T, 2], columns and rows."""

_SHAPES = {'footprint': (MAX_TYPES, 2)}

DTYPE = np.dtype(
    [(name, dtype, _SHAPES.get(name, (MAX_TYPES,))) for name, dtype in _TYPE_COLUMNS.items()]
    + [(name, constant.dtype) for name, constant in variants.CONSTANTS.items()]
    + [
        ('num_types', np.int32),
        # Whether a unit of the type offers a function.
        ('functions', np.uint8, (MAX_TYPES, functions.NUM_FUNCTIONS)),
        ('num_units', np.int32),  # Slots of the map; further slots of the record are never used.
        ('num_resources', np.int32),  # Of the slots for units that cannot move, the first ones.
        ('episode_loops', np.int32),
        ('value_per_episode', np.int32),  # Cost of the units that an episode starts with.
        ('playable_left', np.float64),
        ('playable_right', np.float64),
        ('playable_bottom', np.float64),
        ('playable_top', np.float64),
        ('camera_x', np.float64),
        ('camera_y', np.float64),
        ('camera_moves', np.uint8),
        # What the map's frame consists of.
        ('has_targets', np.uint8),  # Orders can have units as targets.
        ('has_combat', np.uint8),
        ('has_fog', np.uint8),
        ('has_economy', np.uint8),
        # Cells whose centre is in a region, by y and x.
        ('playable_cell', np.uint8, (geometry.MAP_EXTENT, geometry.MAP_EXTENT)),
        ('revealed_cell', np.uint8, (geometry.MAP_EXTENT, geometry.MAP_EXTENT)),
        ('pathable_cell', np.uint8, (geometry.MAP_EXTENT, geometry.MAP_EXTENT)),
        ('buildable_cell', np.uint8, (geometry.MAP_EXTENT, geometry.MAP_EXTENT)),
        # Types in a role, or NO_TYPE.
        ('worker', np.int32),
        ('town_hall', np.int32),
        ('refinery', np.int32),
        ('mineral_field', np.int32),
        ('geyser', np.int32),
        ('product', np.int16, (functions.NUM_FUNCTIONS,)),  # Type that a function builds or trains.
        ('needs', np.int16, (MAX_TYPES,)),  # Type that is required to build a type.
        # Screen and minimap, in pixels and pixels per cell.
        ('screen_width', np.int32),
        ('screen_height', np.int32),
        ('screen_across', np.float64),
        ('screen_down', np.float64),
        ('minimap_left', np.float64),  # x and y of its top left corner.
        ('minimap_top', np.float64),
        ('minimap_width', np.int32),
        ('minimap_height', np.int32),
        ('minimap_across', np.float64),
        ('minimap_down', np.float64),
        # Boxes of the types in pixels, see `drawing.outlines`.
        ('disc_width', np.int32, (MAX_TYPES,)),
        ('disc_height', np.int32, (MAX_TYPES,)),
        ('square_width', np.int32, (MAX_TYPES,)),
        ('square_height', np.int32, (MAX_TYPES,)),
    ],
    align=True,
)


def make(
    types: Sequence[UnitType],
    arena: geometry.Arena,
    screen_size: Tuple[int, int],
    minimap_size: Tuple[int, int],
    **others: Any,
) -> np.ndarray:
    """Returns the record of a map, as an array of one record.

    Args:
      types: the unit types of the map, at most MAX_TYPES.
      arena: its regions.
      screen_size, minimap_size: (width, height) in pixels.
      **others: values of other fields by name.
    """
    rules = np.zeros([1], DTYPE).view(np.recarray)
    r = rules[0]
    r.num_types = len(types)
    for index, unit_type in enumerate(types):
        for name in _TYPE_COLUMNS:
            r[name][index] = getattr(unit_type, name)
        r.functions[index][list(unit_type.functions)] = True
    for name, value in zip(('left', 'right', 'bottom', 'top'), arena.playable):
        r['playable_' + name] = value
    r.camera_x, r.camera_y = arena.camera
    r.camera_moves = arena.camera_moves
    for name, region in (
        ('playable_cell', arena.playable),
        ('revealed_cell', arena.revealed or arena.playable),
        ('pathable_cell', arena.pathable or arena.playable),
        ('buildable_cell', arena.buildable or arena.playable),
    ):
        columns, rows = geometry.cells_within(region)
        r[name] = rows[:, None] & columns
    _set_image_size(r, 'screen', 'disc', screen_size, geometry.CAMERA_EXTENT, r.radius)
    _set_image_size(r, 'minimap', 'square', minimap_size, geometry.MAP_EXTENT, r.minimap_radius)
    r.minimap_left, r.minimap_top = 0.0, geometry.MAP_EXTENT
    for name, constant in variants.CONSTANTS.items():
        r[name] = constant.default
    for name, value in others.items():
        r[name] = value
    return rules


def with_screen_size(rules: np.ndarray, screen_size: Tuple[int, int]) -> np.ndarray:
    """Returns a copy of the record of a map in which the screen has another size in pixels."""
    resized = rules.copy()
    r = resized.view(np.recarray)[0]
    _set_image_size(r, 'screen', 'disc', screen_size, geometry.CAMERA_EXTENT, r.radius)
    return resized


def crop_minimap(rules: np.ndarray, area: geometry.Rectangle) -> None:
    """Makes the minimap show an area of the map: the longer side of the area fills it."""
    r = rules.view(np.recarray)[0]
    size = int(r.minimap_width), int(r.minimap_height)
    extent = max(area.right - area.left, area.top - area.bottom)
    _set_image_size(r, 'minimap', 'square', size, extent, r.minimap_radius)
    r.minimap_left, r.minimap_top = area.left, area.top


def _set_image_size(
    r: Any, view: str, box: str, size: Tuple[int, int], extent: float, radius: np.ndarray
) -> None:
    """Sets the size of the screen or minimap, and of the boxes of the units in it."""
    width, height = size
    r[view + '_width'], r[view + '_height'] = width, height
    across, down = width / extent, height / extent
    r[view + '_across'], r[view + '_down'] = across, down
    # The rule of the game for the size of a unit on the screen. [S] OBS
    r[box + '_width'] = np.maximum(1, np.floor(2 * radius * across + 0.5))
    r[box + '_height'] = np.maximum(1, np.floor(2 * radius * down + 0.5))

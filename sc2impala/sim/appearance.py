"""What the pictures show of a world: values per unit, and values per cell of the map.

The renderer draws whatever stands in these tables and knows nothing of the game; layers that are in
none of them and are not its own (density, camera) stay zero, as in the game itself on these maps:
the ground is flat and bare, nobody has energy, shields or buffs, nothing is hidden.
"""

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.geometry import MAP_EXTENT
from sc2impala.sim.world import World

PLAYER_RELATIVE = np.zeros([unit_types.NEUTRAL + 1], np.uint8)
"""How player 1 sees the owners. [S] OBS"""
PLAYER_RELATIVE[[unit_types.SELF, unit_types.NEUTRAL, unit_types.ENEMY]] = 1, 3, 4

VISIBLE = 2  # As against 0, never seen, and 1, seen before. [S] OBS
FULL_RATIO = 255  # [S] OBS


def shown(world: World) -> np.ndarray:
    """Which units player 1 sees: bool [K, U]."""
    fog = world.mechanics.get('fog')
    return world.units.alive if fog is None else world.units.alive & fog.sees(world)


UNIT_LAYERS = {
    'player_id': lambda units: units.owner,
    'player_relative': lambda units: PLAYER_RELATIVE[units.owner],
    'unit_type': lambda units: units.stats.unit_type[units.type],
    'selected': lambda units: units.selected,
    'unit_hit_points': lambda units: units.health,
    'unit_hit_points_ratio': lambda units: (
        FULL_RATIO * units.health / units.stats.health[units.type]
    ),
}
"""Layer -> function of Units that gives the value of every unit, [K, U]."""

MINIMAP_UNIT_LAYERS = ('player_id', 'player_relative', 'selected')
"""Those that the minimap shows as well; unit_type is hidden there. [S] F"""

TERRAIN_LAYERS = {
    'visibility_map': lambda world: VISIBLE * _playable_cells(world),
    'pathable': lambda world: _playable_cells(world),  # [U]
    'buildable': lambda world: _playable_cells(world),  # [U]
}
"""Layer -> function of World that gives the value of every cell, uint8 [K, 64, 64] by y and x."""


def _playable_cells(world):
    """1 where the middle of a cell is in the playable region, which is revealed for good."""
    middle = np.arange(MAP_EXTENT) + 0.5
    left, right, bottom, top = world.arena.playable
    across = (middle > left) & (middle < right)
    up = (middle > bottom) & (middle < top)
    cells = (up[:, None] & across).astype(np.uint8)
    return np.broadcast_to(cells, (world.num_games,) + cells.shape)

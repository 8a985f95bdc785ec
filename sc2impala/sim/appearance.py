"""Values of the feature layers: per unit, and per cell of the map.

The renderer draws the layers of these tables, the densities and the camera. All other layers are
zero, as in the game on these maps: the terrain is flat, without creep or effects, and no unit has
energy, shields or buffs or is cloaked.
"""

from typing import Optional

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.fog import VISIBLE
from sc2impala.sim.units import Units
from sc2impala.sim.world import World

PLAYER_RELATIVE = np.zeros([unit_types.NEUTRAL + 1], np.uint8)
"""Owner -> value of player_relative for player 1. [S] OBS"""
PLAYER_RELATIVE[[unit_types.SELF, unit_types.NEUTRAL, unit_types.ENEMY]] = 1, 3, 4

FULL_RATIO = 255  # [S] OBS


def refresh(world: World) -> None:
    """Updates the fog, which sets `world.terrain_changed` where visibility has changed."""
    fog = world.mechanics.get('fog')
    if fog is not None:
        fog.refresh(world)


def shown(world: World) -> np.ndarray:
    """Returns the units that player 1 sees: bool [K, U]."""
    fog = world.mechanics.get('fog')
    seen = world.units.alive if fog is None else world.units.alive & fog.sees(world)
    if world.units.inside.any():
        seen = seen.copy()
        seen[:, : world.units.num_mobile] &= ~world.units.inside
    return seen


UNIT_LAYERS = {
    'player_id': lambda units: units.owner,
    'player_relative': lambda units: PLAYER_RELATIVE[units.owner],
    'unit_type': lambda units: units.stats.unit_type[units.type],
    'selected': lambda units: units.selected,
    'unit_hit_points': lambda units: units.health,
    'unit_hit_points_ratio': lambda units: (
        FULL_RATIO * units.health / units.stats.health[units.type]
    ),
    'active': lambda units: units.active,
    'build_progress': lambda units: _build_progress(units),
}
"""Layer -> function that returns the elementwise value of every unit of Units, [K, U]."""

MINIMAP_UNIT_LAYERS = ('player_id', 'player_relative', 'selected')
"""Layers that the minimap has as well; its unit_type is always zero. [S] F"""

TERRAIN_LAYERS = {
    'visibility_map': lambda world: _visibility(world),
    'pathable': lambda world: _free_cells(world, world.arena.pathable),  # [U]
    'buildable': lambda world: _free_cells(world),  # [U]
}
"""Layer -> function that returns the cell values of a World, uint8 [K, 64, 64] by y and x."""


def _visibility(world: World) -> np.ndarray:
    fog = world.mechanics.get('fog')
    if fog is not None:
        return fog.visibility(world)
    return VISIBLE * _cells_within(world, world.arena.revealed or world.arena.playable)


def _build_progress(units: Units) -> np.ndarray:
    """Returns the build progress of unfinished buildings, 0 for all other units. [U]"""
    loops = np.maximum(units.stats.build_loops[units.type], 1)
    progress = FULL_RATIO * (1 - units.unfinished / loops)
    return np.where(units.unfinished > 0, progress, 0)


def _free_cells(world: World, region: Optional[geometry.Rectangle] = None) -> np.ndarray:
    """Returns 1 for cells of a rectangle (default: the playable one) without a building."""
    cells = _cells_within(world, region or world.arena.playable)
    ground = world.mechanics.get('ground')
    return cells if ground is None else cells * ~ground.taken


def _cells_within(world: World, rectangle: geometry.Rectangle) -> np.ndarray:
    """Returns 1 for cells with their centre in a rectangle."""
    across, up = geometry.cells_within(rectangle)
    cells = (up[:, None] & across).astype(np.uint8)
    return np.broadcast_to(cells, (world.num_games,) + cells.shape)

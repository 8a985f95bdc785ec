"""Writes the grids of the raw interface: an element per cell, rows from the bottom of the map.

The order of the rows is the one in which python-sc2 indexes them. [A]
"""

from typing import Any

import numpy as np

from sc2impala.sim import appearance, geometry
from sc2impala.sim.api import images
from sc2impala.sim.world import World


def write_grids(start: Any, world: World) -> None:
    """Writes what is known of the ground: a StartRaw message.

    As in the game, the pathing grid is without the cells that buildings cover at present, and the
    placement grid is the one of an empty map.
    """
    start.map_size.x = start.map_size.y = geometry.MAP_EXTENT
    left, right, bottom, top = world.arena.playable
    start.playable_area.p0.x, start.playable_area.p0.y = int(left), int(bottom)
    start.playable_area.p1.x, start.playable_area.p1.y = int(right), int(top)
    images.write(start.pathing_grid, free(world), bits=1)
    images.write(start.placement_grid, playable(world), bits=1)
    images.write(start.terrain_height, np.zeros(playable(world).shape, np.uint8), bits=8)


def write_state(state: Any, world: World) -> None:
    """Writes what player 1 sees of the map into a MapState message."""
    seen = appearance.TERRAIN_LAYERS['visibility_map'](world)[0]
    images.write(state.visibility, seen, bits=8)
    images.write(state.creep, np.zeros(seen.shape, bool), bits=1)


def playable(world: World) -> np.ndarray:
    """Returns the cells that units can enter on an empty map: bool [64, 64] by y and x."""
    across, up = geometry.cells_within(world.arena.playable)
    return up[:, None] & across


def free(world: World) -> np.ndarray:
    """Returns the cells that no building or resource covers: bool [64, 64] by y and x."""
    ground: Any = world.mechanics.get('ground')
    if ground is None:
        return playable(world)
    ground.survey(world)
    return playable(world) & ~ground.taken[0]

"""Positions of newly trained units."""

from typing import Optional

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.economy import footprints
from sc2impala.sim.economy.ground import UNIT_RADIUS, Ground
from sc2impala.sim.world import World


def exit_of(
    world: World, ground: Ground, game: int, building: int, toward: Optional[np.ndarray]
) -> np.ndarray:
    """Returns a free point beside a building.

    Args:
      world: the games.
      ground: the ground of these games.
      game: index of the game.
      building: slot of the building.
      toward: float64 [2], preferred direction; None for the bottom left corner. [U]

    Returns:
      float64 [2]: the centre of a cell beside the building that is free of buildings, and of units
      if possible; without one, the centre of the nearest free cell of the map.
    """
    units = world.units
    centre = units.position[:, game, building]
    footprint = units.stats.footprint[units.type[game, building]]
    around = footprints.cells(centre, footprint, margin=1)
    corner = np.array([around[1].start, around[0].start], float)
    toward = corner if toward is None else toward
    # The cells inside of the ring are covered by the building itself.
    rows, columns = np.nonzero(ground.area[around] & ~ground.taken[game][around])
    if not rows.size:
        return ground.nearest_free_cell(game, toward)
    middles = np.stack([columns, rows]) + corner[:, None] + 0.5
    last = units.num_used()
    stands = units.alive[game, :last] & units.solid[game, :last]
    near = units.position[:, game, :last][:, stands]
    near = near[:, (np.abs(near - centre[:, None]) < footprint[:, None] / 2 + 2).all(0)]
    gaps = geometry.length(middles[:, :, None] - near[:, None])
    crowded = (gaps < 2 * UNIT_RADIUS).any(1)
    distance = np.square(middles - toward[:, None]).sum(0)
    return middles[:, np.lexsort((distance, crowded))[0]]

"""Where a unit appears that a building has trained."""

from typing import Optional

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.economy import footprints
from sc2impala.sim.economy.ground import UNIT_RADIUS, Ground
from sc2impala.sim.world import World


def exit_of(
    world: World, ground: Ground, game: int, building: int, toward: Optional[np.ndarray]
) -> np.ndarray:
    """Finds room beside a building.

    Args:
      world: the games.
      ground: of these.
      game: index of the game.
      building: slot of the building.
      toward: float64 [2], what the place shall be near to; None for the bottom left corner. [U]

    Returns:
      float64 [2]: the middle of a free cell beside the building where nobody stands; if there is
      none, of one where somebody does; if everything is built up, of the nearest one that is not.
    """
    units = world.units
    centre = units.position[:, game, building]
    footprint = units.stats.footprint[units.type[game, building]]
    around = footprints.cells(centre, footprint, margin=1)
    corner = np.array([around[1].start, around[0].start], float)
    toward = corner if toward is None else toward
    # The building itself stands on the cells inside of the ring.
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

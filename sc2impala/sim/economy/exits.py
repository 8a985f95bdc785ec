"""Positions of newly trained units."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import footprints, ground


@compiled
def exit_of(
    g: Any, rules: Any, building: int, has_toward: bool, toward_x: float, toward_y: float
) -> Tuple[float, float]:
    """Returns a free point next to a building.

    Args:
      g, rules: the game.
      building: slot of the building.
      has_toward: whether a direction is preferred; otherwise it is the bottom left corner. [U]
      toward_x, toward_y: a point in that direction.

    Returns:
      x, y: the centre of a cell next to the building that is free of buildings, and of units if
      possible; without one, the centre of the nearest free cell of the map.
    """
    left, right, bottom, top = footprints.cells(
        rules, g.type[building], g.x[building], g.y[building], 1
    )
    to_x = toward_x if has_toward else float(left)
    to_y = toward_y if has_toward else float(bottom)
    best_x = 0.0
    best_y = 0.0
    best_distance = np.inf
    best_is_crowded = True
    # The cells inside of the ring are covered by the building itself.
    for row in range(bottom, top):
        for column in range(left, right):
            if g.taken[row, column] or not rules.playable_cell[row, column]:
                continue
            x = column + 0.5
            y = row + 0.5
            distance = (x - to_x) * (x - to_x) + (y - to_y) * (y - to_y)
            crowded = ground.is_crowded(g, x, y)
            if crowded == best_is_crowded and distance >= best_distance:
                continue
            if crowded and not best_is_crowded:
                continue
            best_x = x
            best_y = y
            best_distance = distance
            best_is_crowded = crowded
    if best_distance == np.inf:
        return ground.nearest_free_cell(g, rules, to_x, to_y)
    return best_x, best_y

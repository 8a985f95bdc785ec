"""Targets of the units of a group that is sent to one point.

All units go to the point: in replays of the game, groups do not keep their formation. [S] In
variants with a `formation_radius`, a compact group that is sent to a point outside of it does: all
its units are displaced by the same vector.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim.compiler import compiled


@compiled
def middle(g: Any) -> Tuple[float, float]:
    """Returns the mean position of the units in `_chosen` that can move, or (0, 0)."""
    x = 0.0
    y = 0.0
    count = 0
    for i in range(g.mobile_end):
        if g._chosen[i]:
            x += g.x[i]
            y += g.y[i]
            count += 1
    return x / max(count, 1), y / max(count, 1)


@compiled
def keeps(g: Any, rules: Any, middle_x: float, middle_y: float, x: float, y: float) -> bool:
    """Returns whether the units in `_chosen` keep their formation when they are sent to a point.

    Args:
      g: the game.
      rules: of the map.
      middle_x, middle_y: their mean position.
      x, y: the point.
    """
    radius = rules.formation_radius
    if radius == 0:
        return False
    low_x = np.inf
    low_y = np.inf
    high_x = -np.inf
    high_y = -np.inf
    for i in range(g.mobile_end):
        if g._chosen[i]:
            off_x = g.x[i] - middle_x
            off_y = g.y[i] - middle_y
            if off_x * off_x + off_y * off_y > radius * radius:
                return False
            low_x = min(low_x, g.x[i])
            low_y = min(low_y, g.y[i])
            high_x = max(high_x, g.x[i])
            high_y = max(high_y, g.y[i])
    return not (low_x <= x <= high_x and low_y <= y <= high_y)

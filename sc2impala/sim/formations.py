"""Targets of the units of a group that is sent to one point.

A compact group keeps its formation: all units are displaced by the same vector. The units of a
group that is spread out, or that is sent to a point between its own units, all go to the point. The
game moves groups in these two ways as well; its exact criterion is not known. [A]
"""

import numpy as np

MAX_FORMATION_RADIUS = 5.0  # Distance of the farthest unit from the mean position of the group. [U]


def targets(position: np.ndarray, chosen: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Returns the target point of every unit.

    Args:
      position: float64 [2, n, M], where the units are.
      chosen: bool [n, M], the units that are sent, at least one per game.
      point: float64 [2, n], the destination.

    Returns:
      float64 [2, n, M]; arbitrary for units that are not chosen.
    """
    low = np.where(chosen, position, np.inf).min(-1)
    high = np.where(chosen, position, -np.inf).max(-1)
    middle = np.where(chosen, position, 0).sum(-1) / chosen.sum(-1)
    offset = position - middle[:, :, None]
    compact = ~(chosen & (np.square(offset).sum(0) > MAX_FORMATION_RADIUS**2)).any(-1)
    between = ((low <= point) & (point <= high)).all(0)
    keep = compact & ~between
    return point[:, :, None] + np.where(keep[:, None], offset, 0)

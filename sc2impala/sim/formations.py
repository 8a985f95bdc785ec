"""Where the units of a group go when they are sent to one point together.

A compact group keeps its formation: every unit goes as far as the others, in parallel. One that is
spread out, or that is sent to a point between its own units, meets at the point. This is how groups
move in the game; where it draws the line between the two is not known. [A]
"""

import numpy as np

MAX_FORMATION_RADIUS = 5.0  # Of the unit farthest from the middle of the group. [U]


def targets(position: np.ndarray, chosen: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Gives every unit its own target.

    Args:
      position: float64 [2, n, M], where the units are.
      chosen: bool [n, M], which of them are sent; one at least.
      point: float64 [2, n], where to.

    Returns:
      float64 [2, n, M]; of units that are not chosen, anything.
    """
    low = np.where(chosen, position, np.inf).min(-1)
    high = np.where(chosen, position, -np.inf).max(-1)
    middle = np.where(chosen, position, 0).sum(-1) / chosen.sum(-1)
    offset = position - middle[:, :, None]
    compact = ~(chosen & (np.square(offset).sum(0) > MAX_FORMATION_RADIUS**2)).any(-1)
    between = ((low <= point) & (point <= high)).all(0)
    keep = compact & ~between
    return point[:, :, None] + np.where(keep[:, None], offset, 0)

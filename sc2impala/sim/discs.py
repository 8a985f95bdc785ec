"""The rasterisation rule of the game for units on the screen: discs of whole pixels.

With s pixels per cell, the centre c of the unit in fractional pixels and its radius r in cells,

    D = floor(2 r s + 1/2),    left = floor(c - D / 2 + 1/2), top likewise,

and a pixel is filled if its centre lies within D / 2 of the centre of that D x D box. The rule
reproduces every unit pixel of a recorded observation. [S] OBS. An image that is not square has one
D per axis, and the disc is an ellipse.
"""

import numpy as np

from sc2impala.sim.geometry import View


def sizes(view: View, radius: np.ndarray) -> np.ndarray:
    """Returns width and height of the boxes of units with radius [T]: int64 [2, T], at least 1."""
    return np.maximum(1, np.floor(2 * radius * view.scale[:, None] + 0.5)).astype(np.int64)


def corners(centres: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Returns left column and top row of the boxes around centres [2, ...]: int64 [2, ...]."""
    return np.floor(centres - size / 2 + 0.5).astype(np.int64)


def covers(pixels: np.ndarray, corner: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Returns whether the discs in the boxes cover the pixels: bool [...] for [2, ...]."""
    off_centre = (2 * (pixels - corner) + 1) / size - 1
    return np.square(off_centre).sum(0) <= 1

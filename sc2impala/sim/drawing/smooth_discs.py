"""Exact circles for the layer unit_density_aa: the number of sample points in every pixel."""

from typing import Any

import numpy as np

from sc2impala.sim import pixels
from sc2impala.sim.compiler import compiled

SUBSAMPLES = 4  # unit_density_aa counts 4 x 4 sample points per pixel. [S] OBS
SUBPIXELS = 8
"""unit_density_aa rounds the centre of a unit to the centre of one of 8 x 8 subpixels, so that all
images can be computed in advance."""


def make(radius: np.ndarray, across: float, down: float) -> np.ndarray:
    """Returns the images of circles, whose centre is in the middle pixel.

    Args:
      radius: float64 [T], in cells.
      across, down: pixels per cell.

    Returns:
      uint8 [T, SUBPIXELS, SUBPIXELS, h, w] by type, row and column of the centre's subpixel, and
      row and column of the pixel; h and w are the largest sizes, see `_margin`.
    """
    wide, high = (2 * int(np.ceil(radius.max() * scale)) + 1 for scale in (across, down))
    counts = np.zeros([len(radius), SUBPIXELS, SUBPIXELS, high, wide], np.uint8)
    for index in np.flatnonzero(radius):
        columns = _squares(radius[index] * across)
        rows = _squares(radius[index] * down)
        inside = rows[:, None, :, None] + columns[None, :, None, :] <= 1
        height, width = rows.shape[1] // SUBSAMPLES, columns.shape[1] // SUBSAMPLES
        samples = inside.reshape([SUBPIXELS, SUBPIXELS, height, SUBSAMPLES, width, SUBSAMPLES])
        counts[index, :, :, :height, :width] = samples.sum((3, 5))
    return counts


@compiled
def add(g: Any, rules: Any, i: int, image: Any, circles: Any, most: int) -> None:
    """Adds the circle of unit i to a flat image of the screen, up to a limit.

    Args:
      g: the game.
      rules: the record of its map.
      i: slot of the unit.
      image: uint8 [height * width].
      circles: uint8 [T, SUBPIXELS, SUBPIXELS, h, w] from `make`.
      most: the limit.
    """
    column = pixels.screen_column(g, rules, g.x[i])
    row = pixels.screen_row(g, rules, g.y[i])
    middle_x, middle_y = int(np.floor(column)), int(np.floor(row))
    part_x, part_y = int((column - middle_x) * SUBPIXELS), int((row - middle_y) * SUBPIXELS)
    circle = circles[g.type[i], part_y, part_x]
    margin_x = _margin(rules.radius[g.type[i]], rules.screen_across)
    margin_y = _margin(rules.radius[g.type[i]], rules.screen_down)
    left, top = middle_x - margin_x, middle_y - margin_y
    for y in range(max(-top, 0), min(2 * margin_y + 1, rules.screen_height - top)):
        line = (top + y) * rules.screen_width + left
        for x in range(max(-left, 0), min(2 * margin_x + 1, rules.screen_width - left)):
            image[line + x] = min(int(image[line + x]) + int(circle[y, x]), most)


@compiled
def _margin(radius: float, scale: float) -> int:
    """Returns the number of pixels on each side of the middle pixel."""
    return int(np.ceil(radius * scale))


def _squares(semi_axis: float) -> np.ndarray:
    """Returns squared distances of sample points, in semi-axes: [SUBPIXELS, points]."""
    margin = int(np.ceil(semi_axis))
    points = (np.arange((2 * margin + 1) * SUBSAMPLES) + 0.5) / SUBSAMPLES - margin
    centres = (np.arange(SUBPIXELS) + 0.5) / SUBPIXELS
    return np.square((points - centres[:, None]) / semi_axis)

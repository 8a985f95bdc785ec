"""Exact circles for the layer unit_density_aa: the number of sample points in every pixel."""

from typing import Any, NamedTuple

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing.canvas import mark_rows

SUBSAMPLES = 4  # unit_density_aa counts 4 x 4 sample points per pixel. [S] OBS
SUBPIXELS = 8
"""unit_density_aa rounds the centre of a unit to the centre of one of 8 x 8 subpixels, so that all
images can be computed in advance."""


class SmoothDiscs(NamedTuple):
    """Images of circles by type and by the subpixel of the centre, which is in the middle pixel.

    counts: uint8 [T, SUBPIXELS, SUBPIXELS, h, w] by type, row and column of the subpixel, row and
      column of the pixel; h and w are the largest sizes.
    width, height: int32 [T], odd.
    """

    counts: np.ndarray
    width: np.ndarray
    height: np.ndarray


def make(radius: np.ndarray, across: float, down: float) -> SmoothDiscs:
    """Creates the images.

    Args:
      radius: float64 [T], in cells.
      across, down: pixels per cell.
    """
    margins = np.ceil(radius[:, None] * (across, down)).astype(np.int32)
    width, height = 2 * margins.T + 1
    counts = np.zeros([len(radius), SUBPIXELS, SUBPIXELS, height.max(), width.max()], np.uint8)
    for index in range(len(radius)):
        if radius[index] > 0:
            columns = _squares(radius[index] * across, margins[index, 0])
            rows = _squares(radius[index] * down, margins[index, 1])
            inside = rows[:, None, :, None] + columns[None, :, None, :] <= 1
            high, wide = height[index], width[index]
            samples = inside.reshape([SUBPIXELS, SUBPIXELS, high, SUBSAMPLES, wide, SUBSAMPLES])
            counts[index, :, :, :high, :wide] = samples.sum((3, 5))
    return SmoothDiscs(counts, width.astype(np.int32), height.astype(np.int32))


@compiled
def add(
    discs: Any, canvas: Any, k: int, layer: int, type_index: int, column: float, row: float,
    most: int,
) -> None:  # fmt: skip
    """Adds a circle around a fractional pixel to a layer of one byte, up to a limit."""
    centre_x = int(np.floor(column))
    centre_y = int(np.floor(row))
    part_x = int((column - centre_x) * SUBPIXELS)
    part_y = int((row - centre_y) * SUBPIXELS)
    width = discs.width[type_index]
    height = discs.height[type_index]
    left = centre_x - width // 2
    top = centre_y - height // 2
    place = canvas.place[layer]
    canvas.inked[k, layer] = True
    mark_rows(canvas, k, top, top + height)
    for y in range(max(-top, 0), min(height, canvas.height - top)):
        for x in range(max(-left, 0), min(width, canvas.width - left)):
            pixel = (top + y) * canvas.width + left + x
            count = discs.counts[type_index, part_y, part_x, y, x]
            canvas.small[place, k, pixel] = min(canvas.small[place, k, pixel] + count, most)


def _squares(semi_axis: float, margin: int) -> np.ndarray:
    """Returns squared distances of sample points, in semi-axes: [SUBPIXELS, points]."""
    points = (np.arange((2 * margin + 1) * SUBSAMPLES) + 0.5) / SUBSAMPLES - margin
    centres = (np.arange(SUBPIXELS) + 0.5) / SUBPIXELS
    return np.square((points - centres[:, None]) / semi_axis)

"""Discs of units: the pixels within their boxes, and sample points of smooth circles.

See `pixels` for the rule of the boxes.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import pixels
from sc2impala.sim.compiler import compiled, uncompiled
from sc2impala.sim.geometry import clamp
from sc2impala.sim.pixels import disc_covers

Outline = Tuple[np.ndarray, np.ndarray]
"""First column, and last one + 1, by type and row: int32 [T, h] each."""


def discs(width: np.ndarray, height: np.ndarray) -> Outline:
    """Returns discs that fill boxes of width and height, int [T] each."""
    covers = uncompiled(disc_covers)
    start = np.zeros([len(width), height.max()], np.int32)
    end = np.zeros_like(start)
    for index, (across, down) in enumerate(zip(width.tolist(), height.tolist())):
        for row in range(down):
            covered = [column for column in range(across) if covers(column, row, across, down)]
            if covered:
                start[index, row], end[index, row] = covered[0], covered[-1] + 1
    return start, end


def squares(width: np.ndarray, height: np.ndarray) -> Outline:
    """Returns filled boxes of width and height, int [T] each. [S] OBS"""
    end = np.repeat(width.astype(np.int32)[:, None], height.max(), axis=1)
    return np.zeros_like(end), end


SUBSAMPLES = 4  # unit_density_aa counts 4 x 4 sample points per pixel. [S] OBS


@compiled
def add(g: Any, rules: Any, i: int, image: Any, spans: Any, most: int) -> None:
    """Adds the circle of unit i to a flat image of the screen, up to a limit.

    Args:
      g: the game.
      rules: the record of its map.
      i: slot of the unit.
      image: uint8 [height * width].
      spans: int32 [SUBSAMPLES * height, 2], scratch.
      most: the limit.
    """
    # Everything in sample points, of which number n has its centre at n + 1/2.
    column = SUBSAMPLES * pixels.screen_column(g, rules, g.x[i])
    row = SUBSAMPLES * pixels.screen_row(g, rules, g.y[i])
    half_width = SUBSAMPLES * rules.radius[g.type[i]] * rules.screen_across
    half_height = SUBSAMPLES * rules.radius[g.type[i]] * rules.screen_down
    width = rules.screen_width
    first, end = _samples(row, half_height, SUBSAMPLES * rules.screen_height)
    # Two loops: the roots of different rows are computed at the same time in this one.
    for sample in range(first, end):
        up = (sample + 0.5 - row) / half_height
        reach = half_width * np.sqrt(max(1 - up * up, 0.0))
        spans[sample, 0], spans[sample, 1] = _samples(column, reach, SUBSAMPLES * width)
    for sample in range(first, end):
        left, right = spans[sample, 0], spans[sample, 1]
        line = sample // SUBSAMPLES * width
        for pixel in range(left // SUBSAMPLES, (right + SUBSAMPLES - 1) // SUBSAMPLES):
            here = pixel * SUBSAMPLES
            count = min(here + SUBSAMPLES, right) - max(here, left)
            image[line + pixel] = min(int(image[line + pixel]) + count, most)


@compiled
def _samples(centre: float, reach: float, end: int) -> Any:
    """Returns the first sample within reach of the centre and the last one + 1, inside 0..end."""
    first = int(np.ceil(clamp(centre - reach - 0.5, 0.0, end)))
    last = int(np.floor(clamp(centre + reach - 0.5, -1.0, end - 1.0)))
    return first, max(last + 1, first)

"""The pixels of units within their boxes, row by row; see `pixels` for the rule of the boxes."""

from typing import Tuple

import numpy as np

from sc2impala.sim.compiler import uncompiled
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

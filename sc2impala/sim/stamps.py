"""Small pictures of units, made once, and where their pixels come to lie."""

from typing import Sequence, Tuple

import numpy as np


class Stamps:
    """A table of small pictures; pixels that are zero are left out.

    Attributes:
      size: int64 [2, S], width and height.
    """

    def __init__(self, pictures: Sequence[np.ndarray]):
        """Args:
        pictures: S arrays, int [height, width] of any size each.
        """
        self.size = np.array([picture.shape[::-1] for picture in pictures]).T
        pixels = [np.nonzero(picture) for picture in pictures]
        self._row, self._column = np.concatenate(pixels, axis=1)
        self._weight = np.concatenate([picture[at] for picture, at in zip(pictures, pixels)])
        self._count = np.array([len(row) for row, _ in pixels])
        self._start = self._count.cumsum() - self._count

    def place(
        self, stamp: np.ndarray, corner: np.ndarray, game: np.ndarray, size: Tuple[int, int]
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Finds the pixels of n stamps in K pictures; what lies outside is left out.

        Args:
          stamp: int [n], index of the stamp.
          corner: int [2, n], column and row of its top left pixel.
          game: int [n], the picture it is placed in.
          size: (width, height) of the pictures.

        Returns:
          index of the stamp in 0..n - 1, place in the flattened [K, height, width] pictures and
          weight of every pixel: int [pixels] each, in the order of the stamps.
        """
        width, height = size
        count = self._count[stamp]
        placed = np.repeat(np.arange(len(stamp)), count)
        entry = np.arange(len(placed)) + (self._start[stamp] - count.cumsum() + count)[placed]

        origin = (game * height + corner[1]) * width + corner[0]
        pixel = origin[placed] + self._row[entry] * width + self._column[entry]
        weight = self._weight[entry]
        end = corner + self.size[:, stamp]
        if corner.min(initial=0) < 0 or (end > [[width], [height]]).any():
            column = corner[0][placed] + self._column[entry]
            row = corner[1][placed] + self._row[entry]
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            placed, pixel, weight = placed[inside], pixel[inside], weight[inside]
        return placed, pixel, weight

"""Precomputed images of units, and their placement in larger images."""

from typing import Sequence, Tuple

import numpy as np


class Stamps:
    """A table of S small images; their zero pixels are not drawn.

    Attributes:
      size: int64 [2, S], width and height.
    """

    def __init__(self, pictures: Sequence[np.ndarray], canvas_size: Tuple[int, int]):
        """Args:
        pictures: S arrays, int [height, width] of any size each.
        canvas_size: (width, height) of the images that they are placed in.
        """
        self.size = np.array([picture.shape[::-1] for picture in pictures]).T
        self._limit = np.array(canvas_size)[:, None]
        pixels = [np.nonzero(picture) for picture in pictures]
        self._row, self._column = np.concatenate(pixels, axis=1)
        self._offset = self._row * canvas_size[0] + self._column
        self._weight = np.concatenate([picture[at] for picture, at in zip(pictures, pixels)])
        self._count = np.array([len(row) for row, _ in pixels])
        self._start = self._count.cumsum() - self._count

    def place(
        self, stamp: np.ndarray, corner: np.ndarray, game: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the pixels of n stamps in K images; pixels outside of the image are dropped.

        Args:
          stamp: int [n], index of the stamp.
          corner: int [2, n], column and row of its top left pixel.
          game: int [n], index of the image.

        Returns:
          for every pixel the index of its stamp in 0..n - 1, its index into the flattened images
          [K, height, width] and its weight: int [pixels] each, in the order of the stamps.
        """
        (width,), (height,) = self._limit
        count = self._count.take(stamp)
        end = corner + self.size.take(stamp, axis=1)
        whole = corner.min(initial=0) >= 0 and (end <= self._limit).all()
        if not whole:
            count *= ((corner < self._limit) & (end > 0)).all(0)

        placed = np.arange(len(stamp)).repeat(count)
        first = self._start.take(stamp) - count.cumsum() + count
        entry = np.arange(len(placed)) + first.take(placed)
        origin = (game * height + corner[1]) * width + corner[0]
        pixel = origin.take(placed) + self._offset.take(entry)
        if not whole:
            column = corner[0].take(placed) + self._column.take(entry)
            row = corner[1].take(placed) + self._row.take(entry)
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            placed, pixel, entry = placed[inside], pixel[inside], entry[inside]
        return placed, pixel, self._weight.take(entry)

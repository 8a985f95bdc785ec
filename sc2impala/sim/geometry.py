"""World coordinates and pixel coordinates.

Points of the world are float64 arrays [2, ...] of x (right) and y (up), in cells of the map. Points
of an image are [2, ...] as well: column, then row (down), in pixels.
"""

import collections
from typing import Tuple

import numpy as np

MAP_EXTENT = 64  # Every map has 64 x 64 cells. [S] MAP
CAMERA_EXTENT = 24  # The camera shows 24 x 24 of them, at any screen size. [S] OBS

Rectangle = collections.namedtuple('Rectangle', ['left', 'right', 'bottom', 'top'])
"""An axis-aligned rectangle of the world, borders included."""

Arena = collections.namedtuple(
    'Arena', ['playable', 'camera', 'camera_moves', 'revealed', 'pathable'], defaults=[None, None]
)
"""playable: Rectangle that units cannot leave. camera: (x, y), initial centre of the camera.
camera_moves: whether the player can move the camera. revealed: Rectangle that is visible without
  fog.
pathable: Rectangle that the layer pathable shows. None means the playable rectangle."""

SINGLE_SCREEN = Arena(
    playable=Rectangle(left=22.0, right=44.0, bottom=20.0, top=36.0),  # [S] MAP, OBS
    camera=(33.0, 25.0),  # 3 below the middle of the region. [S] MAP
    camera_moves=False,  # [S] MAP
)

SINGLE_SCREEN_WITH_BASE = Arena(
    playable=Rectangle(left=19.936, right=45.936, bottom=18.998, top=36.998),  # [A] MAP, OBS
    camera=(32.936, 24.998),  # [S] MAP
    camera_moves=False,  # [S] MAP
    revealed=Rectangle(left=22.0, right=44.0, bottom=20.0, top=36.0),  # [S] MAP, OBS
)
"""Arena of the two maps with buildings, which may extend beyond the revealed region."""

OPEN_FIELD = Arena(
    playable=Rectangle(left=10.0, right=54.0, bottom=12.0, top=44.0),  # [S] MAP
    camera=(32.0, 25.0),  # [S] MAP
    camera_moves=True,
    # The pathable layer extends beyond the playable region. A published agent walks between its
    # corners, 1/5 inside: its score matches the game if the margin is 8 cells. [U]
    pathable=Rectangle(left=2.0, right=62.0, bottom=4.0, top=52.0),
)


def clamp(points: np.ndarray, rectangle: Rectangle) -> np.ndarray:
    """Clamps points [2, ...] to the rectangle."""
    left, right, bottom, top = rectangle
    axes = [2] + [1] * (points.ndim - 1)
    low, high = np.reshape([left, bottom], axes), np.reshape([right, top], axes)
    return np.minimum(np.maximum(points, low), high)


def cells_within(rectangle: Rectangle) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the columns and rows of cells with their centres inside: bool [64] each."""
    left, right, bottom, top = rectangle
    middle = np.arange(MAP_EXTENT) + 0.5
    return (middle > left) & (middle < right), (middle > bottom) & (middle < top)


def length(vectors: np.ndarray) -> np.ndarray:
    """Returns the Euclidean length of vectors [2, ...].

    Unlike `np.hypot`, sums, products and roots are rounded equally on every machine and at every
    index of an array: a game must not depend on its index in the batch.
    """
    x, y = np.square(vectors)
    return np.sqrt(x + y)


class View:
    """A square window of the world, rendered as an image of `size` pixels: screen or minimap.

    Attributes:
      size: (width, height) in pixels.
      scale: float64 [2], pixels per cell, across and down.
    """

    def __init__(self, size: Tuple[int, int], extent: float):
        """Args:
        size: (width, height) in pixels. An image that is not square shows the same square
            window, as in PySC2.
        extent: side of the window in cells.
        """
        width, height = size
        self.size = (width, height)
        self.scale = np.array(size) / extent
        self._upward_scale = self.scale * (1, -1)

    def to_pixels(self, points: np.ndarray, corner: np.ndarray) -> np.ndarray:
        """Converts points of the world to fractional pixels [2, ...].

        Args:
          points: float64 [2, ...].
          corner: float64 [2, ...], the top left point of the window, broadcast against `points`.
        """
        return (points - corner) * self._along(points)

    def to_world(self, pixels: np.ndarray, corner: np.ndarray) -> np.ndarray:
        """Returns the points of the world [2, ...] at the centres of the pixels int [2, ...]."""
        return corner + (pixels + 0.5) / self._along(pixels)

    def _along(self, points: np.ndarray) -> np.ndarray:
        return self._upward_scale.reshape([2] + [1] * (points.ndim - 1))


def screen_corner(camera: np.ndarray) -> np.ndarray:
    """Returns the top left points [2, ...] of the screens of cameras centred at [2, ...]."""
    offset = np.array([-0.5, 0.5]) * CAMERA_EXTENT
    return camera + offset.reshape([2] + [1] * (camera.ndim - 1))


def minimap_corner() -> np.ndarray:
    """Returns the top left point [2] of the map."""
    return np.array([0.0, MAP_EXTENT])

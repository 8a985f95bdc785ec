"""World coordinates, in cells of the map: x to the right, y up."""

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from sc2impala.sim.compiler import compiled

MAP_EXTENT = 64  # Every map has 64 x 64 cells. [S] MAP
CAMERA_EXTENT = 24  # The camera shows 24 x 24 of them, at any screen size. [S] OBS


class Rectangle(NamedTuple):
    """An axis-aligned rectangle of the world, borders included."""

    left: float
    right: float
    bottom: float
    top: float


class Arena(NamedTuple):
    """The regions of a map.

    playable: the rectangle that units cannot leave.
    camera: (x, y), initial centre of the camera.
    camera_moves: whether the player can move the camera.
    revealed: the rectangle that is visible without fog; None for the playable one.
    pathable: the rectangle that the layer pathable shows; None for the playable one.
    buildable: the rectangle of cells on which buildings can stand; None for the playable one.
    """

    playable: Rectangle
    camera: Tuple[float, float]
    camera_moves: bool
    revealed: Optional[Rectangle] = None
    pathable: Optional[Rectangle] = None
    buildable: Optional[Rectangle] = None


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
    # All cells that the region touches, also the interface's integer playable area. A published
    # agent (ccr-cheng, 160 marines) builds barracks at their lower border, up to the right one. [A]
    buildable=Rectangle(left=19.0, right=46.0, bottom=18.0, top=37.0),
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


@compiled
def length(x: float, y: float) -> float:
    """Returns the Euclidean length of a vector.

    Unlike `np.hypot`, sums, products and roots are rounded equally on every machine.
    """
    return np.sqrt(x * x + y * y)


@compiled
def clamp(value: float, low: float, high: float) -> float:
    """Returns the value, or the nearer one of the two limits if it is outside of them."""
    return min(max(value, low), high)


@compiled
def clamp_x(rules: Any, x: float) -> float:
    """Clamps x to the playable rectangle."""
    return clamp(x, rules.playable_left, rules.playable_right)


@compiled
def clamp_y(rules: Any, y: float) -> float:
    """Clamps y to the playable rectangle."""
    return clamp(y, rules.playable_bottom, rules.playable_top)


def cells_within(
    rectangle: Rectangle, size: Tuple[int, int] = (MAP_EXTENT, MAP_EXTENT)
) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the columns and rows of cells with their centres inside: bool [width], [height].

    Args:
      rectangle: of the world; the first row is at its bottom.
      size: (width, height), into how many cells the map is divided.
    """
    left, right, bottom, top = rectangle
    x, y = ((np.arange(number) + 0.5) * MAP_EXTENT / number for number in size)
    return (x > left) & (x < right), (y > bottom) & (y < top)

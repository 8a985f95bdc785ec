"""Conversion between points of the world and pixels of screen and minimap.

Both are square windows of the world: the screen follows the camera, the minimap shows the map, or
its playable area if it is cropped.
Columns count to the right and rows down. An image that is not square shows the same square window,
as in PySC2. A unit has a box on the screen, which a disc fills, and one on the minimap:

    D = floor(2 r s + 1/2), at least 1,    left = trunc(c - D / 2 + 1/2), top likewise,

with s pixels per cell, the centre c of the unit in fractional pixels and its radius r in cells. An
image that is not square has one D per axis. [S] OBS
"""

from typing import Any

from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import CAMERA_EXTENT

_HALF_SCREEN = 0.5 * CAMERA_EXTENT


@compiled
def screen_left(g: Any) -> float:
    """Returns x at the left border of the screen."""
    return g.camera_x - _HALF_SCREEN


@compiled
def screen_top(g: Any) -> float:
    """Returns y at the upper border of the screen."""
    return g.camera_y + _HALF_SCREEN


@compiled
def screen_column(g: Any, rules: Any, x: float) -> float:
    """Returns the fractional column of the screen at x, possibly outside of it."""
    return (x - screen_left(g)) * rules.screen_across


@compiled
def screen_row(g: Any, rules: Any, y: float) -> float:
    """Returns the fractional row of the screen at y, possibly outside of it."""
    return (screen_top(g) - y) * rules.screen_down


@compiled
def minimap_column(rules: Any, x: float) -> float:
    """Returns the fractional column of the minimap at x, possibly outside of it."""
    return (x - rules.minimap_left) * rules.minimap_across


@compiled
def minimap_row(rules: Any, y: float) -> float:
    """Returns the fractional row of the minimap at y, possibly outside of it."""
    return (rules.minimap_top - y) * rules.minimap_down


@compiled
def screen_x(g: Any, rules: Any, column: int) -> float:
    """Returns x at the centre of a column of the screen."""
    return screen_left(g) + (column + 0.5) / rules.screen_across


@compiled
def screen_y(g: Any, rules: Any, row: int) -> float:
    """Returns y at the centre of a row of the screen."""
    return screen_top(g) - (row + 0.5) / rules.screen_down


@compiled
def minimap_x(rules: Any, column: int) -> float:
    """Returns x at the centre of a column of the minimap."""
    return rules.minimap_left + (column + 0.5) / rules.minimap_across


@compiled
def minimap_y(rules: Any, row: int) -> float:
    """Returns y at the centre of a row of the minimap."""
    return rules.minimap_top - (row + 0.5) / rules.minimap_down


@compiled
def clip(pixel: int, size: int) -> int:
    """Returns the pixel, or the nearer border of an image that it lies outside of."""
    return min(max(int(pixel), 0), int(size) - 1)


@compiled
def box_start(centre: float, width: int) -> int:
    """Returns the first pixel of a box around a fractional pixel, along one axis."""
    # A disc that leaves the left or upper border is truncated towards zero. [S] OBS
    return int(centre - width / 2 + 0.5)


@compiled
def disc_left(g: Any, rules: Any, i: int) -> int:
    """Returns the left column of the box of unit i on the screen, `rules.disc_width` wide."""
    return box_start(screen_column(g, rules, g.x[i]), rules.disc_width[g.type[i]])


@compiled
def disc_top(g: Any, rules: Any, i: int) -> int:
    """Returns the top row of the box of unit i on the screen, `rules.disc_height` high."""
    return box_start(screen_row(g, rules, g.y[i]), rules.disc_height[g.type[i]])


@compiled
def square_left(g: Any, rules: Any, i: int) -> int:
    """Returns the left column of the box of unit i on the minimap, `rules.square_width` wide."""
    return box_start(minimap_column(rules, g.x[i]), rules.square_width[g.type[i]])


@compiled
def square_top(g: Any, rules: Any, i: int) -> int:
    """Returns the top row of the box of unit i on the minimap, `rules.square_height` high."""
    return box_start(minimap_row(rules, g.y[i]), rules.square_height[g.type[i]])


@compiled
def disc_covers(column: int, row: int, width: int, height: int) -> bool:
    """Returns whether the disc that fills a box covers a pixel, counted from the corner of the box.

    A pixel is filled if its centre lies within the ellipse: discs of whole pixels. The rule
    reproduces every unit pixel of a recorded observation. [S] OBS
    """
    across = (2 * column + 1) / width - 1
    down = (2 * row + 1) / height - 1
    return across * across + down * down <= 1

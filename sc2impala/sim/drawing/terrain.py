"""Layers of the map's cells, and the camera's frame on the minimap.

They are drawn again only after what they show has changed.
"""

from typing import Any

import numpy as np

from sc2impala.sim import layers, pixels
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import CAMERA_EXTENT, MAP_EXTENT

VISIBLE = 2
"""Value of visibility_map; seen cells have 1, others 0. [S] OBS, F"""

_SCREEN_VISIBILITY = layers.number_of(layers.SCREEN_SCALES, 'visibility_map')
_SCREEN_PATHABLE = layers.number_of(layers.SCREEN_SCALES, 'pathable')
_SCREEN_BUILDABLE = layers.number_of(layers.SCREEN_SCALES, 'buildable')
_MINIMAP_VISIBILITY = layers.number_of(layers.MINIMAP_SCALES, 'visibility_map')
_MINIMAP_PATHABLE = layers.number_of(layers.MINIMAP_SCALES, 'pathable')
_MINIMAP_BUILDABLE = layers.number_of(layers.MINIMAP_SCALES, 'buildable')
_CAMERA = layers.number_of(layers.MINIMAP_SCALES, 'camera')


@compiled
def draw_visibility(g: Any, rules: Any, k: int, screen: Any, minimap: Any) -> None:
    """Draws visibility_map on screen and minimap, if it has changed."""
    place = screen.place[_SCREEN_VISIBILITY]
    if place >= 0 and (g._visibility_changed or g._camera_changed):
        columns, rows = _cells_of_screen(g, rules)
        _draw_visibility(g, rules, screen.small, place, k, columns, rows)
    place = minimap.place[_MINIMAP_VISIBILITY]
    if place >= 0 and g._visibility_changed:
        columns, rows = _cells_of_minimap(rules)
        _draw_visibility(g, rules, minimap.small, place, k, columns, rows)


@compiled
def draw_cells(
    g: Any, rules: Any, k: int, screen: Any, minimap: Any, pathable: Any, buildable: Any
) -> None:
    """Draws pathable and buildable cells, uint8 [64, 64] by y and x. [U]"""
    columns, rows = _cells_of_screen(g, rules)
    _draw_cells(screen.small, screen.place[_SCREEN_PATHABLE], k, pathable, columns, rows)
    _draw_cells(screen.small, screen.place[_SCREEN_BUILDABLE], k, buildable, columns, rows)
    columns, rows = _cells_of_minimap(rules)
    _draw_cells(minimap.small, minimap.place[_MINIMAP_PATHABLE], k, pathable, columns, rows)
    _draw_cells(minimap.small, minimap.place[_MINIMAP_BUILDABLE], k, buildable, columns, rows)


@compiled
def draw_camera(g: Any, rules: Any, k: int, minimap: Any) -> None:
    """Draws the frame of the screen on the minimap, if the camera has moved."""
    place = minimap.place[_CAMERA]
    if place < 0 or not g._camera_changed:
        return
    left = int(np.floor(pixels.minimap_column(rules, pixels.screen_left(g))))
    top = int(np.floor(pixels.minimap_row(rules, pixels.screen_top(g))))
    right = left + int(np.floor(CAMERA_EXTENT * rules.minimap_across + 0.5))
    bottom = top + int(np.floor(CAMERA_EXTENT * rules.minimap_down + 0.5))
    for row in range(minimap.height):
        for column in range(minimap.width):
            inside = left <= column and column < right and top <= row and row < bottom
            minimap.small[place, k, row * minimap.width + column] = 1 if inside else 0


@compiled
def _draw_visibility(
    g: Any, rules: Any, images: Any, place: int, k: int, columns: Any, rows: Any
) -> None:
    pixel = 0
    one = np.uint64(1)
    for y in rows:
        for x in columns:
            value = 0
            if x >= 0 and y >= 0:
                if rules.has_fog:
                    cell = np.uint64(x)
                    visible = (g._visible[y] >> cell) & one
                    known = ((g._visible[y] | g.seen[y]) >> cell) & one
                    value = int(visible + known)
                else:
                    value = VISIBLE * int(rules.revealed_cell[y, x])
            images[place, k, pixel] = value
            pixel += 1


@compiled
def _draw_cells(images: Any, place: int, k: int, cells: Any, columns: Any, rows: Any) -> None:
    if place < 0:
        return
    pixel = 0
    for y in rows:
        for x in columns:
            images[place, k, pixel] = cells[y, x] if x >= 0 and y >= 0 else 0
            pixel += 1


@compiled
def _cells_of_screen(g: Any, rules: Any) -> Any:
    """Returns columns and rows of the cells at the centres of pixels, -1 outside of the map."""
    columns = np.empty(rules.screen_width, np.int32)
    rows = np.empty(rules.screen_height, np.int32)
    for column in range(rules.screen_width):
        columns[column] = _on_map(pixels.screen_x(g, rules, column))
    for row in range(rules.screen_height):
        rows[row] = _on_map(pixels.screen_y(g, rules, row))
    return columns, rows


@compiled
def _cells_of_minimap(rules: Any) -> Any:
    """Like `_cells_of_screen`."""
    columns = np.empty(rules.minimap_width, np.int32)
    rows = np.empty(rules.minimap_height, np.int32)
    for column in range(rules.minimap_width):
        columns[column] = _on_map(pixels.minimap_x(rules, column))
    for row in range(rules.minimap_height):
        rows[row] = _on_map(pixels.minimap_y(rules, row))
    return columns, rows


@compiled
def _on_map(coordinate: float) -> int:
    cell = int(np.floor(coordinate))
    return cell if cell >= 0 and cell < MAP_EXTENT else -1

"""Layers of the map's cells, and the camera's frame on the minimap.

They are drawn again only after what they show has changed.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import layers, pixels, visibility
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing.canvas import clear
from sc2impala.sim.geometry import CAMERA_EXTENT, MAP_EXTENT

_VISIBILITY = layers.number_of('visibility_map')
_PATHABLE = layers.number_of('pathable')
_BUILDABLE = layers.number_of('buildable')
_CAMERA = layers.number_of('camera')


@compiled
def draw_on_screen(g: Any, rules: Any, k: int, screen: Any, pathable: Any, buildable: Any) -> None:
    """Draws the layers of the screen that have changed.

    Args:
      g: the game.
      rules: the record of its map.
      k: index of its images.
      screen: Canvas.
      pathable, buildable: uint8 [64, 64] by y and x, the cells that are so.
    """
    moved = g._camera_changed != 0
    columns = np.empty(rules.screen_width, np.int32)
    rows = np.empty(rules.screen_height, np.int32)
    for column in range(len(columns)):
        columns[column] = _on_map(pixels.screen_x(g, rules, column))
    for row in range(len(rows)):
        rows[row] = _on_map(pixels.screen_y(g, rules, row))
    _draw_layers(g, rules, k, screen, moved, columns, rows, pathable, buildable)


@compiled
def draw_on_minimap(
    g: Any, rules: Any, k: int, minimap: Any, pathable: Any, buildable: Any
) -> None:
    """Draws the layers of the minimap that have changed; arguments as for `draw_on_screen`."""
    if g._camera_changed:
        for place in range(len(minimap.small_layers)):
            if minimap.small_layers[place] == _CAMERA:
                _draw_camera(g, rules, minimap.small[place, k])
    if not (g._visibility_changed or g._ground_changed):
        return
    columns = np.empty(rules.minimap_width, np.int32)
    rows = np.empty(rules.minimap_height, np.int32)
    for column in range(len(columns)):
        columns[column] = _on_map(pixels.minimap_x(rules, column))
    for row in range(len(rows)):
        rows[row] = _on_map(pixels.minimap_y(rules, row))
    _draw_layers(g, rules, k, minimap, False, columns, rows, pathable, buildable)


@compiled
def _draw_layers(
    g: Any,
    rules: Any,
    k: int,
    canvas: Any,
    moved: bool,
    columns: Any,
    rows: Any,
    pathable: Any,
    buildable: Any,
) -> None:
    """Draws the layers that have changed, all if the camera has moved.

    columns and rows are those of the map's cells at the centres of pixels, -1 outside of the map.
    """
    for place in range(len(canvas.small_layers)):
        layer = canvas.small_layers[place]
        if layer == _VISIBILITY and (moved or g._visibility_changed):
            if rules.has_fog:
                _draw_fog(g, canvas.small[place, k], columns, rows)
            else:
                _draw_cells(
                    canvas.small[place, k], rules.revealed_cell, visibility.VISIBLE, columns, rows
                )
        elif layer == _PATHABLE and (moved or g._ground_changed):
            _draw_cells(canvas.small[place, k], pathable, 1, columns, rows)
        elif layer == _BUILDABLE and (moved or g._ground_changed):
            _draw_cells(canvas.small[place, k], buildable, 1, columns, rows)


@compiled
def _draw_fog(g: Any, image: Any, columns: Any, rows: Any) -> None:
    pixel = 0
    for row in rows:
        visible = g._visible[max(row, 0)] if row >= 0 else np.uint64(0)
        known = visible | g.seen[max(row, 0)] if row >= 0 else np.uint64(0)
        for column in columns:
            value = 0
            if column >= 0:
                value = int(visibility.is_set(visible, column)) + int(
                    visibility.is_set(known, column)
                )
            image[pixel] = value
            pixel += 1


@compiled
def _draw_cells(image: Any, cells: Any, value: int, columns: Any, rows: Any) -> None:
    pixel = 0
    for row in rows:
        for column in columns:
            inside = row >= 0 and column >= 0 and cells[row, column] != 0
            image[pixel] = value if inside else 0
            pixel += 1


@compiled
def _draw_camera(g: Any, rules: Any, image: Any) -> None:
    """Draws the frame of the screen."""
    clear(image, 0, len(image))
    first, last = _frame(
        pixels.minimap_column(rules, pixels.screen_left(g)),
        rules.minimap_across,
        rules.minimap_width,
    )
    top, bottom = _frame(
        pixels.minimap_row(rules, pixels.screen_top(g)), rules.minimap_down, rules.minimap_height
    )
    for row in range(top, bottom):
        for column in range(first, last):
            image[row * rules.minimap_width + column] = 1


@compiled
def _frame(start: float, scale: float, num_pixels: int) -> Tuple[int, int]:
    """Returns the pixels of the frame along one axis: the first one, and the last one + 1."""
    first = int(np.floor(start))
    end = first + int(np.floor(CAMERA_EXTENT * scale + 0.5))
    return max(first, 0), min(end, num_pixels)


@compiled
def _on_map(coordinate: float) -> int:
    cell = int(np.floor(coordinate))
    return cell if cell >= 0 and cell < MAP_EXTENT else -1

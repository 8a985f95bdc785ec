"""The layers of units.

They are drawn in the order of `visibility.drawn`: on a shared pixel the last one is visible.
"""

from typing import Any

import numpy as np

from sc2impala.sim import layers, pixels, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import smooth_discs
from sc2impala.sim.drawing.canvas import HEIGHT, LEFT, SLOT, TOP, clear, count, paint
from sc2impala.sim.visibility import drawn, num_drawn, shown

FULL_RATIO = 255  # [S] OBS

_PLAYER_ID = layers.number_of('player_id')
_PLAYER_RELATIVE = layers.number_of('player_relative')
_UNIT_TYPE = layers.number_of('unit_type')
_SELECTED = layers.number_of('selected')
_HIT_POINTS = layers.number_of('unit_hit_points')
_HIT_POINTS_RATIO = layers.number_of('unit_hit_points_ratio')
_DENSITY = layers.number_of('unit_density')
_DENSITY_AA = layers.number_of('unit_density_aa')
_ACTIVE = layers.number_of('active')
_BUILD_PROGRESS = layers.number_of('build_progress')
_MOST = layers.SCREEN_SCALES['unit_density'] - 1
_MOST_AA = layers.SCREEN_SCALES['unit_density_aa'] - 1

_REACH = 1
"""Rows and columns by which the exact circle of a unit can extend beyond its box."""


@compiled
def draw_on_screen(g: Any, rules: Any, k: int, screen: Any) -> None:
    """Draws the units that player 1 sees.

    Args:
      g: the game.
      rules: the record of its map.
      k: index of its images.
      screen: Canvas.
    """
    num_boxes = 0
    boxes = screen.boxes[k]
    for turn in range(num_drawn(g)):
        i = drawn(g, turn)
        if shown(g, rules, i):
            left, top = pixels.disc_left(g, rules, i), pixels.disc_top(g, rules, i)
            wide, high = rules.disc_width[g.type[i]], rules.disc_height[g.type[i]]
            across = left < rules.screen_width + _REACH and left + wide + _REACH > 0
            if across and top < rules.screen_height + _REACH and top + high + _REACH > 0:
                _add_box(boxes, num_boxes, i, left, top, high)
                num_boxes += 1
    for place in range(len(screen.small_layers)):
        if screen.small_layers[place] == _DENSITY_AA:
            image = screen.small[place, k]
            width = rules.screen_width
            clear(image, screen.painted[k, 0] * width, screen.painted[k, 1] * width)
            for n in range(num_boxes):
                smooth_discs.add(g, rules, boxes[n, SLOT], image, _MOST_AA)
    boxes = boxes[:num_boxes]
    _draw_small(g, rules, k, screen, boxes, rules.screen_width)
    _draw_large(g, rules, k, screen, boxes, rules.screen_width)
    _mark_rows(screen.painted[k], boxes, rules.screen_height)


@compiled
def draw_on_minimap(g: Any, rules: Any, k: int, minimap: Any) -> None:
    """Draws the units that player 1 sees; arguments as for `draw_on_screen`.

    The minimap's unit_type is always zero. [S] F
    """
    num_boxes = 0
    boxes = minimap.boxes[k]
    for turn in range(num_drawn(g)):
        i = drawn(g, turn)
        if shown(g, rules, i):
            left, top = pixels.square_left(g, rules, i), pixels.square_top(g, rules, i)
            _add_box(boxes, num_boxes, i, left, top, rules.square_height[g.type[i]])
            num_boxes += 1
    boxes = boxes[:num_boxes]
    _draw_small(g, rules, k, minimap, boxes, rules.minimap_width)
    _mark_rows(minimap.painted[k], boxes, rules.minimap_height)


@compiled
def player_relative(owner: int) -> int:
    """Returns the value of player_relative for player 1. [S] OBS"""
    if owner == unit_types.SELF:
        return 1
    if owner == unit_types.NEUTRAL:
        return 3
    return 4


@compiled
def health_ratio(g: Any, rules: Any, i: int) -> float:
    """Returns the health of unit i; a unit of full health has FULL_RATIO."""
    return FULL_RATIO * g.health[i] / rules.health[g.type[i]]


@compiled
def progress_ratio(g: Any, rules: Any, i: int) -> float:
    """Returns the build progress of an unfinished building, 0 for all other units. [U]"""
    if g.unfinished[i] <= 0:
        return 0.0
    return FULL_RATIO * (1 - g.unfinished[i] / max(rules.build_loops[g.type[i]], 1))


@compiled
def _add_box(boxes: Any, n: int, i: int, left: int, top: int, high: int) -> None:
    boxes[n, SLOT] = i
    boxes[n, LEFT] = left
    boxes[n, TOP] = top
    boxes[n, HEIGHT] = high


@compiled
def _draw_small(g: Any, rules: Any, k: int, canvas: Any, boxes: Any, width: int) -> None:
    """Draws the layers of one byte but unit_density_aa."""
    layers_of_canvas, inked = canvas.small_layers, canvas.inked
    start, end = canvas.start, canvas.end
    first, last = canvas.painted[k, 0] * width, canvas.painted[k, 1] * width
    for place in range(len(layers_of_canvas)):
        layer = layers_of_canvas[place]
        if layer == _DENSITY or _is_of_units(layer):
            image = canvas.small[place, k]
            if inked[k, place]:
                clear(image, first, last)
            if layer == _DENSITY:
                inked[k, place] = True
                for n in range(len(boxes)):
                    count(image, width, boxes, n, start, end, g.type[boxes[n, SLOT]], _MOST)
            else:
                inked[k, place] = _draw_layer(g, rules, layer, image, boxes, start, end, width)


@compiled
def _draw_large(g: Any, rules: Any, k: int, canvas: Any, boxes: Any, width: int) -> None:
    """Draws the layers of two bytes."""
    inked = canvas.inked
    start, end = canvas.start, canvas.end
    first, last = canvas.painted[k, 0] * width, canvas.painted[k, 1] * width
    for place in range(len(canvas.large_layers)):
        layer = canvas.large_layers[place]
        if layer in (_UNIT_TYPE, _HIT_POINTS):
            image = canvas.large[place, k]
            mark = len(canvas.small_layers) + place
            if inked[k, mark]:
                clear(image, first, last)
            inked[k, mark] = _draw_layer(g, rules, layer, image, boxes, start, end, width)


@compiled
def _draw_layer(
    g: Any, rules: Any, layer: int, image: Any, boxes: Any, start: Any, end: Any, width: int
) -> bool:
    """Draws a layer into an image of zeros, and returns whether it has other pixels."""
    inked = False
    for n in range(len(boxes)):
        i = boxes[n, SLOT]
        value = _value(g, rules, layer, i)
        if value != 0 or inked:
            inked = True
            paint(image, width, boxes, n, start, end, g.type[i], value)
    return inked


@compiled
def _mark_rows(painted: Any, boxes: Any, height: int) -> None:
    """Notes which rows of the image are painted."""
    first, end = height, 0
    for n in range(len(boxes)):
        top = boxes[n, TOP]
        first = min(first, max(top - _REACH, 0))
        end = max(end, min(top + boxes[n, HEIGHT] + _REACH, height))
    painted[0] = first
    painted[1] = end


@compiled
def _is_of_units(layer: int) -> bool:
    return layer in (
        _PLAYER_ID,
        _PLAYER_RELATIVE,
        _SELECTED,
        _HIT_POINTS_RATIO,
        _ACTIVE,
        _BUILD_PROGRESS,
    )


@compiled
def _value(g: Any, rules: Any, layer: int, i: int) -> int:
    """Returns the value of unit i in a layer."""
    if layer == _PLAYER_ID:
        return int(g.owner[i])
    if layer == _PLAYER_RELATIVE:
        return player_relative(g.owner[i])
    if layer == _UNIT_TYPE:
        return int(rules.unit_type[g.type[i]])
    if layer == _SELECTED:
        return int(g.selected[i])
    if layer == _HIT_POINTS:
        return int(np.ceil(g.health[i]))  # Where `feature_units` rounds down. [S] OBS
    if layer == _HIT_POINTS_RATIO:
        return int(health_ratio(g, rules, i))
    if layer == _ACTIVE:
        return int(g.active[i])
    return int(progress_ratio(g, rules, i))

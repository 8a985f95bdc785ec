"""The layers of units.

They are drawn in the order of `visibility.drawn`: on a shared pixel the last one is visible.
"""

from typing import Any

import numpy as np

from sc2impala.sim import layers, pixels, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import discs
from sc2impala.sim.drawing.canvas import MAX_BASE, clear, copy, cover, fill, uncover
from sc2impala.sim.units import num_mobile
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
    width, height = rules.screen_width, rules.screen_height
    num_units = 0
    covered = 0
    first, end = height, 0
    for turn in range(num_drawn(g)):
        i = drawn(g, turn)
        if shown(g, rules, i):
            left, top = pixels.disc_left(g, rules, i), pixels.disc_top(g, rules, i)
            wide, high = rules.disc_width[g.type[i]], rules.disc_height[g.type[i]]
            across = left < width + _REACH and left + wide + _REACH > 0
            if across and top < height + _REACH and top + high + _REACH > 0:
                screen.listed[num_units] = i
                covered = cover(screen, width, num_units, left, top, high, g.type[i], covered)
                num_units += 1
                first = min(first, max(top - _REACH, 0))
                end = max(end, min(top + high + _REACH, height))
    _draw_smooth(g, rules, k, screen, num_units)
    _draw_small(g, rules, k, screen, num_units, covered)
    _draw_large(g, rules, k, screen, num_units, covered)
    uncover(screen, covered)
    screen.painted[k, 0] = first * width
    screen.painted[k, 1] = end * width


@compiled
def draw_on_minimap(g: Any, rules: Any, k: int, minimap: Any) -> None:
    """Draws the units that player 1 sees; arguments as for `draw_on_screen`.

    The minimap's unit_type is always zero. [S] F
    """
    width, height = rules.minimap_width, rules.minimap_height
    num_units = 0
    covered = 0
    first, end = height, 0
    for turn in range(num_drawn(g)):
        i = drawn(g, turn)
        if shown(g, rules, i):
            left, top = pixels.square_left(g, rules, i), pixels.square_top(g, rules, i)
            high = rules.square_height[g.type[i]]
            minimap.listed[num_units] = i
            covered = cover(minimap, width, num_units, left, top, high, g.type[i], covered)
            num_units += 1
            first = min(first, max(top, 0))
            end = max(end, min(top + high, height))
    _draw_small(g, rules, k, minimap, num_units, covered)
    uncover(minimap, covered)
    minimap.painted[k, 0] = first * width
    minimap.painted[k, 1] = end * width


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
def _draw_smooth(g: Any, rules: Any, k: int, screen: Any, num_units: int) -> None:
    """Draws unit_density_aa: what cannot move, listed first, only after a change."""
    for place in range(len(screen.small_layers)):
        if screen.small_layers[place] == _DENSITY_AA:
            image = screen.small[place, k]
            num_fixed = 0
            while num_fixed < num_units and screen.listed[num_fixed] >= num_mobile(g):
                num_fixed += 1
            if 0 < num_fixed <= MAX_BASE:
                if _changes_base(g, screen.base_of[0, k], screen.listed, num_fixed):
                    clear(screen.base[0, k], 0, len(image))
                    for n in range(num_fixed):
                        _add_smooth(g, rules, screen, n, screen.base[0, k])
                copy(screen.base[0, k], image)
            else:
                _clear_painted(image, k, screen)
                num_fixed = 0
            for n in range(num_fixed, num_units):
                _add_smooth(g, rules, screen, n, image)


@compiled
def _add_smooth(g: Any, rules: Any, screen: Any, n: int, image: Any) -> None:
    discs.add(g, rules, screen.listed[n], image, screen.spans, _MOST_AA)


@compiled
def _changes_base(g: Any, base_of: Any, listed: Any, num_fixed: int) -> bool:
    """Records what a base shows; returns whether that was something else before.

    The first row is the camera and the number of units, the others are positions and types.
    """
    changes = _replace(base_of, 0, g.camera_x, g.camera_y, float(num_fixed))
    for n in range(num_fixed):
        i = listed[n]
        changes = _replace(base_of, n + 1, g.x[i], g.y[i], float(g.type[i])) or changes
    return changes


@compiled
def _replace(rows: Any, row: int, first: float, second: float, third: float) -> bool:
    """Writes a row; returns whether it was another one."""
    same = rows[row, 0] == first and rows[row, 1] == second and rows[row, 2] == third
    rows[row, 0] = first
    rows[row, 1] = second
    rows[row, 2] = third
    return not same


@compiled
def _draw_small(g: Any, rules: Any, k: int, canvas: Any, num_units: int, covered: int) -> None:
    """Draws the layers of one byte but unit_density_aa."""
    for place in range(len(canvas.small_layers)):
        layer = canvas.small_layers[place]
        if layer == _DENSITY:
            image = canvas.small[place, k]
            _clear_painted(image, k, canvas)
            for n in range(covered):
                image[canvas.covered[n]] = canvas.depth[canvas.covered[n]]
        elif _is_of_units(layer):
            image = canvas.small[place, k]
            if canvas.inked[k, place]:
                _clear_painted(image, k, canvas)
            inked = _evaluate(g, rules, layer, canvas, num_units)
            if inked:
                fill(image, canvas, covered)
            canvas.inked[k, place] = inked


@compiled
def _draw_large(g: Any, rules: Any, k: int, canvas: Any, num_units: int, covered: int) -> None:
    """Draws the layers of two bytes."""
    for place in range(len(canvas.large_layers)):
        layer = canvas.large_layers[place]
        if layer in (_UNIT_TYPE, _HIT_POINTS):
            image = canvas.large[place, k]
            _clear_painted(image, k, canvas)
            _evaluate(g, rules, layer, canvas, num_units)
            fill(image, canvas, covered)


@compiled
def _clear_painted(image: Any, k: int, canvas: Any) -> None:
    """Clears the rows that the units of game k covered when it was drawn last."""
    clear(image, canvas.painted[k, 0], canvas.painted[k, 1])


@compiled
def _evaluate(g: Any, rules: Any, layer: int, canvas: Any, num_units: int) -> bool:
    """Sets `canvas.values` to those of the listed units; returns whether one is not 0."""
    inked = False
    for n in range(num_units):
        value = _value(g, rules, layer, canvas.listed[n])
        canvas.values[n] = value
        inked = inked or value != 0
    return inked


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

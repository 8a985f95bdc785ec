"""The layers of units.

Units are drawn in the order of their slots, so that on a shared pixel the last one is visible. [U]
"""

from typing import Any

from sc2impala.sim import layers, pixels, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import smooth_discs
from sc2impala.sim.drawing.canvas import (
    clear_large,
    clear_small,
    count_small,
    mark_rows,
    paint_large,
    paint_small,
)
from sc2impala.sim.visibility import shown

FULL_RATIO = 255  # [S] OBS

_PLAYER_ID = layers.number_of(layers.SCREEN_SCALES, 'player_id')
_PLAYER_RELATIVE = layers.number_of(layers.SCREEN_SCALES, 'player_relative')
_UNIT_TYPE = layers.number_of(layers.SCREEN_SCALES, 'unit_type')
_SELECTED = layers.number_of(layers.SCREEN_SCALES, 'selected')
_HIT_POINTS = layers.number_of(layers.SCREEN_SCALES, 'unit_hit_points')
_HIT_POINTS_RATIO = layers.number_of(layers.SCREEN_SCALES, 'unit_hit_points_ratio')
_DENSITY = layers.number_of(layers.SCREEN_SCALES, 'unit_density')
_DENSITY_AA = layers.number_of(layers.SCREEN_SCALES, 'unit_density_aa')
_ACTIVE = layers.number_of(layers.SCREEN_SCALES, 'active')
_BUILD_PROGRESS = layers.number_of(layers.SCREEN_SCALES, 'build_progress')
_MOST = layers.SCREEN_SCALES['unit_density'] - 1
_MOST_AA = layers.SCREEN_SCALES['unit_density_aa'] - 1

# The minimap's unit_type is always zero. [S] F
_MINIMAP_PLAYER_ID = layers.number_of(layers.MINIMAP_SCALES, 'player_id')
_MINIMAP_PLAYER_RELATIVE = layers.number_of(layers.MINIMAP_SCALES, 'player_relative')
_MINIMAP_SELECTED = layers.number_of(layers.MINIMAP_SCALES, 'selected')


@compiled
def draw_units(g: Any, rules: Any, k: int, screen: Any, minimap: Any, discs: Any) -> None:
    """Draws the units that player 1 sees. Arguments as for `drawing.draw`."""
    _clear_screen(screen, k)
    _clear_minimap(minimap, k)
    for i in range(g.unit_end):
        if shown(g, rules, i):
            _draw_on_screen(g, rules, k, i, screen, discs)
            _draw_on_minimap(g, rules, k, i, minimap)


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
def _clear_screen(screen: Any, k: int) -> None:
    for layer in (
        _PLAYER_ID,
        _PLAYER_RELATIVE,
        _SELECTED,
        _HIT_POINTS_RATIO,
        _DENSITY,
        _DENSITY_AA,
        _ACTIVE,
        _BUILD_PROGRESS,
    ):
        clear_small(screen, k, layer)
    clear_large(screen, k, _UNIT_TYPE)
    clear_large(screen, k, _HIT_POINTS)
    screen.painted[k, 0] = screen.height
    screen.painted[k, 1] = 0


@compiled
def _clear_minimap(minimap: Any, k: int) -> None:
    clear_small(minimap, k, _MINIMAP_PLAYER_ID)
    clear_small(minimap, k, _MINIMAP_PLAYER_RELATIVE)
    clear_small(minimap, k, _MINIMAP_SELECTED)
    minimap.painted[k, 0] = minimap.height
    minimap.painted[k, 1] = 0


@compiled
def _draw_on_screen(g: Any, rules: Any, k: int, i: int, screen: Any, discs: Any) -> None:
    type_index = int(g.type[i])
    column = pixels.screen_column(g, rules, g.x[i])
    row = pixels.screen_row(g, rules, g.y[i])
    if screen.place[_DENSITY_AA] >= 0:
        smooth_discs.add(discs, screen, k, _DENSITY_AA, type_index, column, row, _MOST_AA)
    left = pixels.box_start(column, rules.disc_width[type_index])
    top = pixels.box_start(row, rules.disc_height[type_index])
    bottom = top + rules.disc_height[type_index]
    right = left + rules.disc_width[type_index]
    if bottom <= 0 or right <= 0 or top >= screen.height or left >= screen.width:
        return
    mark_rows(screen, k, top, bottom)
    owner = int(g.owner[i])
    ratio = int(health_ratio(g, rules, i))
    progress = int(progress_ratio(g, rules, i))
    unit_type = rules.unit_type[type_index]
    paint_small(screen, k, _PLAYER_ID, type_index, left, top, owner)
    paint_small(screen, k, _PLAYER_RELATIVE, type_index, left, top, player_relative(owner))
    paint_large(screen, k, _UNIT_TYPE, type_index, left, top, unit_type)
    paint_small(screen, k, _SELECTED, type_index, left, top, int(g.selected[i]))
    paint_large(screen, k, _HIT_POINTS, type_index, left, top, int(g.health[i]))
    paint_small(screen, k, _HIT_POINTS_RATIO, type_index, left, top, ratio)
    paint_small(screen, k, _ACTIVE, type_index, left, top, int(g.active[i]))
    paint_small(screen, k, _BUILD_PROGRESS, type_index, left, top, progress)
    count_small(screen, k, _DENSITY, type_index, left, top, _MOST)


@compiled
def _draw_on_minimap(g: Any, rules: Any, k: int, i: int, minimap: Any) -> None:
    type_index = int(g.type[i])
    owner = int(g.owner[i])
    left = pixels.square_left(g, rules, i)
    top = pixels.square_top(g, rules, i)
    mark_rows(minimap, k, top, top + rules.square_height[type_index])
    paint_small(minimap, k, _MINIMAP_PLAYER_ID, type_index, left, top, owner)
    relative = player_relative(owner)
    paint_small(minimap, k, _MINIMAP_PLAYER_RELATIVE, type_index, left, top, relative)
    paint_small(minimap, k, _MINIMAP_SELECTED, type_index, left, top, int(g.selected[i]))

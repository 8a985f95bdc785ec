"""Converts the pixel arguments of function calls to points of the world and target units."""

from typing import Any, Tuple

from sc2impala.sim import picking, pixels
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import NO_UNIT


@compiled
def on_screen(g: Any, rules: Any, call: Any) -> Tuple[int, float, float]:
    """Returns the target of the argument `screen`.

    Args:
      g: the game.
      rules: the constants of its map.
      call: record of functions.CALL.

    Returns:
      slot of the visible unit there, or NO_UNIT, as on maps without targets; and x, y.
    """
    if call.has_place:
        return _given(g, call)
    column = pixels.clip(call.screen_x, rules.screen_width)
    row = pixels.clip(call.screen_y, rules.screen_height)
    target = NO_UNIT
    if rules.has_targets:
        target = picking.on_screen(g, rules, column, row)
    return target, pixels.screen_x(g, rules, column), pixels.screen_y(g, rules, row)


@compiled
def on_minimap(g: Any, rules: Any, call: Any) -> Tuple[int, float, float]:
    """Like `on_screen`, for the argument `minimap`."""
    if call.has_place:
        return _given(g, call)
    column = pixels.clip(call.minimap_x, rules.minimap_width)
    row = pixels.clip(call.minimap_y, rules.minimap_height)
    target = NO_UNIT
    if rules.has_targets:
        target = picking.on_minimap(g, rules, column, row)
    return target, pixels.minimap_x(rules, column), pixels.minimap_y(rules, row)


@compiled
def _given(g: Any, call: Any) -> Tuple[int, float, float]:
    target = NO_UNIT
    if 0 <= call.place_target < g.unit_end:
        target = int(call.place_target)
    return target, call.place_x, call.place_y

"""Finds the unit under a pixel of the screen or minimap."""

from typing import Any

from sc2impala.sim import pixels, visibility
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.visibility import drawn, num_drawn, shown


@compiled
def look(g: Any, rules: Any) -> None:
    """Updates what player 1 sees; required before `shown` is called."""
    if rules.has_fog:
        visibility.refresh(g, rules)


@compiled
def on_screen(g: Any, rules: Any, column: int, row: int) -> int:
    """Returns the slot of the topmost unit drawn on a pixel of the screen, or NO_UNIT."""
    look(g, rules)
    for turn in range(num_drawn(g) - 1, -1, -1):
        i = drawn(g, turn)
        if g.alive[i] and covers_on_screen(g, rules, i, column, row) and shown(g, rules, i):
            return i
    return NO_UNIT


@compiled
def on_minimap(g: Any, rules: Any, column: int, row: int) -> int:
    """Returns the slot of the topmost unit drawn on a pixel of the minimap, or NO_UNIT."""
    look(g, rules)
    for turn in range(num_drawn(g) - 1, -1, -1):
        i = drawn(g, turn)
        if g.alive[i] and _covers_on_minimap(g, rules, i, column, row) and shown(g, rules, i):
            return i
    return NO_UNIT


@compiled
def covers_on_screen(g: Any, rules: Any, i: int, column: int, row: int) -> bool:
    """Returns whether the disc of unit i covers a pixel of the screen."""
    return pixels.disc_covers(
        column - pixels.disc_left(g, rules, i),
        row - pixels.disc_top(g, rules, i),
        rules.disc_width[g.type[i]],
        rules.disc_height[g.type[i]],
    )


@compiled
def _covers_on_minimap(g: Any, rules: Any, i: int, column: int, row: int) -> bool:
    across = column - pixels.square_left(g, rules, i)
    down = row - pixels.square_top(g, rules, i)
    within = 0 <= across < rules.square_width[g.type[i]]
    return within and 0 <= down < rules.square_height[g.type[i]]

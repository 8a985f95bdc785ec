"""Fog of war, and visibility of units for player 1."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import MAP_EXTENT, clamp
from sc2impala.sim.units import is_own, num_mobile

UNSEEN = 0
SEEN = 1
VISIBLE = 2
"""Values of the layer visibility_map. [S] OBS, F"""

_HIDDEN = -1  # Place of slots that hold no unit of player 1.
_ONE = np.uint64(1)
_ALL = np.uint64(2**64 - 1)


@compiled
def look(g: Any, rules: Any) -> None:
    """Adds the visible cells to the seen cells, at the start of a frame: before units can die."""
    refresh(g, rules)
    for row in range(MAP_EXTENT):
        g.seen[row] |= g._visible[row]


@compiled
def refresh(g: Any, rules: Any) -> None:
    """Recomputes the visible cells if a unit of player 1 has entered another cell or is gone."""
    changed = False
    for i in range(g.unit_end):
        place = _HIDDEN
        if is_own(g, i):
            column, row = _cell(rules, g.x[i], g.y[i])
            place = (g.type[i] * MAP_EXTENT + row) * MAP_EXTENT + column
        if g._place[i] != place:
            g._place[i] = place
            changed = True
    if not changed:
        return
    g._visibility_changed = True
    for row in range(MAP_EXTENT):
        g._visible[row] = np.uint64(0)
    for i in range(g.unit_end):
        if is_own(g, i):
            _add_view(g, rules, i)


@compiled
def sees(g: Any, rules: Any, i: int) -> bool:
    """Returns whether player 1 sees a living unit; call `refresh` before.

    Own and neutral units are always visible. [A]
    """
    if g.owner[i] != unit_types.ENEMY:
        return True
    column, row = _cell(rules, g.x[i], g.y[i])
    return is_set(g._visible[row], column)


@compiled
def visibility(g: Any, column: int, row: int) -> int:
    """Returns UNSEEN, SEEN or VISIBLE for a cell; call `refresh` before."""
    if is_set(g._visible[row], column):
        return VISIBLE
    return SEEN if is_set(g.seen[row], column) else UNSEEN


@compiled
def is_set(mask: Any, column: int) -> bool:
    """Returns whether the mask of a row, uint64, holds a column."""
    return (mask >> np.uint64(column)) & _ONE != 0


@compiled
def _add_view(g: Any, rules: Any, i: int) -> None:
    """Adds the cells that a unit sees to the visible cells."""
    sight = rules.sight[g.type[i]]
    column, row = _cell(rules, g.x[i], g.y[i])
    left, right = _columns(rules)
    bottom, top = _rows(rules)
    across = int(sight)
    for up in range(across + 1):
        while across * across + up * up > sight * sight:
            across -= 1
        if across < 0 or sight <= 0:
            return
        first, last = max(column - across, left), min(column + across, right)
        mask = (_ALL >> np.uint64(MAP_EXTENT - 1 - (last - first))) << np.uint64(first)
        if row + up <= top:
            g._visible[row + up] |= mask
        if row - up >= bottom:
            g._visible[row - up] |= mask


@compiled
def _cell(rules: Any, x: float, y: float) -> Tuple[int, int]:
    """Returns column and row of the cell of a point, clamped to the playable region."""
    left, right = _columns(rules)
    bottom, top = _rows(rules)
    return int(clamp(np.floor(x), left, right)), int(clamp(np.floor(y), bottom, top))


@compiled
def _columns(rules: Any) -> Tuple[int, int]:
    """Returns the first and the last column with its centre inside the playable region."""
    first = int(np.floor(rules.playable_left - 0.5)) + 1
    return first, int(np.ceil(rules.playable_right - 0.5)) - 1


@compiled
def _rows(rules: Any) -> Tuple[int, int]:
    """Returns the first and the last row with its centre inside the playable region."""
    first = int(np.floor(rules.playable_bottom - 0.5)) + 1
    return first, int(np.ceil(rules.playable_top - 0.5)) - 1


@compiled
def num_drawn(g: Any) -> int:
    """Returns the number of slots in the order of drawing."""
    return g.mobile_end + max(g.unit_end - num_mobile(g), 0)


@compiled
def drawn(g: Any, turn: int) -> int:
    """Returns the slot that is drawn after `turn` others.

    Units that can move are drawn over buildings and resources; in 17 of 17 cases a worker on a
    mineral field. [S] OBS Of units of one kind the one in the last slot is on top. [U]
    """
    num_fixed = max(g.unit_end - num_mobile(g), 0)
    return num_mobile(g) + turn if turn < num_fixed else turn - num_fixed


@compiled
def shown(g: Any, rules: Any, i: int) -> bool:
    """Returns whether player 1 sees unit i: alive, not in a building, and no enemy in the fog.

    On maps with fog, `refresh` must have been called since units moved.
    """
    if not g.alive[i]:
        return False
    if i < num_mobile(g) and g.inside[i]:
        return False
    return not rules.has_fog or sees(g, rules, i)

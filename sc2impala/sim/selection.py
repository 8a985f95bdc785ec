"""Unit selection and control groups. Only the units of player 1 can be selected. [U]

Every function changes the game and returns a code of `protocol_codes`. Pixels are inside the
screen. The selection does not change if no unit is found. [U]
"""

from typing import Any

from sc2impala.sim import picking, pixels, protocol_codes
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import NO_UNIT, NUM_CONTROL_GROUPS, is_own, num_mobile
from sc2impala.sim.visibility import shown


@compiled
def select_point(g: Any, rules: Any, act: int, column: int, row: int) -> int:
    """Selects the unit drawn on a pixel (act 0), toggles it (1), selects all units of its type on
    the screen (2) or adds them (3). [S] ACT
    """
    if act < 0 or act > 3:
        return protocol_codes.ERROR
    picking.look(g, rules)
    top = topmost_own(g, rules, column, row)
    if top == NO_UNIT:
        return protocol_codes.OK
    for i in range(g.unit_end):
        like = is_own(g, i) and g.type[i] == g.type[top] and _on_screen(g, rules, i)
        if act == 0:
            g.selected[i] = i == top
        elif act == 1:
            g.selected[i] = (g.selected[i] != 0) != (i == top)
        elif act == 2:
            g.selected[i] = like
        else:
            g.selected[i] = g.selected[i] or like
    return protocol_codes.OK


@compiled
def select_rect(g: Any, rules: Any, add: bool, left: int, top: int, right: int, bottom: int) -> int:
    """Selects, or adds, the units with boxes that touch a rectangle, all four borders included.

    Buildings are not selected where units that can move are found. [A]
    """
    picking.look(g, rules)
    for i in range(g.unit_end):
        if i == num_mobile(g) and _any(g._chosen, i):
            for building in range(i, g.unit_end):
                g._chosen[building] = False
            break
        touches = is_own(g, i) and _touches(g, rules, i, left, top, right, bottom)
        g._chosen[i] = touches and shown(g, rules, i)
    return _select(g, add)


@compiled
def select_army(g: Any, rules: Any, add: bool) -> int:
    """Selects, or adds, all army units."""
    for i in range(g.unit_end):
        g._chosen[i] = is_own(g, i) and rules.is_army[g.type[i]] != 0
    return _select(g, add)


@compiled
def select_unit(g: Any, act: int, index: int) -> int:
    """Reduces the selection to one unit (act 0), all others (1), the units of its type (2) or those
    of other types (3). The index counts the selected units in the order of `multi_select`. [S] ACT
    """
    slot = _selected_at(g, index)
    if act < 0 or act > 3 or slot == NO_UNIT:
        return protocol_codes.ERROR
    for i in range(g.unit_end):
        if g.selected[i]:
            if act < 2:
                g.selected[i] = (i == slot) == (act == 0)
            else:
                g.selected[i] = (g.type[i] == g.type[slot]) == (act == 2)
    return protocol_codes.OK


@compiled
def control_group(g: Any, act: int, index: int) -> int:
    """Recalls a control group (act 0), sets it to the selection (1) or adds the selection to it
    (2).

    Acts 3 and 4 are 1 and 2 and also remove the units from all other groups. [S] ACT An empty group
    is not recalled, and an empty selection does not change a group. [U]
    """
    if act < 0 or act > 4 or index < 0 or index >= NUM_CONTROL_GROUPS:
        return protocol_codes.ERROR
    if act == 0:
        for i in range(g.unit_end):
            g._chosen[i] = g.control_groups[index, i]
        return _select(g, False)
    if not _any(g.selected, g.unit_end):
        return protocol_codes.OK
    for i in range(g.unit_end):
        kept = (act == 2 or act == 4) and g.control_groups[index, i] != 0
        if act >= 3 and g.selected[i]:
            for group in range(NUM_CONTROL_GROUPS):
                g.control_groups[group, i] = False
        g.control_groups[index, i] = kept or g.selected[i] != 0
    return protocol_codes.OK


@compiled
def topmost_own(g: Any, rules: Any, column: int, row: int) -> int:
    """Returns the own unit drawn last on a pixel, a building only where no unit can move. [A]"""
    topmost = NO_UNIT
    for i in range(g.unit_end):
        if i == num_mobile(g) and topmost != NO_UNIT:
            break
        if is_own(g, i) and picking.covers_on_screen(g, rules, i, column, row):
            if shown(g, rules, i):
                topmost = i
    return topmost


@compiled
def _selected_at(g: Any, index: int) -> int:
    """Returns the slot of the selected unit that follows `index` others, or NO_UNIT."""
    before = 0
    for i in range(g.unit_end):
        if g.selected[i]:
            if before == index:
                return i
            before += 1
    return NO_UNIT


@compiled
def _select(g: Any, add: bool) -> int:
    """Selects, or adds, the units in `_chosen` if there are some."""
    if _any(g._chosen, g.unit_end):
        for i in range(g.unit_end):
            g.selected[i] = g._chosen[i] != 0 or (add and g.selected[i] != 0)
    return protocol_codes.OK


@compiled
def _any(marks: Any, end: int) -> bool:
    found = False
    for i in range(end):
        if marks[i]:
            found = True
    return found


@compiled
def _on_screen(g: Any, rules: Any, i: int) -> bool:
    right, bottom = rules.screen_width - 1, rules.screen_height - 1
    return _touches(g, rules, i, 0, 0, right, bottom)


@compiled
def _touches(g: Any, rules: Any, i: int, left: int, top: int, right: int, bottom: int) -> bool:
    """Returns whether the box of unit i on the screen touches a rectangle."""
    first = pixels.disc_left(g, rules, i)
    upper = pixels.disc_top(g, rules, i)
    across = first <= right and first + rules.disc_width[g.type[i]] > left
    return across and upper <= bottom and upper + rules.disc_height[g.type[i]] > top

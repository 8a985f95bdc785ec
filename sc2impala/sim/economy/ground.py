"""The ground: cells covered by buildings and resources, and the obstacles that they form."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import geometry, protocol_codes
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import footprints, path_cache
from sc2impala.sim.economy.path_finding import BOTTOM, LEFT, RIGHT, TOP
from sc2impala.sim.state import Field
from sc2impala.sim.units import NO_UNIT, num_mobile

UNIT_RADIUS = 0.375  # Of all mobile units on these maps. [S] GD
TOLERANCE = 1e-3
"""A unit that overlaps a building by less does not collide; rounding errors are far smaller."""

_MARGIN = UNIT_RADIUS - TOLERANCE
_NO_BOX = -1

FIELDS = (
    Field('taken', np.uint8, (geometry.MAP_EXTENT, geometry.MAP_EXTENT)),  # Covered cells, [y, x].
    Field('stands', np.uint8, ('B',)),  # Whether a unit stands there.
    # Boxes around these units that centres of units cannot enter; empty ones for unused slots.
    Field('low_x', np.float64, ('B',), np.inf),
    Field('low_y', np.float64, ('B',), np.inf),
    Field('high_x', np.float64, ('B',), -np.inf),
    Field('high_y', np.float64, ('B',), -np.inf),
    Field('ground_version', np.int32),  # Number of changes of the above.
    # The position at which a unit was last found not to overlap a box.
    Field('cleared_x', np.float64, ('M',), np.inf),
    Field('cleared_y', np.float64, ('M',), np.inf),
) + path_cache.FIELDS


@compiled
def survey(g: Any, rules: Any) -> None:
    """Updates the ground if buildings or resources appeared or disappeared."""
    first = num_mobile(g)
    for i in range(first, g.unit_end):
        if g.alive[i] != g.stands[i - first]:
            _survey_all(g, rules)
            return


@compiled
def can_build(g: Any, rules: Any, type_index: int, x: float, y: float) -> int:
    """Checks the location of a building.

    Args:
      g, rules: the game.
      type_index: of the building.
      x, y: its centre, from `footprints.snap`; for a refinery the position of the geyser.

    Returns:
      a code of `protocol_codes`.
    """
    if type_index == rules.refinery:
        return _can_build_refinery(g, rules, x, y)
    left, right, bottom, top = footprints.cells(rules, type_index, x, y, 0)
    num_free = 0
    for row in range(bottom, top):
        for column in range(left, right):
            if g.taken[row, column]:
                return protocol_codes.CANT_BUILD_LOCATION_INVALID
            if rules.buildable_cell[row, column]:
                num_free += 1
    if num_free < rules.footprint[type_index, 0] * rules.footprint[type_index, 1]:
        return protocol_codes.CANT_BUILD_LOCATION_INVALID
    if type_index == rules.town_hall:
        for row in range(bottom, top):
            for column in range(left, right):
                if _is_near_resource(g, rules, column, row):
                    return protocol_codes.CANT_BUILD_TOO_CLOSE_TO_RESOURCES
    return protocol_codes.OK


@compiled
def fixed_at(g: Any, rules: Any, x: float, y: float) -> int:
    """Returns the first fixed slot of a unit with its centre at a point, or NO_UNIT."""
    return _next_fixed_at(g, rules, num_mobile(g), x, y)


@compiled
def crosses(g: Any, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Returns whether a box blocks the segment from (x0, y0) to (x1, y1).

    Boxes that contain the start do not.
    """
    # A segment parallel to an axis has practically no bound across it.
    per_x = 1 / (x1 - x0 if x1 != x0 else 1e-12)
    per_y = 1 / (y1 - y0 if y1 != y0 else 1e-12)
    # Most boxes are far away.
    left = min(x0, x1) - TOLERANCE
    right = max(x0, x1) + TOLERANCE
    bottom = min(y0, y1) - TOLERANCE
    top = max(y0, y1) + TOLERANCE
    for box in range(g.unit_end - num_mobile(g)):
        # One branch instead of four: `&` evaluates all.
        beside_x = (g.low_x[box] <= right) & (g.high_x[box] >= left)
        if beside_x & (g.low_y[box] <= top) & (g.high_y[box] >= bottom):
            low_x = (g.low_x[box] - x0) * per_x
            low_y = (g.low_y[box] - y0) * per_y
            high_x = (g.high_x[box] - x0) * per_x
            high_y = (g.high_y[box] - y0) * per_y
            enter = max(min(low_x, high_x), min(low_y, high_y))
            leave = min(max(low_x, high_x), max(low_y, high_y))
            if enter < leave and 0 < enter < 1:
                return True
    return False


@compiled
def box_at(g: Any, x: float, y: float) -> int:
    """Returns the first box that contains a point, or -1."""
    for box in range(g.unit_end - num_mobile(g)):
        if g.low_x[box] < x < g.high_x[box] and g.low_y[box] < y < g.high_y[box]:
            return box
    return _NO_BOX


@compiled
def nearest_free_cell(g: Any, rules: Any, x: float, y: float) -> Tuple[float, float]:
    """Returns the centre of the free cell nearest to a point; of ties the first.

    Without a free cell the point itself is returned.
    """
    return _nearest_cell(g, rules, x, y, False)


@compiled
def nearest_room(g: Any, rules: Any, x: float, y: float) -> Tuple[float, float]:
    """Like `nearest_free_cell`; cells that are crowded are used only if there are no others."""
    return _nearest_cell(g, rules, x, y, True)


@compiled
def is_crowded(g: Any, x: float, y: float) -> bool:
    """Returns whether a unit at a point would collide with another unit that can move."""
    for i in range(g.mobile_end):
        if g.alive[i] and g.solid[i]:
            if geometry.length(x - g.x[i], y - g.y[i]) < 2 * UNIT_RADIUS:
                return True
    return False


@compiled
def _survey_all(g: Any, rules: Any) -> None:
    first = num_mobile(g)
    g.taken[:] = False
    for box in range(g.unit_end - first):
        i = first + box
        g.stands[box] = g.alive[i]
        if g.alive[i]:
            _cover(g, rules, i, box)
        else:
            g.low_x[box] = np.inf
            g.low_y[box] = np.inf
            g.high_x[box] = -np.inf
            g.high_y[box] = -np.inf
    g.ground_version += 1
    g.cleared_x[:] = np.inf
    g.cleared_y[:] = np.inf
    g._ground_changed = True
    path_cache.forget(g)


@compiled
def _cover(g: Any, rules: Any, i: int, box: int) -> None:
    """Covers the cells below unit i and sets the box around it."""
    half_x, half_y = footprints.half(rules, g.type[i])
    g.low_x[box] = g.x[i] - half_x - _MARGIN
    g.low_y[box] = g.y[i] - half_y - _MARGIN
    g.high_x[box] = g.x[i] + half_x + _MARGIN
    g.high_y[box] = g.y[i] + half_y + _MARGIN
    left, right, bottom, top = footprints.cells(rules, g.type[i], g.x[i], g.y[i], 0)
    for row in range(bottom, top):
        for column in range(left, right):
            g.taken[row, column] = True


@compiled
def _can_build_refinery(g: Any, rules: Any, x: float, y: float) -> int:
    """Refineries stand on geysers without one."""
    geyser = fixed_at(g, rules, x, y)
    if geyser != NO_UNIT and g.type[geyser] == rules.geyser:
        if _next_fixed_at(g, rules, geyser + 1, x, y) == NO_UNIT:
            return protocol_codes.OK
    return protocol_codes.CANT_BUILD_LOCATION_INVALID


@compiled
def _next_fixed_at(g: Any, rules: Any, start: int, x: float, y: float) -> int:
    for i in range(start, rules.num_units):
        if g.alive[i] and g.x[i] == x and g.y[i] == y:
            return i
    return NO_UNIT


@compiled
def _is_near_resource(g: Any, rules: Any, column: int, row: int) -> bool:
    """Returns whether a cell is too near to a resource for town halls."""
    for i in range(num_mobile(g), g.unit_end):
        if g.alive[i] and rules.contents[g.type[i]] > 0:
            if footprints.is_closed(rules, g.type[i], g.x[i], g.y[i], column, row):
                return True
    return False


@compiled
def _nearest_cell(
    g: Any, rules: Any, x: float, y: float, avoids_units: bool
) -> Tuple[float, float]:
    best_x = x
    best_y = y
    best_distance = np.inf
    best_is_crowded = True
    for row in range(BOTTOM, TOP + 1):
        for column in range(LEFT, RIGHT + 1):
            across = column + 0.5 - x
            along = row + 0.5 - y
            distance = across * across + along * along
            # A cell that is not nearer than the best one can only be better if it is not crowded.
            if g.taken[row, column] or (not best_is_crowded and distance >= best_distance):
                continue
            crowded = avoids_units and is_crowded(g, column + 0.5, row + 0.5)
            if crowded and (not best_is_crowded or distance >= best_distance):
                continue
            best_x = column + 0.5
            best_y = row + 0.5
            best_distance = distance
            best_is_crowded = crowded
    return best_x, best_y

"""Eviction of units from buildings that they were pushed into or that appeared on them."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import geometry, orders
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy.ground import TOLERANCE, UNIT_RADIUS, box_at, nearest_free_cell
from sc2impala.sim.geometry import MAP_EXTENT
from sc2impala.sim.state import Field

EVICTION_SPEED = 0.5  # Cells per frame by which units are moved out of a building. [U]

_FAR = 1e3  # Larger than any distance on a map.

FIELDS = (
    Field('_evicted', np.uint8, ('M',)),  # Whether a unit is moved out of a building in this frame.
    Field('_exit_x', np.float64, ('M',)),  # The point towards which it is moved.
    Field('_exit_y', np.float64, ('M',)),
)


@compiled
def evict(g: Any, rules: Any) -> None:
    """Moves units out of buildings and marks them in `_evicted`.

    Units that are not solid are skipped: they walk out by themselves.
    """
    for i in range(g.mobile_end):
        g._evicted[i] = False
        moved = g.x[i] != g.cleared_x[i] or g.y[i] != g.cleared_y[i]
        if g.alive[i] and g.solid[i] and moved:
            box = box_at(g, g.x[i], g.y[i]) if _is_on_taken_cell(g, g.x[i], g.y[i]) else -1
            if box < 0:
                g.cleared_x[i] = g.x[i]
                g.cleared_y[i] = g.y[i]
            else:
                g.cleared_x[i] = np.inf
                g.cleared_y[i] = np.inf
                g._evicted[i] = True
                g._exit_x[i], g._exit_y[i] = _exit(g, rules, i, box)
    for i in range(g.mobile_end):
        if g._evicted[i]:
            _move_out(g, i)


@compiled
def _move_out(g: Any, i: int) -> None:
    x = g._exit_x[i] - g.x[i]
    y = g._exit_y[i] - g.y[i]
    distance = geometry.length(x, y)
    stands = g.goal_x[i] == g.x[i] and g.goal_y[i] == g.y[i]
    if distance > EVICTION_SPEED:
        part = EVICTION_SPEED / distance
        x = x * part
        y = y * part
    g.x[i] += x
    g.y[i] += y
    if stands:
        g.goal_x[i] = g.x[i]
        g.goal_y[i] = g.y[i]


@compiled
def _exit(g: Any, rules: Any, i: int, box: int) -> Tuple[float, float]:
    """Returns the nearest free point next to the box that contains unit i, else a free cell.

    Points at units that cannot be pushed are used only if there are no others.
    """
    best_x = 0.0
    best_y = 0.0
    best_distance = np.inf
    for side in range(4):
        x = g.x[i]
        y = g.y[i]
        if side == 0:
            x = g.low_x[box] - TOLERANCE
        elif side == 1:
            x = g.high_x[box] + TOLERANCE
        elif side == 2:
            y = g.low_y[box] - TOLERANCE
        else:
            y = g.high_y[box] + TOLERANCE
        within = geometry.clamp_x(rules, x) == x and geometry.clamp_y(rules, y) == y
        if within and box_at(g, x, y) < 0:
            distance = geometry.length(x - g.x[i], y - g.y[i])
            if _is_held(g, i, x, y):
                distance += _FAR
            if distance < best_distance:
                best_x = x
                best_y = y
                best_distance = distance
    if best_distance == np.inf:
        return nearest_free_cell(g, rules, g.x[i], g.y[i])
    return best_x, best_y


@compiled
def _is_held(g: Any, i: int, x: float, y: float) -> bool:
    """Returns whether another unit than i that cannot be pushed stands at a point."""
    for j in range(g.mobile_end):
        stays = g.bound[j] or g.order_kind[j, 0] == orders.HOLD
        if j != i and g.alive[j] and stays:
            if geometry.length(x - g.x[j], y - g.y[j]) < 2 * UNIT_RADIUS:
                return True
    return False


@compiled
def _is_on_taken_cell(g: Any, x: float, y: float) -> bool:
    """Returns whether the square around a unit at a point touches a covered cell."""
    left, right = _cell(x - UNIT_RADIUS), _cell(x + UNIT_RADIUS)
    bottom, top = _cell(y - UNIT_RADIUS), _cell(y + UNIT_RADIUS)
    below = g.taken[bottom, left] or g.taken[bottom, right]
    return below or g.taken[top, left] or g.taken[top, right]


@compiled
def _cell(value: float) -> int:
    return min(max(int(np.floor(value)), 0), MAP_EXTENT - 1)

"""Path finding of units around obstacles.

A unit walks straight if nothing blocks it. Otherwise it computes a short path through free cells,
walks to the farthest point of the path in a straight line of sight, and decides again from there.
Units that would block each other permanently, at such a point or against a building, lose their
collisions for a while.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import orders
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import footprints, ground, path_cache
from sc2impala.sim.economy.ground import UNIT_RADIUS
from sc2impala.sim.economy.path_finding import cell_at, middle_x, middle_y
from sc2impala.sim.state import Field
from sc2impala.sim.units import num_mobile

PATIENCE = 3  # Decisions for the same waypoint before a unit loses its collisions. [U]
SLIP_LOOPS = 16  # Frames without collisions. [U]
MAX_PRESSED = 8  # Consecutive frames of being pushed out of buildings before a unit leaves. [U]
PATH_PERIOD = 3  # Paths are decided every PATH_PERIOD frames, ... [U]
NEAR_WAYPOINT = 0.5  # ... and within this distance of a waypoint, which may be crowded. [U]

FIELDS = (
    # The goal for which a unit has a path, infinite for none; whether that path is a detour.
    Field('path_goal_x', np.float64, ('M',), np.inf),
    Field('path_goal_y', np.float64, ('M',), np.inf),
    Field('path_detour', np.uint8, ('M',)),
    Field('tries', np.int8, ('M',)),  # Consecutive decisions for the same waypoint.
    Field('pressed', np.int8, ('M',)),  # Consecutive frames of being pushed out of buildings.
    Field('slips_until', np.int32, ('M',)),  # Frame in which it is solid again; 0 if it is solid.
    Field('path_version', np.int32),  # Version of the ground for which the paths were computed.
)


@compiled
def forget(g: Any, i: int) -> None:
    """Clears the state of a new or removed unit."""
    if i < num_mobile(g):
        _drop_path(g, i)
        g.tries[i] = 0
        g.pressed[i] = 0
        g.slips_until[i] = 0


@compiled
def step(g: Any, rules: Any) -> None:
    """Finds paths for units that have a new goal, reached a waypoint, or were pushed."""
    decides = g.game_loop % PATH_PERIOD == 0
    new_ground = g.path_version != g.ground_version
    g.path_version = g.ground_version
    for i in range(g.mobile_end):
        if not g.alive[i]:
            continue
        _make_solid(g, i)
        if new_ground:
            _drop_path(g, i)
        same_goal = g.goal_x[i] == g.path_goal_x[i] and g.goal_y[i] == g.path_goal_y[i]
        # A unit with a new goal walks straight at first.
        if not same_goal:
            g.detour[i] = False
        if g.goal_x[i] == g.x[i] and g.goal_y[i] == g.y[i]:
            # A standing unit may be pushed, and needs a new path when it walks again.
            _drop_path(g, i)
        elif decides and (not same_goal or _is_lost(g, i)):
            _find_path(g, rules, i)


@compiled
def note_pushed(g: Any, rules: Any) -> None:
    """Accounts for the units that `eviction` moved in this frame.

    They get new paths at the next decision. Units that are pushed for MAX_PRESSED frames lose their
    collisions, and idle ones walk to free space.
    """
    for i in range(g.mobile_end):
        if g._evicted[i]:
            g.pressed[i] += 1
        else:
            g.pressed[i] = 0
    for i in range(g.mobile_end):
        if g.pressed[i] >= MAX_PRESSED:
            _slip(g, i)
            if g.order_kind[i, 0] == orders.IDLE:
                g.goal_x[i], g.goal_y[i] = ground.nearest_room(g, rules, g.x[i], g.y[i])


@compiled
def approach(g: Any, rules: Any, i: int, target: int) -> Tuple[float, float, bool, bool]:
    """Returns the next point of unit i on its path to the edge of a building or resource.

    Args:
      g, rules: the game.
      i: slot of the unit.
      target: slot of the building or resource.

    Returns:
      x, y, whether the point is at the edge, whether a path exists; without one the point is the
      position of the unit.
    """
    half_x, half_y = footprints.half(rules, g.type[target])
    half_x += UNIT_RADIUS
    half_y += UNIT_RADIUS
    across = g.x[i] - g.x[target]
    along = g.y[i] - g.y[target]
    part = min(half_x / max(abs(across), half_x), half_y / max(abs(along), half_y))
    x = g.x[target] + across * part
    y = g.y[target] + along * part
    if not ground.crosses(g, g.x[i], g.y[i], x, y):
        return x, y, True, True
    cell = cell_at(g.x[i], g.y[i])
    if not path_cache.is_free(g, cell):
        x, y = ground.nearest_free_cell(g, rules, g.x[i], g.y[i])
        return x, y, False, True
    length = path_cache.path_beside(g, rules, cell, target)
    if length == 0:
        return g.x[i], g.y[i], False, False
    if length == 1:
        x = min(max(g.x[i], g.x[target] - half_x), g.x[target] + half_x)
        y = min(max(g.y[i], g.y[target] - half_y), g.y[target] + half_y)
        return x, y, True, True
    farthest = _farthest(g, g.x[i], g.y[i], length)
    return middle_x(farthest), middle_y(farthest), False, True


@compiled
def _drop_path(g: Any, i: int) -> None:
    g.path_goal_x[i] = np.inf
    g.path_goal_y[i] = np.inf


@compiled
def _make_solid(g: Any, i: int) -> None:
    """Restores the collisions of a unit after SLIP_LOOPS frames, except for a harvester."""
    if 0 < g.slips_until[i] <= g.game_loop:
        g.slips_until[i] = 0
        order_kind = g.order_kind[i, 0]
        if order_kind != orders.GATHER and order_kind != orders.RETURN:
            g.solid[i] = True


@compiled
def _slip(g: Any, i: int) -> None:
    """Disables the collisions of a unit for SLIP_LOOPS frames."""
    g.tries[i] = 0
    g.pressed[i] = 0
    g.slips_until[i] = g.game_loop + SLIP_LOOPS
    g.solid[i] = False


@compiled
def _is_lost(g: Any, i: int) -> bool:
    """Returns whether a unit needs a new path to the same goal."""
    if g.detour[i] != g.path_detour[i] or g.pressed[i] > 0:
        return True
    away = max(abs(g.waypoint_x[i] - g.x[i]), abs(g.waypoint_y[i] - g.y[i]))
    return g.detour[i] != 0 and away < NEAR_WAYPOINT


@compiled
def _find_path(g: Any, rules: Any, i: int) -> None:
    """Sets the goal and the waypoint of a walking unit."""
    covered = ground.box_at(g, g.goal_x[i], g.goal_y[i]) >= 0
    had_detour = g.detour[i] != 0
    before_x = g.waypoint_x[i]
    before_y = g.waypoint_y[i]
    g.detour[i] = False
    if covered or ground.crosses(g, g.x[i], g.y[i], g.goal_x[i], g.goal_y[i]):
        _walk_around(g, rules, i, covered)
    g.path_goal_x[i] = g.goal_x[i]
    g.path_goal_y[i] = g.goal_y[i]
    g.path_detour[i] = g.detour[i]
    same = g.waypoint_x[i] == before_x and g.waypoint_y[i] == before_y
    if g.detour[i] and had_detour and same:
        g.tries[i] += 1
    else:
        g.tries[i] = 0
    if g.tries[i] >= PATIENCE:
        _slip(g, i)


@compiled
def _walk_around(g: Any, rules: Any, i: int, covered: bool) -> None:
    """Finds a path to a goal that a unit cannot reach in a straight line.

    The goal becomes the nearest reachable point. If that cannot be reached in a straight line
    either, the unit walks to a waypoint first.

    Args:
      g, rules: the game.
      i: slot of the unit.
      covered: whether the goal is inside an obstacle.
    """
    cell = cell_at(g.x[i], g.y[i])
    enclosed = not path_cache.is_free(g, cell)
    start_x = g.x[i]
    start_y = g.y[i]
    if enclosed:
        start_x, start_y = ground.nearest_free_cell(g, rules, start_x, start_y)
        cell = cell_at(start_x, start_y)
    goal = cell_at(g.goal_x[i], g.goal_y[i])
    x = middle_x(goal) if covered else g.goal_x[i]
    y = middle_y(goal) if covered else g.goal_y[i]
    if not path_cache.exists(g, cell, goal):
        goal = path_cache.nearest(g, cell, x, y)
        x = middle_x(goal)
        y = middle_y(goal)
    g.goal_x[i] = x
    g.goal_y[i] = y
    if ground.crosses(g, g.x[i], g.y[i], x, y):
        if not enclosed:
            length = path_cache.path_to_cell(g, cell, goal)
            farthest = _farthest(g, g.x[i], g.y[i], length)
            start_x = middle_x(farthest)
            start_y = middle_y(farthest)
        g.detour[i] = True
        g.waypoint_x[i] = start_x
        g.waypoint_y[i] = start_y


@compiled
def _farthest(g: Any, x: float, y: float, length: int) -> int:
    """Returns a cell far along the path in `g._path` that can be reached in a straight line.

    Found by bisection: the cell after it on the path cannot be reached.

    Args:
      g: the game.
      x, y: the start of the line.
      length: cells of the path.

    Returns:
      number of a cell; the first one of the path if no later one can be reached.
    """
    clear = 0
    hidden = length
    while hidden - clear > 1:
        between = (clear + hidden) // 2
        cell = int(g._path[between])
        if ground.crosses(g, x, y, middle_x(cell), middle_y(cell)):
            hidden = between
        else:
            clear = between
    return int(g._path[clear])

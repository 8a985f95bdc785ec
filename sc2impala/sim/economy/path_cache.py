"""A cache of paths on the ground of a game, cleared whenever the ground changes.

It holds the connected regions of free cells, and the distances of all cells to the goals that were
used last. It never changes results.
"""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import geometry
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import footprints, path_finding
from sc2impala.sim.economy.path_finding import BOTTOM, LEFT, NUM_CELLS, RIGHT, TOP
from sc2impala.sim.state import Field

NUM_ROUTES = 8
"""Maximum number of sets of goals in the cache."""

_NO_KEY = -1
_BASE = geometry.MAP_EXTENT + 1
"""Of numbers that identify blocks of cells."""

FIELDS = (
    Field('_has_regions', np.uint8),
    Field('_region', np.int16, (NUM_CELLS,)),  # See `path_finding`.
    Field('_route_key', np.int32, (NUM_ROUTES,), _NO_KEY),  # Identifies the goals of a route.
    Field('_route_distance', np.int16, (NUM_ROUTES, NUM_CELLS)),  # Of all cells to the goals.
    # The cells with a distance, see `path_finding.extend`: in order, how many were handled, and how
    # many there are.
    Field('_route_queue', np.int16, (NUM_ROUTES, NUM_CELLS)),
    Field('_route_done', np.int32, (NUM_ROUTES,)),
    Field('_route_found', np.int32, (NUM_ROUTES,)),
    Field('_route_next', np.int32),  # The route that is replaced next.
    Field('_path', np.int16, (NUM_CELLS,)),  # The path that was found last.
    Field('_queue', np.int16, (NUM_CELLS,)),
)


@compiled
def forget(g: Any) -> None:
    """Clears the cache."""
    g._has_regions = False
    for route in range(NUM_ROUTES):
        g._route_key[route] = _NO_KEY
    g._route_next = 0


@compiled
def is_free(g: Any, cell: int) -> bool:
    """Returns whether a cell is free."""
    _know_regions(g)
    return g._region[cell] > 0


@compiled
def exists(g: Any, cell: int, goal: int) -> bool:
    """Returns whether a path between two cells exists."""
    return is_free(g, cell) and g._region[cell] == g._region[goal]


@compiled
def nearest(g: Any, cell: int, x: float, y: float) -> int:
    """Returns the cell nearest to a point among those that can be reached from a cell.

    Of several ones the first.
    """
    _know_regions(g)
    label = g._region[cell]
    best = cell
    best_distance = np.inf
    reach = _reach(g, label, x, y)
    first, last = _within(y - reach, BOTTOM, TOP), _within(y + reach, BOTTOM, TOP)
    left, right = _within(x - reach, LEFT, RIGHT), _within(x + reach, LEFT, RIGHT)
    for row in range(first, last + 1):
        for column in range(left, right + 1):
            other = path_finding.cell_of(column, row)
            if g._region[other] == label:
                across = path_finding.middle_x(other) - x
                along = path_finding.middle_y(other) - y
                distance = across * across + along * along
                if distance < best_distance:
                    best = other
                    best_distance = distance
    return best


@compiled
def _reach(g: Any, label: int, x: float, y: float) -> float:
    """Returns a distance within which a cell of a region lies: found in squares around a point."""
    column, row = int(np.floor(x)), int(np.floor(y))
    for ring in range(geometry.MAP_EXTENT):
        for up in range(-ring, ring + 1):
            # Rows inside the square only have their two ends in the ring.
            step = 2 * ring if -ring < up < ring else 1
            for right in range(-ring, ring + 1, step):
                within = LEFT <= column + right <= RIGHT and BOTTOM <= row + up <= TOP
                if within and g._region[path_finding.cell_of(column + right, row + up)] == label:
                    return np.sqrt(2.0) * (ring + 1)
    return float(geometry.MAP_EXTENT)


@compiled
def _within(value: float, low: int, high: int) -> int:
    return min(max(int(np.floor(value)), low), high)


@compiled
def path_to_cell(g: Any, cell: int, goal: int) -> int:
    """Writes a short path between two free cells to `g._path`; returns its number of cells."""
    _know_regions(g)
    route = _find(g, goal)
    if route < 0:
        route = _replace(g, goal)
        g._route_queue[route, 0] = goal
        _begin(g, route, 1)
    _extend(g, route, cell)
    return path_finding.follow(g._region, g._route_distance[route], cell, g._path)


@compiled
def path_beside(g: Any, rules: Any, cell: int, target: int) -> int:
    """Writes a short path from a cell to the nearest free cell at a side of a fixed unit.

    Args:
      g, rules: the game.
      cell: a free cell.
      target: slot of the fixed unit.

    Returns:
      the number of cells of the path in `g._path`; 0 if no path exists.
    """
    _know_regions(g)
    left, right, bottom, top = _ring(g, rules, target)
    key = NUM_CELLS + ((left * _BASE + right) * _BASE + bottom) * _BASE + top
    route = _find(g, key)
    if route < 0:
        route = _replace(g, key)
        num_goals = 0
        for row in range(max(bottom, BOTTOM), min(top, TOP + 1)):
            for column in range(max(left, LEFT), min(right, RIGHT + 1)):
                goal = path_finding.cell_of(column, row)
                corner = footprints.is_corner(left, right, bottom, top, column, row)
                if g._region[goal] > 0 and not corner:
                    g._route_queue[route, num_goals] = goal
                    num_goals += 1
        _begin(g, route, num_goals)
    _extend(g, route, cell)
    if g._route_distance[route, cell] == path_finding.NO_PATH:
        return 0
    return path_finding.follow(g._region, g._route_distance[route], cell, g._path)


@compiled
def _ring(g: Any, rules: Any, target: int) -> Tuple[int, int, int, int]:
    """Returns the block of cells that a fixed unit covers or touches, see `footprints.cells`."""
    return footprints.cells(rules, g.type[target], g.x[target], g.y[target], 1)


@compiled
def _begin(g: Any, route: int, num_goals: int) -> None:
    """Begins a route whose goals are in front of its queue."""
    distance, queue = g._route_distance[route], g._route_queue[route]
    path_finding.begin(g._region, distance, queue, num_goals)
    g._route_done[route] = 0
    g._route_found[route] = num_goals


@compiled
def _extend(g: Any, route: int, cell: int) -> None:
    """Extends a route until the distance of a cell is known."""
    if g._route_distance[route, cell] == path_finding.UNKNOWN:
        g._route_done[route], g._route_found[route] = path_finding.extend(
            g._route_distance[route],
            g._route_queue[route],
            int(g._route_done[route]),
            int(g._route_found[route]),
            cell,
        )


@compiled
def _know_regions(g: Any) -> None:
    if not g._has_regions:
        path_finding.find_regions(g.taken, g._region, g._queue)
        g._has_regions = True


@compiled
def _find(g: Any, key: int) -> int:
    """Returns the route with a key, or -1."""
    for route in range(NUM_ROUTES):
        if g._route_key[route] == key:
            return route
    return -1


@compiled
def _replace(g: Any, key: int) -> int:
    """Returns the route that was replaced least recently, for goals with a new key."""
    route = int(g._route_next)
    g._route_next = (route + 1) % NUM_ROUTES
    g._route_key[route] = key
    return route

"""Questions about the ground that player 1 may ask: sites of buildings, and lengths of ways."""

from typing import Any

import numpy as np

from sc2impala.sim import protocol_codes
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import construction, footprints, ground, path_finding
from sc2impala.sim.geometry import MAP_EXTENT, length


@compiled
def check_site(g: Any, rules: Any, type_index: int, x: float, y: float) -> int:
    """Checks whether a building can be built now with its centre near a point.

    Returns:
      a code of `protocol_codes`, of the location first, then of cost and requirements.
    """
    ground.survey(g, rules)
    centre_x, centre_y = footprints.snap(rules, type_index, x, y)
    code = ground.can_build(g, rules, type_index, centre_x, centre_y)
    if code == protocol_codes.OK:
        code = construction.order_error(g, rules, type_index)
    return code


@compiled
def way_length(g: Any, rules: Any, x0: float, y0: float, x1: float, y1: float) -> float:
    """Returns the length in cells of a way from (x0, y0) to (x1, y1), on the map; 0 without a way.

    The end lies on a free cell. The cells around the start count as free, such that buildings have
    ways out.
    """
    ground.survey(g, rules)
    straight = length(x1 - x0, y1 - y0)
    if not ground.crosses(g, x0, y0, x1, y1):
        return straight
    taken = g.taken.copy()
    column, row = int(x0), int(y0)
    for near_row in range(max(row - 1, 0), min(row + 2, MAP_EXTENT)):
        for near_column in range(max(column - 1, 0), min(column + 2, MAP_EXTENT)):
            taken[near_row, near_column] = False
    region = np.empty(path_finding.NUM_CELLS, np.int16)
    distance = np.empty(path_finding.NUM_CELLS, np.int16)
    queue = np.empty(path_finding.NUM_CELLS, np.int16)
    path_finding.find_regions(taken, region, queue)
    queue[0] = path_finding.cell_at(x1, y1)
    start = path_finding.cell_at(x0, y0)
    path_finding.find_distances(region, distance, queue, 1, start)
    steps = int(distance[start])
    if steps == path_finding.NO_PATH:
        return 0.0
    return max(straight, float(steps))

"""Drawing of games with buildings, whose cells are neither pathable nor buildable."""

from typing import Any

import numpy as np

from sc2impala.sim import drawing
from sc2impala.sim.compiler import compiled


@compiled
def draw(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Updates all layers; see `drawing.draw`."""
    if drawing.has_changed(g):
        pathable = _free(rules.pathable_cell, g.taken)
        buildable = _free(rules.buildable_cell, g.taken)
        drawing.draw_terrain(g, rules, k, buffers, pathable, buildable)
    drawing.draw_units(g, rules, k, buffers)


@compiled
def _free(cells: Any, taken: Any) -> Any:
    """Returns the cells that are not taken: uint8 [64, 64]."""
    free = np.zeros(cells.shape, np.uint8)
    for y in range(cells.shape[0]):
        for x in range(cells.shape[1]):
            free[y, x] = cells[y, x] and not taken[y, x]
    return free

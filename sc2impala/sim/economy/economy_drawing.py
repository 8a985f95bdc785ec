"""Drawing of all layers of a game with buildings, whose cells are neither pathable nor buildable."""

from typing import Any

import numpy as np

from sc2impala.sim import drawing
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import terrain


@compiled
def draw(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Updates all layers; see `drawing.draw`."""
    if g._camera_changed or g._ground_changed:
        pathable = _free(rules.pathable_cell, g.taken)
        buildable = _free(rules.playable_cell, g.taken)
        terrain.draw_cells(g, rules, k, buffers.screen, buffers.minimap, pathable, buildable)
    drawing.finish(g, rules, k, buffers)


@compiled
def _free(cells: Any, taken: Any) -> Any:
    """Returns the cells without those that are taken: uint8 [64, 64]."""
    free = np.zeros(cells.shape, np.uint8)
    for y in range(cells.shape[0]):
        for x in range(cells.shape[1]):
            if cells[y, x] and not taken[y, x]:
                free[y, x] = 1
    return free

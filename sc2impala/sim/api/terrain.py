"""Writes the grids of the raw interface: an element per cell, rows from the bottom of the map.

The order of the rows is the one in which python-sc2 indexes them. [A]
"""

from typing import Any

import numpy as np

from sc2impala.sim import geometry, kernels, visibility
from sc2impala.sim.api import observations
from sc2impala.sim.game_batch import GameBatch


def playable_area(game: GameBatch) -> geometry.Rectangle:
    """Returns the rectangle of the cells on which buildings can stand; its sides are integers."""
    rows, columns = game.rules.buildable_cell.nonzero()
    return geometry.Rectangle(
        int(columns.min()), int(columns.max()) + 1, int(rows.min()), int(rows.max()) + 1
    )


def write_grids(start: Any, game: GameBatch, is_cropped: bool = False) -> None:
    """Writes what is known of the ground of a batch of one game: a StartRaw message.

    As in the game, the pathing grid is without the cells that buildings cover at present. The
    placement grid is the one of an empty map: the cells of the playable area.

    Args:
      start: the message.
      game: the game.
      is_cropped: whether the map is presented as if it ended at its playable area.
    """
    placement = game.rules.buildable_cell.astype(bool)
    left, right, bottom, top = playable_area(game)
    area = start.playable_area
    area.p0.x, area.p0.y, area.p1.x, area.p1.y = left, bottom, right, top
    start.map_size.x = start.map_size.y = geometry.MAP_EXTENT
    if is_cropped:
        area.p0.x, area.p0.y, area.p1.x, area.p1.y = 0, 0, right - left, top - bottom
        start.map_size.x, start.map_size.y = area.p1.x, area.p1.y
    grids = (
        (start.pathing_grid, free(game), 1),
        (start.placement_grid, placement, 1),
        (start.terrain_height, np.zeros(placement.shape, np.uint8), 8),
    )
    for message, cells, bits in grids:
        observations.write_image(message, crop(cells, game) if is_cropped else cells, bits)


def write_state(state: Any, game: GameBatch, is_cropped: bool = False) -> None:
    """Writes what player 1 sees of the map into a MapState message.

    On maps with fog, `describe_units` must have been called since units moved.

    Args:
      state: the message.
      game: the game.
      is_cropped: as for `write_grids`.
    """
    if game.rules.has_fog:
        record = game.games[0]
        visible, seen = _unpack(record._visible), _unpack(record.seen)
        cells = np.where(visible, visibility.VISIBLE, visibility.SEEN * seen)
    else:
        cells = game.rules.revealed_cell * visibility.VISIBLE
    if is_cropped:
        cells = crop(cells, game)
    observations.write_image(state.visibility, cells, bits=8)
    observations.write_image(state.creep, np.zeros(cells.shape, bool), bits=1)


def crop(cells: np.ndarray, game: GameBatch) -> np.ndarray:
    """Returns the part of an array [64, 64] of cells, by y and x, in the playable area."""
    left, right, bottom, top = (int(side) for side in playable_area(game))
    return cells[bottom:top, left:right]


def playable(game: GameBatch) -> np.ndarray:
    """Returns the cells that units can enter on an empty map: bool [64, 64] by y and x."""
    return game.rules.playable_cell.astype(bool)


def free(game: GameBatch) -> np.ndarray:
    """Returns the cells that no building or resource covers: bool [64, 64] by y and x."""
    if not game.rules.has_economy:
        return playable(game)
    game.run(kernels.build_economy().survey)
    return playable(game) & (game.games.taken[0] == 0)


def _unpack(masks: np.ndarray) -> np.ndarray:
    """Converts masks of the rows of the map, uint64 [64], to uint8 [64, 64] by y and x."""
    lowest_byte_first = masks.astype('<u8').view(np.uint8)
    return np.unpackbits(lowest_byte_first, bitorder='little').reshape(len(masks), -1)

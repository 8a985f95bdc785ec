"""Writes the grids of the raw interface: an element per cell, rows from the bottom of the map.

The order of the rows is the one in which python-sc2 indexes them. [A]
"""

from typing import Any

import numpy as np

from sc2impala.sim import fog, geometry, kernels
from sc2impala.sim.api import images
from sc2impala.sim.game_batch import GameBatch


def write_grids(start: Any, game: GameBatch) -> None:
    """Writes what is known of the ground of a batch of one game: a StartRaw message.

    As in the game, the pathing grid is without the cells that buildings cover at present, and the
    placement grid is the one of an empty map.
    """
    rules = game.rules
    start.map_size.x = start.map_size.y = geometry.MAP_EXTENT
    area = start.playable_area
    area.p0.x, area.p0.y = int(rules.playable_left), int(rules.playable_bottom)
    area.p1.x, area.p1.y = int(rules.playable_right), int(rules.playable_top)
    images.write(start.pathing_grid, free(game), bits=1)
    images.write(start.placement_grid, playable(game), bits=1)
    images.write(start.terrain_height, np.zeros(playable(game).shape, np.uint8), bits=8)


def write_state(state: Any, game: GameBatch) -> None:
    """Writes what player 1 sees of the map into a MapState message.

    On maps with fog, `describe_units` must have been called since units moved.
    """
    if game.rules.has_fog:
        record = game.games[0]
        visible, seen = _unpack(record._visible), _unpack(record.seen)
        visibility = np.where(visible, fog.VISIBLE, fog.SEEN * seen)
    else:
        visibility = game.rules.revealed_cell * fog.VISIBLE
    images.write(state.visibility, visibility, bits=8)
    images.write(state.creep, np.zeros(visibility.shape, bool), bits=1)


def playable(game: GameBatch) -> np.ndarray:
    """Returns the cells that units can enter on an empty map: bool [64, 64] by y and x."""
    return game.rules.playable_cell.astype(bool)


def free(game: GameBatch) -> np.ndarray:
    """Returns the cells that no building or resource covers: bool [64, 64] by y and x."""
    if not game.rules.has_economy:
        return playable(game)
    game.run(kernels.of_economy().survey)
    return playable(game) & (game.games.taken[0] == 0)


def _unpack(masks: np.ndarray) -> np.ndarray:
    """Converts masks of the rows of the map, uint64 [64], to uint8 [64, 64] by y and x."""
    lowest_byte_first = masks.astype('<u8').view(np.uint8)
    return np.unpackbits(lowest_byte_first, bitorder='little').reshape(len(masks), -1)

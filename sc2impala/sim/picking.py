"""Finds the unit under a pixel of the screen or minimap."""

from typing import Tuple

import numpy as np

from sc2impala.sim import appearance, discs, geometry
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World


def screen_boxes(world: World, games: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Returns corner and size, in screen pixels, of the boxes of all units: int64 [2, n, U] each.

    Args:
      world: the games.
      games: int [n].
    """
    units = world.units
    corner = geometry.screen_corner(world.camera[:, games])[:, :, None]
    centre = world.screen.to_pixels(units.position[:, games], corner)
    size = discs.sizes(world.screen, units.stats.radius)[:, units.type[games]]
    return discs.corners(centre, size), size


def top(hit: np.ndarray) -> np.ndarray:
    """Returns the last, topmost one of the units bool [n, U], or NO_UNIT: int [n]."""
    last = hit.shape[1] - 1 - hit[:, ::-1].argmax(1)
    return np.where(hit.any(1), last, NO_UNIT)


def on_screen(world: World, games: np.ndarray, pixel: np.ndarray) -> np.ndarray:
    """Returns the units drawn on pixels int [2, n] of the screens of the games int [n]: int [n]."""
    corner, size = screen_boxes(world, games)
    hit = discs.covers(pixel[:, :, None], corner, size)
    return top(hit & appearance.shown(world)[games])


def on_minimap(world: World, games: np.ndarray, pixel: np.ndarray) -> np.ndarray:
    """Returns the units drawn on pixels int [2, n] of the minimaps of games int [n]: int [n]."""
    units = world.units
    corner = geometry.minimap_corner()[:, None, None]
    centre = world.minimap.to_pixels(units.position[:, games], corner)
    size = discs.sizes(world.minimap, units.stats.minimap_radius)[:, units.type[games]]
    offset = pixel[:, :, None] - discs.corners(centre, size)
    hit = ((offset >= 0) & (offset < size)).all(0)
    return top(hit & appearance.shown(world)[games])

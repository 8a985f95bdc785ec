"""Converts the pixel arguments of function calls to points of the world and target units."""

from typing import Callable, Tuple

import numpy as np

from sc2impala.sim import geometry, picking
from sc2impala.sim.arguments import Arguments
from sc2impala.sim.units import NO_UNIT
from sc2impala.sim.world import World


def on_screen(
    world: World, games: np.ndarray, arguments: Arguments
) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the target of the argument `screen`.

    Args:
      world: the games.
      games: int [n].
      arguments: the arguments of all K calls.

    Returns:
      points float64 [2, n], and the visible units there: slots int [n], or NO_UNIT.
    """
    if arguments.place is not None:
        return _given(arguments.place, games)
    pixels = arguments.pixels('screen', games, world.screen)
    points = world.screen.to_world(pixels, geometry.screen_corner(world.camera[:, games]))
    return points, _pick(world, games, pixels, picking.on_screen)


def on_minimap(
    world: World, games: np.ndarray, arguments: Arguments
) -> Tuple[np.ndarray, np.ndarray]:
    """Like `on_screen`, for the argument `minimap`."""
    if arguments.place is not None:
        return _given(arguments.place, games)
    pixels = arguments.pixels('minimap', games, world.minimap)
    points = world.minimap.to_world(pixels, geometry.minimap_corner()[:, None])
    return points, _pick(world, games, pixels, picking.on_minimap)


def _given(
    place: Tuple[np.ndarray, np.ndarray], games: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    points, targets = place
    return points[:, games], targets[games]


def _pick(
    world: World,
    games: np.ndarray,
    pixels: np.ndarray,
    pick: Callable[[World, np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Returns the units under pixels; NO_UNIT on maps without mechanics, which have no targets."""
    if not world.mechanics:
        return np.full([len(games)], NO_UNIT)
    return pick(world, games, pixels)

"""Worlds for tests: games with marines only, at given positions."""

import numpy as np

from sc2impala.sim import geometry, movement, unit_types
from sc2impala.sim.units import Units
from sc2impala.sim.world import World


def marines(positions, screen=(84, 84), minimap=(64, 64)):
    """A running world of K games with M marines each, at positions [K, M, 2]."""
    positions = np.asarray(positions, float)
    num_games, num_marines, _ = positions.shape
    types = (unit_types.MARINE, unit_types.BEACON)
    units = Units(num_games, num_marines + 1, num_marines, types)
    world = World(
        range(num_games),
        geometry.SINGLE_SCREEN,
        units,
        geometry.View(screen, geometry.CAMERA_EXTENT),
        geometry.View(minimap, geometry.MAP_EXTENT),
    )
    games = np.arange(num_games)
    world.restart(games)
    world.place(
        games,
        slice(0, num_marines),
        unit_types.MARINE,
        unit_types.SELF,
        positions.transpose(2, 0, 1),
    )
    return world


def run(world, loops):
    """Moves units for a number of frames in every game."""
    running = np.ones([world.num_games], bool)
    for _ in range(loops):
        movement.walk(world.units, running)
        movement.push_apart(world.units, running, world.arena.playable)


def screen_pixel(world, x, y):
    """The (column, row) that shows a point of the world."""
    corner = geometry.screen_corner(np.array(world.arena.camera))
    return np.floor(world.screen.to_pixels(np.array([x, y]), corner)).astype(int)

"""MoveToBeacon: one marine, and a beacon that moves whenever the marine reaches it. [S] MAP"""

from typing import Tuple

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.geometry import Rectangle
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

REACH = 1.25  # Between the centres of marine and beacon. [S] MAP
MIN_JUMP = 5.0  # From the marine to the new beacon. [S] MAP
BEACON_REGION = Rectangle(left=23.5, right=42.5, bottom=21.5, top=34.5)  # [S] MAP
EMPTY_CENTRE = np.array([33.0, 28.0])  # No beacon appears around here ... [S] MAP
EMPTY_RADIUS = 4.0  # ... within this distance. [S] MAP

_MARINE, _BEACON = 0, 1


class MoveToBeacon:
    """The rules of the map; see `games` for their attributes."""

    name = 'MoveToBeacon'
    episode_loops = 120 * unit_types.LOOPS_PER_SECOND  # [S] MAP
    arena = geometry.SINGLE_SCREEN
    unit_types = (unit_types.MARINE, unit_types.BEACON)
    num_units = 2
    num_mobile = 1

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """Returns no mechanics: the map has neither combat nor an economy."""
        return ()

    def start(self, world: World, games: np.ndarray) -> None:
        """Places marine and beacon of the games int [n]."""
        marine = world.random.points(games, self.arena.playable, 1)
        world.place(games, slice(0, 1), unit_types.MARINE, unit_types.SELF, marine)
        beacon = _beacon_away_from_marine(world, games)
        world.place(games, slice(1, 2), unit_types.BEACON, unit_types.NEUTRAL, beacon)

    def step(self, world: World, running: np.ndarray) -> None:
        """Counts the beacons that have been reached and moves them."""
        position = world.units.position
        gap = geometry.length(position[:, :, _MARINE] - position[:, :, _BEACON])
        reached = np.flatnonzero((gap <= REACH) & running)
        if reached.size:
            world.score[reached] += 1
            position[:, reached, _BEACON] = _beacon_away_from_marine(world, reached)[:, :, 0]


def _beacon_away_from_marine(world: World, games: np.ndarray) -> np.ndarray:
    def accept(points: np.ndarray, games: np.ndarray) -> np.ndarray:
        marine = world.units.position[:, games, _MARINE, None]
        off_centre = geometry.length(points - EMPTY_CENTRE[:, None, None])
        return (off_centre >= EMPTY_RADIUS) & (geometry.length(points - marine) >= MIN_JUMP)

    return world.random.points_where(games, BEACON_REGION, 1, accept)

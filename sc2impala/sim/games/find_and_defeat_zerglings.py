"""FindAndDefeatZerglings: three marines search and kill zerglings in the fog of war. [S] MAP"""

from typing import Tuple

import numpy as np

from sc2impala.sim import geometry, spacing, unit_types
from sc2impala.sim.combat import Combat
from sc2impala.sim.counter_random import CounterRandom
from sc2impala.sim.fog import Fog
from sc2impala.sim.geometry import Rectangle
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

NUM_MARINES = 3
NUM_ZERGLINGS = 25
CENTRE = np.array([32.0, 28.0])  # [S] MAP
MARINE_OFFSETS = np.array([[0.0, -(0.75**0.5), 0.75**0.5], [1.0, -0.5, -0.5]])
"""Offsets of the marines from the centre: distance 1 at 90, 210 and 330 degrees. [S] MAP"""

SPAWN_REGION = Rectangle(left=11.0, right=53.0, bottom=13.0, top=43.0)
"""Where zerglings appear: at the start [S] MAP, and later in place of the whole region [A]."""
MIN_SPACING = 5.0  # Between zerglings of one wave. [S] MAP
FIRST_DISTANCE = 8.0, 9.0  # Of the first zergling from the centre. [S] MAP
SECOND_DISTANCE = 7.5, 9.5  # Of the second. [S] MAP
EMPTY_RADIUS = 10.5  # Minimum distance of the others from the centre. [S] MAP
MIN_WAVE_DISTANCE = 9.0  # Of later zerglings from every marine. [S] MAP

_MARINES = slice(0, NUM_MARINES)
_ZERGLINGS = slice(NUM_MARINES, NUM_MARINES + NUM_ZERGLINGS)


class FindAndDefeatZerglings:
    """The rules of the map; see `games` for their attributes."""

    name = 'FindAndDefeatZerglings'
    episode_loops = 180 * unit_types.LOOPS_PER_SECOND  # [S] MAP
    arena = geometry.OPEN_FIELD
    unit_types = (unit_types.MARINE, unit_types.ZERGLING)
    num_units = NUM_MARINES + NUM_ZERGLINGS
    num_mobile = num_units

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """Returns fog and combat."""
        return (
            Fog(num_games, self.unit_types, self.arena.playable),
            Combat(num_games, self.num_mobile),
        )

    def start(self, world: World, games: np.ndarray) -> None:
        """Places marines and zerglings of the games int [n]."""
        marines = (CENTRE[:, None] + MARINE_OFFSETS)[:, None]
        world.place(games, _MARINES, unit_types.MARINE, unit_types.SELF, marines)
        near = _points_near_centre(world, games)
        far = spacing.points_apart(
            world.random,
            games,
            SPAWN_REGION,
            NUM_ZERGLINGS - near.shape[2],
            MIN_SPACING,
            accept=lambda points, games: _off_centre(points) > EMPTY_RADIUS,
            others=near,
        )
        _place_zerglings(world, games, np.concatenate([near, far], axis=2))

    def step(self, world: World, running: np.ndarray) -> None:
        """Scores deaths, creates new zerglings after the last one died and ends lost episodes.

        The marines are selected in the first frame. [S] MAP, #302
        """
        units = world.units
        beginning = running & (world.game_loop == 1)
        units.selected[beginning, _MARINES] = units.alive[beginning, _MARINES]
        if not world.died.any():
            return
        world.score += world.died[:, _ZERGLINGS].sum(1)
        world.score -= world.died[:, _MARINES].sum(1)
        lost = running & ~units.alive[:, _MARINES].any(1)
        world.ended |= lost
        cleared = np.flatnonzero(running & ~lost & ~units.alive[:, _ZERGLINGS].any(1))
        if cleared.size:
            _place_zerglings(world, cleared, _points_away_from_marines(world, cleared))


def _place_zerglings(world: World, games: np.ndarray, points: np.ndarray) -> None:
    world.place(games, _ZERGLINGS, unit_types.ZERGLING, unit_types.ENEMY, points)


def _points_near_centre(world: World, games: np.ndarray) -> np.ndarray:
    """Draws the positions of the first two zerglings: [2, n, 2]."""
    low, high = FIRST_DISTANCE
    distance = low + (high - low) * world.random.uniform(games, 1)
    first = CENTRE[:, None, None] + distance * _directions(world.random, games)

    low, high = SECOND_DISTANCE
    x, y = CENTRE
    second = spacing.points_apart(
        world.random,
        games,
        Rectangle(left=x - high, right=x + high, bottom=y - high, top=y + high),
        1,
        MIN_SPACING,
        accept=lambda points, games: (low <= _off_centre(points)) & (_off_centre(points) <= high),
        others=first,
    )
    return np.concatenate([first, second], axis=2)


def _directions(random: CounterRandom, games: np.ndarray) -> np.ndarray:
    """Draws unit vectors of uniform direction: [2, n, 1]."""

    def accept(points: np.ndarray, games: np.ndarray) -> np.ndarray:
        # Very short vectors would lose precision.
        return (geometry.length(points) > 0.01) & (geometry.length(points) <= 1)

    square = Rectangle(left=-1.0, right=1.0, bottom=-1.0, top=1.0)
    vectors = random.points_where(games, square, 1, accept)
    return vectors / geometry.length(vectors)


def _points_away_from_marines(world: World, games: np.ndarray) -> np.ndarray:
    units = world.units

    def accept(points: np.ndarray, games: np.ndarray) -> np.ndarray:
        offsets = points[:, :, None] - units.position[:, games, _MARINES, None]
        near = geometry.length(offsets) < MIN_WAVE_DISTANCE
        return ~np.any(near & units.alive[games, _MARINES, None], axis=1)

    return spacing.points_apart(
        world.random, games, SPAWN_REGION, NUM_ZERGLINGS, MIN_SPACING, accept
    )


def _off_centre(points: np.ndarray) -> np.ndarray:
    """Distance of points [2, ...] from the centre."""
    return geometry.length(points - CENTRE.reshape([2] + [1] * (points.ndim - 1)))

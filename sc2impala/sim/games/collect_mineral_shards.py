"""CollectMineralShards: two marines collect shards, which appear twenty at a time. [S] MAP"""

from typing import Tuple

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.geometry import Rectangle
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

NUM_MARINES = 2
NUM_SHARDS = 20
SHARD_REGION = Rectangle(left=23.0, right=43.0, bottom=21.0, top=35.0)  # [S] MAP
MIN_SPAWN_DISTANCE = 2.0  # From the nearest marine. [S] MAP
MINERALS_PER_SHARD = 100  # [S] GD
REACH = 1.42
"""Between the centres of marine and shard; chosen to match published scores of agents. [U]"""

_MARINES = slice(0, NUM_MARINES)
_SHARDS = slice(NUM_MARINES, NUM_MARINES + NUM_SHARDS)


class CollectMineralShards:
    """The rules of the map; see `games` for their attributes."""

    name = 'CollectMineralShards'
    episode_loops = 120 * unit_types.LOOPS_PER_SECOND  # [S] MAP
    arena = geometry.SINGLE_SCREEN
    unit_types = (unit_types.MARINE, unit_types.MINERAL_SHARD)
    num_units = NUM_MARINES + NUM_SHARDS
    num_mobile = NUM_MARINES

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """Returns no mechanics: the map has neither combat nor an economy."""
        return ()

    def start(self, world: World, games: np.ndarray) -> None:
        """Places marines and shards of the games int [n]."""
        marines = world.random.points(games, self.arena.playable, NUM_MARINES)
        world.place(games, _MARINES, unit_types.MARINE, unit_types.SELF, marines)
        _place_shards(world, games)

    def step(self, world: World, running: np.ndarray) -> None:
        """Removes and counts the shards in reach of marines; creates new ones after the last."""
        shards = world.units.alive[:, _SHARDS]
        square = 0
        for along in world.units.position:
            offset = along[:, _MARINES, None] - along[:, None, _SHARDS]
            offset *= offset
            square += offset
        reached = square <= REACH * REACH
        reached &= (shards & running[:, None])[:, None]
        if not np.count_nonzero(reached):
            return
        reached = reached.any(1)
        shards &= ~reached
        collected = reached.sum(1)
        world.score += collected
        world.minerals += MINERALS_PER_SHARD * collected
        empty = np.flatnonzero(running & ~shards.any(1))
        if empty.size:
            _place_shards(world, empty)


def _place_shards(world: World, games: np.ndarray) -> None:
    def accept(points: np.ndarray, games: np.ndarray) -> np.ndarray:
        marines = world.units.position[:, games, _MARINES, None]
        distance = geometry.length(points[:, :, None, :] - marines)
        return np.all(distance >= MIN_SPAWN_DISTANCE, axis=1)

    points = world.random.points_where(games, SHARD_REGION, NUM_SHARDS, accept)
    world.place(games, _SHARDS, unit_types.MINERAL_SHARD, unit_types.NEUTRAL, points)

"""Supply used by units and provided by buildings."""

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.world import World

MAX_SUPPLY = 200  # [S] GD


def capacity(world: World, games: np.ndarray) -> np.ndarray:
    """Returns the supply that complete buildings of player 1 provide: int [n] for games int [n]."""
    units = world.units
    fixed = slice(units.num_mobile, None)
    finished = units.alive[games, fixed] & (units.unfinished[games, fixed] == 0)
    finished &= units.owner[games, fixed] == unit_types.SELF
    provided = units.stats.food_provided.take(units.type[games, fixed])
    return np.minimum((provided * finished).sum(1), MAX_SUPPLY)


def used(world: World, games: np.ndarray) -> np.ndarray:
    """Returns the supply that player 1 uses, in training included: int [n] for games int [n]."""
    units = world.units
    mobile = slice(0, units.num_used())
    mine = units.alive[games, mobile] & (units.owner[games, mobile] == unit_types.SELF)
    food = (units.stats.food.take(units.type[games, mobile]) * mine).sum(1)
    return food + world.mechanics['production'].food(world, games).sum(1)


def free(world: World, games: np.ndarray) -> np.ndarray:
    """Returns the free supply in the games int [n]: int [n]; negative after buildings were lost."""
    return capacity(world, games) - used(world, games)

"""CollectMineralsAndGas: a base with mineral fields and geysers; the score is what is collected."""

from typing import Tuple

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.games import bases
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

FIELDS = bases.LEFT_FIELDS + bases.RIGHT_FIELDS
_NUM_RESOURCES = len(FIELDS) + len(bases.GEYSERS)


class CollectMineralsAndGas:
    """The rules of the map; see `games` for their attributes."""

    name = 'CollectMineralsAndGas'
    episode_loops = 420 * unit_types.LOOPS_PER_SECOND  # [S] MAP
    arena = bases.ARENA
    unit_types = (
        unit_types.SCV,
        unit_types.MARINE,
        unit_types.COMMAND_CENTER,
        unit_types.SUPPLY_DEPOT,
        unit_types.REFINERY,
        unit_types.BARRACKS,
        unit_types.MINERAL_FIELD,
        unit_types.VESPENE_GEYSER,
    )
    num_mobile = bases.NUM_MOBILE
    num_units = bases.NUM_MOBILE + _NUM_RESOURCES + bases.NUM_BUILDINGS

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """Returns the mechanics of an economy; attack orders only move units. [A]"""
        return bases.make_mechanics(num_games, self.unit_types, _NUM_RESOURCES)

    def start(self, world: World, games: np.ndarray) -> None:
        """Places the base of the games int [n]; the workers are idle."""
        resources = (
            (unit_types.MINERAL_FIELD, FIELDS),
            (unit_types.VESPENE_GEYSER, bases.GEYSERS),
        )
        bases.start(world, games, unit_types.SCV, unit_types.COMMAND_CENTER, resources)

    def step(self, world: World, running: np.ndarray) -> None:
        """Sets the score to the collected resources."""
        bases.tidy(world, running)
        world.score[:] = world.mechanics['ledger'].collected.sum(0)

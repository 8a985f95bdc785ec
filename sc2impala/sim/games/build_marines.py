"""BuildMarines: a base with few building types; the score is the number of trained marines."""

from typing import Tuple

import numpy as np

from sc2impala.sim import functions, orders, unit_types
from sc2impala.sim.combat import Combat
from sc2impala.sim.games import bases
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

FIRST_FIELD = (23.0, 26.5)  # Harvested by all initial workers; rally point of new ones. [S] MAP

# Command cards are reduced. [S] MAP; the functions that the interface lists for them [A]
SCV = unit_types.SCV._replace(
    functions=(
        functions.BUILD_BARRACKS_SCREEN,
        functions.BUILD_SUPPLY_DEPOT_SCREEN,
        functions.HALT_QUICK,
        functions.HARVEST_GATHER_SCREEN,
        functions.HARVEST_RETURN_QUICK,
    )
)
COMMAND_CENTER = unit_types.COMMAND_CENTER._replace(
    functions=(
        functions.RALLY_WORKERS_SCREEN,
        functions.RALLY_WORKERS_MINIMAP,
        functions.TRAIN_SCV_QUICK,
    )
)
BARRACKS = unit_types.BARRACKS._replace(functions=(functions.TRAIN_MARINE_QUICK,))
MARINE = unit_types.MARINE._replace(
    functions=tuple(
        function
        for function in functions.MARINE_CARD
        if function not in (functions.SMART_SCREEN, functions.SMART_MINIMAP)
    )
)

_TYPES = (
    SCV,
    MARINE,
    COMMAND_CENTER,
    unit_types.SUPPLY_DEPOT,
    BARRACKS,
    unit_types.MINERAL_FIELD,
)
_NUM_RESOURCES = len(bases.LEFT_FIELDS)
_FIRST_FIELD_SLOT = bases.NUM_MOBILE + bases.LEFT_FIELDS.index(FIRST_FIELD)
_COMMAND_CENTER_SLOT = bases.NUM_MOBILE + _NUM_RESOURCES


class BuildMarines:
    """The rules of the map; see `games` for their attributes."""

    name = 'BuildMarines'
    episode_loops = 900 * unit_types.LOOPS_PER_SECOND  # [S] MAP
    arena = bases.ARENA
    unit_types = _TYPES
    num_mobile = bases.NUM_MOBILE
    num_units = bases.NUM_MOBILE + _NUM_RESOURCES + bases.NUM_BUILDINGS

    def mechanics(self, num_games: int) -> Tuple[Mechanic, ...]:
        """Returns the mechanics of an economy and combat: marines can kill each other. [S] #129"""
        *economy, navigation = bases.make_mechanics(num_games, self.unit_types, _NUM_RESOURCES)
        return (*economy, Combat(num_games, self.num_mobile), navigation)

    def start(self, world: World, games: np.ndarray) -> None:
        """Places the base of the games int [n]; all workers, new ones too, harvest."""
        resources = ((unit_types.MINERAL_FIELD, bases.LEFT_FIELDS),)
        bases.start(world, games, SCV, COMMAND_CENTER, resources)
        point = np.array(FIRST_FIELD)
        orders.give(
            world.units,
            games,
            chosen=np.broadcast_to(
                np.arange(bases.NUM_MOBILE) < bases.NUM_WORKERS, (len(games), bases.NUM_MOBILE)
            ),
            order_kind=np.full([len(games), 1], orders.GATHER),
            point=np.broadcast_to(point[:, None, None], (2, len(games), bases.NUM_MOBILE)),
            queued=np.zeros([len(games)], bool),
            target=np.full([len(games), 1], _FIRST_FIELD_SLOT),
        )
        world.mechanics['production'].rally(
            games,
            np.full(len(games), _COMMAND_CENTER_SLOT),
            np.repeat(point[:, None], len(games), axis=1),
            np.full(len(games), _FIRST_FIELD_SLOT),
        )

    def step(self, world: World, running: np.ndarray) -> None:
        """Sets the score to the number of trained marines."""
        bases.tidy(world, running)
        world.score[:] = world.mechanics['production'].trained[:, _TYPES.index(MARINE)]

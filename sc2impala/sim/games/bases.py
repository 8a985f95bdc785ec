"""Common parts of the two maps with an economy: the base, its resources and the mechanics."""

from typing import Sequence, Tuple

import numpy as np

from sc2impala.sim import geometry, unit_types
from sc2impala.sim.economy import (
    Construction,
    Ground,
    Harvesting,
    Ledger,
    Navigation,
    Production,
)
from sc2impala.sim.economy.unit_roles import UnitRoles
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.world import World

NUM_MOBILE = 200  # As many as the supply limit allows.
NUM_BUILDINGS = 100
"""More than fit on the map, unless all of them are depots."""

NUM_WORKERS = 12  # [S] MAP
MINERALS = 50  # At the beginning. [S] MAP
COMMAND_CENTER_POINT = np.array([30.5, 27.5])  # [S] OBS
WORKER_POINT = np.array(
    [29.825, 28.008]
)  # Reference point of the initial worker positions. [S] MAP
WORKER_ROWS = (2.5, 1.5, 0.5, -0.5, -1.5, -2.5)  # [S] MAP
WORKER_COLUMNS = (3.5, 4.5)  # [S] MAP

LEFT_FIELDS = (
    (25.0, 22.5),
    (24.0, 23.5),
    (24.0, 25.5),
    (23.0, 26.5),
    (23.0, 28.5),
    (24.0, 29.5),
    (24.0, 31.5),
    (25.0, 32.5),
)  # [S] MAP
RIGHT_FIELDS = (
    (41.0, 22.5),
    (42.0, 23.5),
    (42.0, 25.5),
    (43.0, 26.5),
    (43.0, 28.5),
    (42.0, 29.5),
    (42.0, 31.5),
    (41.0, 32.5),
)  # [S] MAP
GEYSERS = ((26.5, 20.5), (26.5, 34.5), (39.5, 20.5), (39.5, 34.5))  # [S] MAP

ARENA = geometry.SINGLE_SCREEN_WITH_BASE


def make_mechanics(
    num_games: int, types: Sequence[unit_types.UnitType], num_resources: int
) -> Tuple[Mechanic, ...]:
    """Returns the mechanics of an economy, in the order in which they step.

    Args:
      num_games: K.
      types: the unit types of the map.
      num_resources: number of fixed slots for resources; NUM_BUILDINGS slots for buildings follow.
    """
    roles = UnitRoles(types)
    num_fixed = num_resources + NUM_BUILDINGS
    ledger = Ledger(num_games)
    ground = Ground(num_games, NUM_MOBILE, num_fixed, roles, ARENA)
    navigation = Navigation(num_games, NUM_MOBILE, ground)
    harvesting = Harvesting(num_games, NUM_MOBILE, num_fixed, roles, navigation, ledger)
    construction = Construction(
        num_games, num_fixed, num_resources, roles, ground, harvesting, ledger
    )
    production = Production(num_games, num_fixed, len(types), roles, ground, harvesting, ledger)
    return ledger, ground, construction, production, harvesting, navigation


def start(
    world: World,
    games: np.ndarray,
    worker: unit_types.UnitType,
    command_center: unit_types.UnitType,
    resources: Sequence[Tuple[unit_types.UnitType, Sequence[Tuple[float, float]]]],
) -> None:
    """Places a base in the games int [n].

    Args:
      world: changed in place.
      games: int [n].
      worker, command_center: unit types of the map.
      resources: pairs of type and points.
    """
    slot = NUM_MOBILE
    for unit_type, points in resources:
        last = slot + len(points)
        places = np.array(points).T[:, None]
        world.place(games, slice(slot, last), unit_type, unit_types.NEUTRAL, places)
        slot = last
    building = slice(slot, slot + 1)
    centre = COMMAND_CENTER_POINT[:, None, None]
    world.place(games, building, command_center, unit_types.SELF, centre)
    workers = _worker_points(world, games)
    world.place(games, slice(0, NUM_WORKERS), worker, unit_types.SELF, workers)
    world.minerals[games] = MINERALS
    world.mechanics['ground'].survey(world)
    world.mechanics['harvesting'].fill(world, games)


def tidy(world: World, running: np.ndarray) -> None:
    """Moves units out of buildings that they were pushed into, at the end of a frame."""
    pushed = world.mechanics['ground'].evict(world, running)
    world.mechanics['navigation'].note_pushed(world, running, *pushed)


def _worker_points(world: World, games: np.ndarray) -> np.ndarray:
    """Draws two columns of workers on a random side of the command center. [S] MAP"""
    side = np.where(world.random.uniform(games, 1) < 0.5, -1.0, 1.0)
    columns, rows = np.meshgrid(WORKER_COLUMNS, WORKER_ROWS)
    x = WORKER_POINT[0] + side * columns.ravel()
    y = np.broadcast_to(WORKER_POINT[1] + rows.ravel(), x.shape)
    return np.stack([x, y])

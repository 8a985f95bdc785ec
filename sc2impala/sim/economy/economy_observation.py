"""The economy observations of PySC2, with a leading axis K."""

from typing import Dict

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.economy import supply
from sc2impala.sim.economy.ledger import MINERALS, VESPENE
from sc2impala.sim.economy.production import QUEUE_LENGTH
from sc2impala.sim.world import World

ABILITIES = {unit_types.MARINE.unit_type: 560, unit_types.SCV.unit_type: 524}
"""Id of a unit type -> id of the ability that trains it. [S] ACT"""

_UNIT_COLUMNS = 7


def fill_player(world: World, row: np.ndarray) -> None:
    """Sets supply and idle workers in `player`, int32 [K, 11]; units in training count. [S] OBS"""
    units, production = world.units, world.mechanics['production']
    mobile = slice(0, units.num_mobile)
    food = units.stats.food[units.type[:, mobile]] * units.own[:, mobile]
    everyone = np.arange(world.num_games)
    in_training, trained = production.food(world, everyone), production.queue[:, :, 0]
    row[:, 3] = food.sum(1) + in_training.sum(1)
    row[:, 4] = supply.capacity(world, everyone)
    for column, belongs in ((5, units.stats.is_army), (6, units.stats.is_worker)):
        row[:, column] = (food * belongs[units.type[:, mobile]]).sum(1)
        row[:, column] += (in_training * belongs[trained]).sum(1)
    row[:, 7] = world.mechanics['harvesting'].idle(world).sum(1)


def fill_score(world: World, row: np.ndarray) -> None:
    """Sets accounts and values of complete units in `score_cumulative`, int32 [K, 13]."""
    units, ledger = world.units, world.mechanics['ledger']
    value = (units.stats.minerals + units.stats.vespene)[units.type]
    complete = value * (units.own & (units.unfinished == 0))
    row[:, 3] = complete[:, : units.num_mobile].sum(1)
    row[:, 4] = complete[:, units.num_mobile :].sum(1)
    row[:, 7:9] = ledger.collected[[MINERALS, VESPENE]].T
    row[:, 9:11] = ledger.rate[[MINERALS, VESPENE]].T
    row[:, 11:13] = ledger.spent[[MINERALS, VESPENE]].T


def queues(world: World) -> Dict[str, np.ndarray]:
    """Returns the queue of a building that is the only selected unit.

    Returns:
      'build_queue': int32 [K, QUEUE_LENGTH, 7], the units as in `multi_select`; 'production_queue':
      int32 [K, QUEUE_LENGTH, 2], ability and progress in per cent; 'build_queue_count': int32 [K],
      number of rows in use.
    """
    found = no_queues(world.num_games)
    production = world.mechanics.get('production')
    if production is None:
        return found
    units = world.units
    games = np.flatnonzero(units.selected.sum(1) == 1)
    fixed = units.selected[games].argmax(1) - units.num_mobile
    games, fixed = games[fixed >= 0], fixed[fixed >= 0]
    queue = production.queue[games, fixed]
    listed = queue >= 0
    percent = np.zeros(queue.shape)
    percent[:, 0] = 100 * production.progress(world)[games, fixed]
    ids = units.stats.unit_type[queue]
    abilities = np.zeros(queue.shape)
    for unit_type, ability in ABILITIES.items():
        abilities[ids == unit_type] = ability
    rows = found['build_queue']
    rows[games, :, 0] = ids * listed
    rows[games, :, 1] = listed
    rows[games, :, 2] = units.stats.health[queue] * listed
    rows[games, :, 6] = percent * listed
    found['production_queue'][games, :, 0] = abilities * listed
    found['production_queue'][games, :, 1] = percent * listed
    found['build_queue_count'][games] = listed.sum(1)
    return found


def no_queues(num_games: int) -> Dict[str, np.ndarray]:
    """Returns empty queues: the result of `queues` on maps without production."""
    return {
        'build_queue': np.zeros([num_games, QUEUE_LENGTH, _UNIT_COLUMNS], np.int32),
        'production_queue': np.zeros([num_games, QUEUE_LENGTH, 2], np.int32),
        'build_queue_count': np.zeros([num_games], np.int32),
    }

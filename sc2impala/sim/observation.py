"""What a player is told besides the pictures, as PySC2's arrays with K in front."""

from typing import Dict

import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.world import World

MAX_SELECTED = 64
"""Rows of `multi_select`; when more units are selected the first ones are listed."""

_UNIT_COLUMNS = 7
_PLAYER_COLUMNS = 11
_SCORE_COLUMNS = 13


def available_actions(world: World) -> np.ndarray:
    """Which functions can be called now: bool [K, 573]. [S] ACT"""
    units = world.units
    available = np.zeros([world.num_games, functions.NUM_FUNCTIONS], bool)
    available[:, functions.ALWAYS_AVAILABLE] = True
    available[:, functions.SELECT_UNIT] = units.selected.sum(1) > 1
    available[:, functions.SELECT_ARMY] = _army(units).any(1)
    for kind in np.flatnonzero(units.stats.functions.any(1)):
        some_selected = (units.selected & (units.type == kind)).any(1)
        available[some_selected] |= units.stats.functions[kind]
    for mechanic in world.mechanics.values():
        mechanic.restrict(world, available)
    return available


def player(world: World) -> np.ndarray:
    """PySC2's `player`: int32 [K, 11]. Supply capacity is 0 on maps without buildings. [U]"""
    units = world.units
    own = units.own
    army = _army(units)
    food = units.stats.food[units.type]
    row = np.zeros([world.num_games, _PLAYER_COLUMNS], np.int32)
    row[:, 0] = unit_types.SELF
    row[:, 1] = world.minerals
    row[:, 2] = world.vespene
    row[:, 3] = (food * own).sum(1)
    row[:, 5] = (food * army).sum(1)
    row[:, 8] = army.sum(1)
    return row


def score_cumulative(world: World) -> np.ndarray:
    """PySC2's `score_cumulative`: int32 [K, 13]; the score and the minerals collected. [A]"""
    row = np.zeros([world.num_games, _SCORE_COLUMNS], np.int32)
    row[:, 0] = world.score
    row[:, 7] = world.minerals
    return row


def selection(world: World) -> Dict[str, np.ndarray]:
    """The selected units: `single_select`, `multi_select` and how many rows of them count.

    A row is type, player_relative, health, shields, energy, transport slots, build progress.
    """
    units = world.units
    num_selected = units.selected.sum(1)
    games, slots = np.nonzero(units.selected)
    types = units.type[games, slots]
    row = np.zeros([len(games), _UNIT_COLUMNS], np.int32)
    row[:, 0] = units.stats.unit_type[types]
    row[:, 1] = 1
    row[:, 2] = units.health[games, slots]
    rank = units.selected.cumsum(1)[games, slots] - 1

    single = np.zeros([world.num_games, 1, _UNIT_COLUMNS], np.int32)
    multi = np.zeros([world.num_games, MAX_SELECTED, _UNIT_COLUMNS], np.int32)
    alone = num_selected[games] == 1
    single[games[alone], 0] = row[alone]
    listed = ~alone & (rank < MAX_SELECTED)
    multi[games[listed], rank[listed]] = row[listed]
    several = np.where(num_selected > 1, np.minimum(num_selected, MAX_SELECTED), 0)
    return {
        'single_select': single,
        'multi_select': multi,
        'single_select_count': (num_selected == 1).astype(np.int32),
        'multi_select_count': several.astype(np.int32),
    }


def control_groups(world: World) -> np.ndarray:
    """Type of the first unit and number of units of every control group: int32 [K, 10, 2]."""
    units = world.units
    groups = units.control_groups
    size = groups.sum(-1)
    leader = groups.argmax(-1)
    leader_type = units.stats.unit_type[np.take_along_axis(units.type, leader, axis=1)]
    return np.stack([leader_type * (size > 0), size], axis=-1).astype(np.int32)


def _army(units):
    return units.own & units.stats.is_army[units.type]

"""The non-spatial observations of PySC2, with a leading axis K."""

from typing import Dict

import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.economy import economy_observation
from sc2impala.sim.units import Units
from sc2impala.sim.world import World

MAX_SELECTED = 64
"""Rows of `multi_select`; if more units are selected, the first ones are listed."""

MAX_ALERTS = 8
"""Rows of `alerts`: more than the number of different alerts."""

_ALWAYS_AVAILABLE = np.zeros([1, functions.NUM_FUNCTIONS], bool)
_ALWAYS_AVAILABLE[:, functions.ALWAYS_AVAILABLE] = True
_UNIT_COLUMNS = 7
_PLAYER_COLUMNS = 11
_SCORE_COLUMNS = 13


def available_actions(world: World) -> np.ndarray:
    """Returns the functions that can be called now: bool [K, 573]. [S] ACT"""
    units = world.units
    available = np.repeat(_ALWAYS_AVAILABLE, world.num_games, axis=0)
    available[:, functions.SELECT_UNIT] = units.selected.sum(1) > 1
    available[:, functions.SELECT_ARMY] = _army(units).any(1)
    complete = units.selected & (units.unfinished == 0)
    for index, unit_type in enumerate(units.types):
        if unit_type.functions:
            some_selected = (complete & (units.type == index)).any(1)
            available |= some_selected[:, None] & units.stats.functions[index]
    for mechanic in world.mechanics.values():
        mechanic.restrict(world, available)
    return available


def player(world: World) -> np.ndarray:
    """Returns PySC2's `player`: int32 [K, 11]. Supply cap is 0 on maps without buildings. [U]"""
    units = world.units
    own = units.own.reshape(-1).nonzero()[0]
    game = own // units.alive.shape[1]
    unit_type = units.type.reshape(-1).take(own)
    food, is_army = units.stats.food.take(unit_type), units.stats.is_army.take(unit_type)
    row = np.zeros([world.num_games, _PLAYER_COLUMNS], np.int32)
    row[:, 0] = unit_types.SELF
    row[:, 1] = world.minerals
    row[:, 2] = world.vespene
    row[:, 3] = np.bincount(game, food, world.num_games)
    row[:, 5] = np.bincount(game, food * is_army, world.num_games)
    row[:, 8] = np.bincount(game, is_army, world.num_games)
    if 'production' in world.mechanics:
        economy_observation.fill_player(world, row)
    return row


def score_cumulative(world: World) -> np.ndarray:
    """Returns PySC2's `score_cumulative`: int32 [K, 13]; score and collected minerals. [A]"""
    row = np.zeros([world.num_games, _SCORE_COLUMNS], np.int32)
    row[:, 0] = world.score
    row[:, 7] = world.minerals
    if 'ledger' in world.mechanics:
        economy_observation.fill_score(world, row)
    return row


def selection(world: World) -> Dict[str, np.ndarray]:
    """Returns `single_select`, `multi_select` and their numbers of rows in use.

    The columns are type, player_relative, health, shields, energy, transport slots, build progress.
    """
    units = world.units
    num_selected = units.selected.sum(1)
    at = units.selected.reshape(-1).nonzero()[0]
    games, slots = np.divmod(at, units.alive.shape[1])
    row = np.zeros([len(games), _UNIT_COLUMNS], np.int32)
    row[:, 0] = units.stats.unit_type.take(units.type.reshape(-1).take(at))
    row[:, 1] = 1
    row[:, 2] = units.health.reshape(-1).take(at)
    row[:, 6] = build_percent(units, games, slots)
    rank = np.arange(len(games)) - (num_selected.cumsum() - num_selected).take(games)

    single = np.zeros([world.num_games, 1, _UNIT_COLUMNS], np.int32)
    multi = np.zeros([world.num_games, MAX_SELECTED, _UNIT_COLUMNS], np.int32)
    alone = num_selected.take(games) == 1
    single[games[alone], 0] = row[alone]
    listed = ~alone & (rank < MAX_SELECTED)
    multi.reshape(-1, _UNIT_COLUMNS)[(games * MAX_SELECTED + rank)[listed]] = row[listed]
    several = np.where(num_selected > 1, np.minimum(num_selected, MAX_SELECTED), 0)
    return {
        'single_select': single,
        'multi_select': multi,
        'single_select_count': (num_selected == 1).astype(np.int32),
        'multi_select_count': several.astype(np.int32),
    }


def alerts(world: World) -> np.ndarray:
    """Returns the codes of the alerts since the last action, ascending: int32 [K, MAX_ALERTS].

    Unused rows are zero.
    """
    games, codes = np.nonzero(world.alerts)
    row = world.alerts.cumsum(1)[games, codes] - 1
    found = np.zeros([world.num_games, MAX_ALERTS], np.int32)
    found[games, row] = codes
    return found


def build_percent(units: Units, games: np.ndarray, slots: np.ndarray) -> np.ndarray:
    """Returns the build progress of units in per cent, 0 if complete: [n] for int [n] each."""
    unfinished = units.unfinished[games, slots]
    if not unfinished.any():
        return np.zeros(unfinished.shape)
    loops = np.maximum(units.stats.build_loops[units.type[games, slots]], 1)
    return np.where(unfinished > 0, 100 * (1 - unfinished / loops), 0)


def control_groups(world: World) -> np.ndarray:
    """Returns type of the first unit and number of units per control group: int32 [K, 10, 2]."""
    units = world.units
    num_games, num_groups, num_units = units.control_groups.shape
    members = units.control_groups.reshape(-1).nonzero()[0]
    group, slot = np.divmod(members, num_units)
    unit_type = units.stats.unit_type.take(units.type[group // num_groups, slot])
    listed = np.zeros([num_games * num_groups, 2], np.int32)
    # Of several values for one index the last one is kept: that of the first unit.
    listed[group[::-1], 0] = unit_type[::-1]
    listed[:, 1] = np.bincount(group, minlength=len(listed))
    return listed.reshape(num_games, num_groups, 2)


def _army(units: Units) -> np.ndarray:
    return units.own & units.stats.is_army.take(units.type)

"""The non-spatial observations of PySC2: one structured record per game."""

from typing import Any

import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.limits import MAX_ALERTS, MAX_QUEUE, MAX_SELECTED
from sc2impala.sim.units import NUM_CONTROL_GROUPS, is_own

UNIT_COLUMNS = 7
"""Columns of `single_select`, `multi_select` and `build_queue`: type, player_relative, health,
shields, energy, transport slots and build progress in per cent."""

_FIELDS = np.dtype(
    [
        ('player', np.int32, (11,)),
        ('score_cumulative', np.int32, (13,)),
        ('game_loop', np.int32, (1,)),
        ('single_select', np.int32, (1, UNIT_COLUMNS)),
        ('multi_select', np.int32, (MAX_SELECTED, UNIT_COLUMNS)),
        # Numbers of rows in use; all other rows are zero.
        ('single_select_count', np.int32),
        ('multi_select_count', np.int32),
        ('control_groups', np.int32, (NUM_CONTROL_GROUPS, 2)),
        ('action_result', np.int32, (1,)),
        ('last_actions', np.int32, (1,)),
        ('alerts', np.int32, (MAX_ALERTS,)),
        ('build_queue', np.int32, (MAX_QUEUE, UNIT_COLUMNS)),
        ('production_queue', np.int32, (MAX_QUEUE, 2)),
        ('build_queue_count', np.int32),
    ],
    align=True,
)
OBSERVATION = np.dtype((np.record, _FIELDS))
"""The observation of a game; `GameBatch.observe` describes the fields."""


@compiled
def fill(g: Any, rules: Any, o: Any) -> None:
    """Writes the observation of a game on a map without an economy.

    Args:
      g: the game.
      rules: the record of its map.
      o: OBSERVATION, all zero or written by this function before.
    """
    fill_player(g, rules, o)
    o.score_cumulative[0] = g.score
    # The game counts the units of all episodes so far, and no shards as minerals. [S] OBS
    o.score_cumulative[3] = rules.value_per_episode * (g.episode + 1)
    fill_selection(g, rules, o)
    fill_control_groups(g, rules, o)
    fill_alerts(g, o)
    o.game_loop[0] = g.game_loop
    o.action_result[0] = g.action_result
    o.last_actions[0] = g.last_action


@compiled
def fill_player(g: Any, rules: Any, o: Any) -> None:
    """Writes PySC2's `player`. Supply cap is 0 on maps without buildings. [U]"""
    food = 0
    food_of_army = 0
    army = 0
    for i in range(g.unit_end):
        if is_own(g, i):
            food += rules.food[g.type[i]]
            if rules.is_army[g.type[i]]:
                food_of_army += rules.food[g.type[i]]
                army += 1
    o.player[0] = unit_types.SELF
    o.player[1] = g.minerals
    o.player[2] = g.vespene
    o.player[3] = food
    o.player[5] = food_of_army
    o.player[8] = army


@compiled
def fill_selection(g: Any, rules: Any, o: Any) -> None:
    """Writes `single_select`, `multi_select` and their numbers of rows in use."""
    _clear(o.single_select, o.single_select_count)
    _clear(o.multi_select, o.multi_select_count)
    count = num_selected(g)
    o.single_select_count = 1 if count == 1 else 0
    o.multi_select_count = min(count, MAX_SELECTED) if count > 1 else 0
    row = 0
    for i in range(g.unit_end):
        if g.selected[i]:
            if count == 1:
                _describe(g, rules, i, o.single_select, 0)
            elif row < MAX_SELECTED:
                _describe(g, rules, i, o.multi_select, row)
            row += 1


@compiled
def fill_control_groups(g: Any, rules: Any, o: Any) -> None:
    """Writes the type of the first unit and the number of units of every control group."""
    for group in range(NUM_CONTROL_GROUPS):
        count = 0
        for i in range(g.unit_end):
            count += g.control_groups[group, i]
        first = 0
        if count:
            while not g.control_groups[group, first]:
                first += 1
        o.control_groups[group, 0] = rules.unit_type[g.type[first]] if count else 0
        o.control_groups[group, 1] = count


@compiled
def fill_alerts(g: Any, o: Any) -> None:
    """Writes the codes of the alerts since the last action in ascending order, then zeros."""
    row = 0
    for code in range(len(g.alerts)):
        if g.alerts[code] and row < MAX_ALERTS:
            o.alerts[row] = code
            row += 1
    for unused in range(row, MAX_ALERTS):
        o.alerts[unused] = 0


@compiled
def num_selected(g: Any) -> int:
    """Returns the number of selected units."""
    count = 0
    for i in range(g.unit_end):
        count += g.selected[i]
    return count


@compiled
def build_percent(g: Any, rules: Any, i: int) -> float:
    """Returns the build progress of unit i in per cent, 0 if it is complete."""
    if g.unfinished[i] <= 0:
        return 0.0
    return 100 * (1 - g.unfinished[i] / max(rules.build_loops[g.type[i]], 1))


@compiled
def list_actions(g: Any, rules: Any, available: Any) -> None:
    """Writes which functions can be called on a map without an economy: uint8 [573]. [S] ACT"""
    several = num_selected(g) > 1
    for function in range(functions.NUM_FUNCTIONS):
        available[function] = False
    for function in functions.ALWAYS_AVAILABLE:
        available[function] = True
    available[functions.SELECT_UNIT] = several
    available[functions.SELECT_ARMY] = _has_army(g, rules)
    for type_index in range(rules.num_types):
        if _selects_type(g, type_index):
            for function in range(functions.NUM_FUNCTIONS):
                available[function] |= rules.functions[type_index, function]


@compiled
def _has_army(g: Any, rules: Any) -> bool:
    found = False
    for i in range(g.unit_end):
        found = found or (is_own(g, i) and rules.is_army[g.type[i]] != 0)
    return found


@compiled
def _selects_type(g: Any, type_index: int) -> bool:
    """Returns whether a complete unit of a type is selected."""
    for i in range(g.unit_end):
        if g.selected[i] and g.type[i] == type_index and g.unfinished[i] == 0:
            return True
    return False


@compiled
def _describe(g: Any, rules: Any, i: int, rows: Any, row: int) -> None:
    rows[row, 0] = rules.unit_type[g.type[i]]
    rows[row, 1] = 1
    rows[row, 2] = int(g.health[i])
    rows[row, 6] = int(build_percent(g, rules, i))


@compiled
def _clear(rows: Any, used: int) -> None:
    for row in range(used):
        for column in range(UNIT_COLUMNS):
            rows[row, column] = 0

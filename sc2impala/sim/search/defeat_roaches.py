"""DefeatRoaches: roll-outs by rules like those of `envs.players.pull_back`."""

from typing import Any

import numpy as np

from sc2impala.sim import functions, orders
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import length
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import battles
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.problem import KEEP_ORDERS, Problem
from sc2impala.sim.unit_types import ENEMY, SELF

_FIGHT, _RANGE, _IN_REACH = 7.0, 5.9, 5.9
"""Distances between the sides in cells: of a fight, at which a marine can hit a roach, and at which
it is within the reach of one."""
_WEAK = 13
"""Health of a marine that the next hit kills."""
_STEP_BACK = 1.5
_CELLS_PER_HEALTH, _CELLS_PER_MARINE = 0.6, 2.3
"""Of a roach: its health, and the number of marines in range, against its distance."""

_GETS_READY, _IS_READY = 11.0, 8.0
"""Distances between the sides at which weak marines are sent behind the others."""
_BEHIND, _STEP_BEHIND = 0.8, 2.0
_MANY = 18
"""Number of marines that fight without these preparations, which would take too long."""

_MARINE_WORTH = 6.0
_ROACH = np.array([1])
_ROACH_REWARD = np.array([10.0])
_ROACH_HEALTH = np.array([145.0])


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """All marines attack one roach, and those that the next hit kills keep out of its reach.

    Before the fight they are sent behind the others, during the fight they step aside.
    """
    armies = battles.look(g)
    if armies.num_enemies == 0 or armies.num_marines == 0:
        return
    closest, closest_threat = 1e9, _IN_REACH
    threatened, threat = -1, -1
    target, least_cost = -1, 1e18
    for i in range(g.mobile_end):
        if not g.alive[i] or g.owner[i] != ENEMY:
            continue
        marine, distance = battles.nearest(g, i, SELF)
        closest = min(closest, distance)
        cost = g.health[i] * _CELLS_PER_HEALTH + distance
        cost -= _CELLS_PER_MARINE * battles.count_near(g, i, SELF, _RANGE)
        if cost < least_cost:
            target, least_cost = i, cost
        if distance < closest_threat and g.health[marine] <= _WEAK:
            threatened, threat, closest_threat = marine, i, distance
    fights = closest < _FIGHT
    if fights and threatened >= 0:
        away_x, away_y = g.x[threatened] - g.x[threat], g.y[threatened] - g.y[threat]
        _send(g, rules, armies, threatened, away_x, away_y, _STEP_BACK, call)
        return
    to_x, to_y = armies.enemies_x - armies.marines_x, armies.enemies_y - armies.marines_y
    if _IS_READY < closest < _GETS_READY and armies.num_marines < _MANY:
        marine = _foremost_weak(g, to_x, to_y)
        if marine >= 0:
            _send(g, rules, armies, marine, -to_x, -to_y, _STEP_BEHIND, call)
            return
    if armies.num_selected < armies.num_marines:
        call.function = functions.SELECT_ARMY
        return
    call.function = functions.ATTACK_SCREEN
    if fights:
        plans_lib.aim(g, rules, call, g.x[target], g.y[target])
    else:
        plans_lib.aim(g, rules, call, armies.enemies_x, armies.enemies_y)


@compiled
def _send(
    g: Any,
    rules: Any,
    armies: battles.Armies,
    marine: int,
    to_x: float,
    to_y: float,
    cells: float,
    call: Any,
) -> None:
    """Moves one marine in a direction, once it alone is selected."""
    x, y = g.x[marine], g.y[marine]
    call.function = functions.SELECT_POINT
    if armies.num_selected == 1 and g.selected[marine]:
        call.function = functions.MOVE_SCREEN
        part = cells / max(length(to_x, to_y), 0.1)
        x, y = x + part * to_x, y + part * to_y
    plans_lib.aim(g, rules, call, x, y)


@compiled
def _foremost_weak(g: Any, to_x: float, to_y: float) -> int:
    """Returns the foremost weak marine that is not behind the others, and does not move; else -1.

    Args:
      g: the game.
      to_x, to_y: direction of the enemies.
    """
    distance = max(length(to_x, to_y), 0.1)
    strong, strong_ahead = 0, 0.0
    found, most_ahead = -1, -1e9
    for i in range(g.mobile_end):
        if not g.alive[i] or g.owner[i] != SELF:
            continue
        ahead = (g.x[i] * to_x + g.y[i] * to_y) / distance
        if g.health[i] > _WEAK:
            strong += 1
            strong_ahead += ahead
        elif g.order_kind[i, 0] != orders.MOVE and ahead > most_ahead:
            found, most_ahead = i, ahead
    if strong == 0 or most_ahead < strong_ahead / strong - _BEHIND:
        return -1
    return found


@compiled
def _value(g: Any, rules: Any) -> float:
    return battles.worth(g, _MARINE_WORTH, _ROACH, _ROACH_REWARD, _ROACH_HEALTH)


PROBLEM = Problem(
    name='defeat_roaches',
    policy=Policy('keep_back', decide),
    propose=battles.propose,
    value=_value,
    functions=('no_op', 'select_army', 'select_point', 'Attack_screen', 'Move_screen'),
    stage=battles.number_of_enemies,
    horizon=400,
    frame_cost=0.2,
    margin=1.0,
)

UNSCRIPTED = PROBLEM._replace(name='defeat_roaches_unscripted', policy=KEEP_ORDERS, margin=0.01)

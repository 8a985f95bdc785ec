"""DefeatRoaches: roll-outs by the rules of `envs.players.pull_back`."""

from typing import Any

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import battles
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.problem import KEEP_ORDERS, Problem
from sc2impala.sim.unit_types import ENEMY, SELF

_FIGHT, _IN_REACH = 6.1, 5.2
_WEAK = 13
_STEP_BACK = 1.5
_CELLS_PER_HEALTH = 10.0

_MARINE_WORTH = 6.0
_ROACH = np.array([1])
_ROACH_REWARD = np.array([10.0])
_ROACH_HEALTH = np.array([145.0])


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """All marines attack one roach, and those that the next hit kills step aside."""
    armies = battles.look(g)
    if armies.num_enemies == 0 or armies.num_marines == 0:
        return
    closest, threatened, closest_threat = 1e9, -1, 1e9
    target, least_cost = -1, 1e18
    for i in range(g.mobile_end):
        if not g.alive[i] or g.owner[i] != ENEMY:
            continue
        marine, distance = battles.nearest(g, i, SELF)
        closest = min(closest, distance)
        cost = g.health[i] * _CELLS_PER_HEALTH + distance
        if cost < least_cost:
            target, least_cost = i, cost
        if distance < min(_IN_REACH, closest_threat) and g.health[marine] <= _WEAK:
            threatened, closest_threat = marine, distance
    fights = closest < _FIGHT
    if fights and threatened >= 0:
        x, y = g.x[threatened], g.y[threatened]
        if armies.num_selected == 1 and g.selected[threatened]:
            call.function = functions.MOVE_SCREEN
            x += _STEP_BACK if armies.marines_x > armies.enemies_x else -_STEP_BACK
        else:
            call.function = functions.SELECT_POINT
        plans_lib.aim(g, rules, call, x, y)
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
def _value(g: Any, rules: Any) -> float:
    return battles.worth(g, _MARINE_WORTH, _ROACH, _ROACH_REWARD, _ROACH_HEALTH)


PROBLEM = Problem(
    name='defeat_roaches',
    policy=Policy('pull_back', decide),
    propose=battles.propose,
    value=_value,
    functions=('no_op', 'select_army', 'select_point', 'Attack_screen', 'Move_screen'),
    stage=battles.number_of_enemies,
    horizon=400,
    frame_cost=0.2,
    margin=1.0,
)

UNSCRIPTED = PROBLEM._replace(name='defeat_roaches_unscripted', policy=KEEP_ORDERS, margin=0.01)

"""DefeatZerglingsAndBanelings: roll-outs by the rules of `envs.players.kite`."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import length
from sc2impala.sim.rollouts import Policy
from sc2impala.sim.search import battles
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.problem import KEEP_ORDERS, Problem
from sc2impala.sim.unit_types import ENEMY, SELF

_IN_REACH, _TOO_NEAR, _AFAR = 6.2, 6.0, 7.0
_RUN, _BEYOND = 10.0, 4.0
_CELLS_PER_HEALTH = 0.05
_LEFT, _RIGHT, _BELOW, _ABOVE = -10.6, 10.6, -4.6, 10.6
"""Borders, relative to the camera, of the region in which the centre of a marine can be."""

_BANELING = 2
_MARINE_WORTH = 4.0
_KINDS = np.array([1, 2])
_REWARDS = np.array([2.5, 2.5])
"""Half of the points: many a baneling dies at full health."""
_HEALTH = np.array([35.0, 30.0])


@compiled
def decide(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Marines fire, and run from banelings while they reload."""
    armies = battles.look(g)
    if armies.num_enemies == 0 or armies.num_marines == 0:
        return
    if armies.num_selected < armies.num_marines:
        call.function = functions.SELECT_ARMY
        return
    banelings, x, y, target, least_cost = 0, 0.0, 0.0, -1, 1e9
    for i in range(g.mobile_end):
        if g.alive[i] and g.owner[i] == ENEMY and g.type[i] == _BANELING:
            banelings += 1
            x += g.x[i]
            y += g.y[i]
            cost = length(g.x[i] - armies.marines_x, g.y[i] - armies.marines_y)
            cost += _CELLS_PER_HEALTH * g.health[i]
            if cost < least_cost:
                target, least_cost = i, cost
    in_reach, ready, closest, closest_baneling = 0, 0, 1e9, 1e9
    for i in range(g.mobile_end):
        if not g.alive[i] or g.owner[i] != SELF:
            continue
        nearest = 1e9
        for j in range(g.mobile_end):
            if g.alive[j] and g.owner[j] == ENEMY:
                distance = length(g.x[j] - g.x[i], g.y[j] - g.y[i])
                nearest = min(nearest, distance)
                if g.type[j] == _BANELING:
                    closest_baneling = min(closest_baneling, distance)
        closest = min(closest, nearest)
        if nearest < _IN_REACH:
            in_reach += 1
            ready += g.ready_at[i] <= g.game_loop + 1
    reloads = 2 * ready < in_reach
    if closest_baneling < _TOO_NEAR and reloads:
        call.function = functions.MOVE_SCREEN
        x, y = _beyond(g, armies.marines_x, armies.marines_y, x / banelings, y / banelings, _RUN)
        plans_lib.aim(g, rules, call, x, y)
        return
    call.function = functions.ATTACK_SCREEN
    if banelings == 0 or closest > _AFAR:
        x, y = _beyond(
            g, armies.enemies_x, armies.enemies_y, armies.marines_x, armies.marines_y, _BEYOND
        )
        plans_lib.aim(g, rules, call, x, y)
    else:
        plans_lib.aim(g, rules, call, g.x[target], g.y[target])


@compiled
def _beyond(
    g: Any, x: float, y: float, from_x: float, from_y: float, cells: float
) -> Tuple[float, float]:
    """Returns the point that lies this number of cells behind (x, y), seen from another one."""
    distance = max(length(x - from_x, y - from_y), 0.1)
    x += cells * (x - from_x) / distance
    y += cells * (y - from_y) / distance
    x = min(max(x, g.camera_x + _LEFT), g.camera_x + _RIGHT)
    y = min(max(y, g.camera_y + _BELOW), g.camera_y + _ABOVE)
    return x, y


@compiled
def _value(g: Any, rules: Any) -> float:
    return battles.worth(g, _MARINE_WORTH, _KINDS, _REWARDS, _HEALTH)


PROBLEM = Problem(
    name='defeat_zerglings_and_banelings',
    policy=Policy('kite', decide),
    propose=battles.propose,
    value=_value,
    functions=('no_op', 'select_army', 'select_point', 'Attack_screen', 'Move_screen'),
    stage=battles.number_of_enemies,
    horizon=320,
    frame_cost=0.3,
    margin=2.0,
)

UNSCRIPTED = PROBLEM._replace(
    name='defeat_zerglings_and_banelings_unscripted', policy=KEEP_ORDERS, margin=0.01
)

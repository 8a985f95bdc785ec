"""Candidates and values that the two maps with waves of enemies share."""

from typing import Any, NamedTuple

import numpy as np

from sc2impala.sim import functions
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import length
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.unit_types import ENEMY, SELF

_MAX_TARGETS = 10
_DIRECTIONS = 8
_STEP = 3.0
"""Cells that a candidate moves marines by."""
_NEAR = 8.0
"""Distance to an enemy, in cells, from which on a marine is moved alone."""
_MAX_ALONE = 6

MARINE_WEAK, MARINE_FULL = 0.3, 45.0
"""Share of the worth of a marine that does not depend on its health, and its full health."""


class Armies(NamedTuple):
    """Summary of both sides. x, y: means of positions."""

    num_marines: int
    num_selected: int
    marines_x: float
    marines_y: float
    num_enemies: int
    enemies_x: float
    enemies_y: float


@compiled
def look(g: Any) -> Armies:
    """Returns a summary of both sides; means are 0 where a side has no unit."""
    marines, selected, enemies = 0, 0, 0
    x, y, enemy_x, enemy_y = 0.0, 0.0, 0.0, 0.0
    for i in range(g.mobile_end):
        if not g.alive[i]:
            continue
        if g.owner[i] == SELF:
            marines += 1
            selected += g.selected[i] != 0
            x += g.x[i]
            y += g.y[i]
        else:
            enemies += 1
            enemy_x += g.x[i]
            enemy_y += g.y[i]
    ours, theirs = max(marines, 1), max(enemies, 1)
    return Armies(
        marines, selected, x / ours, y / ours, enemies, enemy_x / theirs, enemy_y / theirs
    )


@compiled
def nearest(g: Any, i: int, owner: int) -> Any:
    """Returns the slot of the unit of `owner` that is nearest to unit i, and its distance.

    The slot is -1 if there is none.
    """
    found, least = -1, 1e9
    for j in range(g.mobile_end):
        if g.alive[j] and g.owner[j] == owner:
            distance = length(g.x[j] - g.x[i], g.y[j] - g.y[i])
            if distance < least:
                found, least = j, distance
    return found, least


@compiled
def count_near(g: Any, i: int, owner: int, distance: float) -> int:
    """Returns the number of units of `owner` that are closer to unit i than a distance in cells."""
    count = 0
    for j in range(g.mobile_end):
        if g.alive[j] and g.owner[j] == owner:
            count += length(g.x[j] - g.x[i], g.y[j] - g.y[i]) < distance
    return count


@compiled
def number_of_enemies(g: Any, rules: Any) -> int:
    """The stage of a game: the number of enemies increases with each wave, and only then."""
    count = 0
    for i in range(g.mobile_end):
        count += g.alive[i] != 0 and g.owner[i] == ENEMY
    return count


@compiled
def worth(g: Any, marine: float, kinds: Any, rewards: Any, full: Any) -> float:
    """Returns the value of a fight.

    Args:
      g: the game.
      marine: points of a marine of full health.
      kinds: int [n], types of enemies.
      rewards: float [n], points for the death of each; half-dead ones count half of that.
      full: float [n], their full health.
    """
    value = 0.0
    for i in range(g.mobile_end):
        if not g.alive[i]:
            continue
        if g.owner[i] == SELF:
            value += marine * (MARINE_WEAK + (1 - MARINE_WEAK) * g.health[i] / MARINE_FULL)
            continue
        for kind in range(len(kinds)):
            if g.type[i] == kinds[kind]:
                value += rewards[kind] * (1 - g.health[i] / full[kind])
    return value


@compiled
def propose(g: Any, rules: Any, available: Any, plans: plans_lib.Plans) -> None:
    """Adds candidates: to wait, to select all marines, to attack an enemy near marines, to move the
    selected ones in any direction, and to select a marine near enemies and to move it away.
    """
    plans_lib.add(plans, functions.NO_OP)
    plans_lib.add(plans, functions.SELECT_ARMY)
    armies = look(g)
    if armies.num_marines == 0 or armies.num_enemies == 0:
        return
    near = np.full(g.mobile_end, 1e9)
    foe = np.zeros(g.mobile_end, np.int64)
    middle_x, middle_y = 0.0, 0.0
    for i in range(g.mobile_end):
        if g.alive[i]:
            foe[i], near[i] = nearest(g, i, ENEMY if g.owner[i] == SELF else SELF)
            if g.selected[i]:
                middle_x += g.x[i] / armies.num_selected
                middle_y += g.y[i] / armies.num_selected
    order = np.argsort(near)
    if armies.num_selected > 0:
        _attack(g, rules, plans, order)
        for direction in range(_DIRECTIONS):
            angle = 2 * np.pi * direction / _DIRECTIONS
            call = plans_lib.add(plans, functions.MOVE_SCREEN)
            x, y = middle_x + _STEP * np.cos(angle), middle_y + _STEP * np.sin(angle)
            plans_lib.aim(g, rules, call, x, y)
    _move_alone(g, rules, plans, order, near, foe, armies.num_selected)


@compiled
def _attack(g: Any, rules: Any, plans: plans_lib.Plans, order: np.ndarray) -> None:
    """Adds an attack on each of the first enemies in `order`."""
    count = 0
    for i in order:
        if g.alive[i] and g.owner[i] == ENEMY and count < _MAX_TARGETS:
            call = plans_lib.add(plans, functions.ATTACK_SCREEN)
            plans_lib.aim(g, rules, call, g.x[i], g.y[i])
            count += 1


@compiled
def _move_alone(
    g: Any,
    rules: Any,
    plans: plans_lib.Plans,
    order: np.ndarray,
    near: np.ndarray,
    foe: np.ndarray,
    num_selected: int,
) -> None:
    """Adds plans that select a marine and move it away from the nearest enemy."""
    count = 0
    for i in order:
        is_marine = g.alive[i] and g.owner[i] == SELF
        if not is_marine or near[i] > _NEAR or count == _MAX_ALONE:
            continue
        if num_selected == 1 and g.selected[i]:
            continue
        enemy, distance = foe[i], max(near[i], 0.1)
        away_x = (g.x[i] - g.x[enemy]) / distance
        away_y = (g.y[i] - g.y[enemy]) / distance
        call = plans_lib.add(plans, functions.SELECT_POINT)
        plans_lib.aim(g, rules, call, g.x[i], g.y[i])
        call = plans_lib.then(plans, functions.MOVE_SCREEN)
        plans_lib.aim(g, rules, call, g.x[i] + _STEP * away_x, g.y[i] + _STEP * away_y)
        count += 1

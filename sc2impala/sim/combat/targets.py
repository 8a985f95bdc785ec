"""Target acquisition: the target that a unit acquires, keeps or drops."""

from typing import Any, Tuple

import numpy as np

from sc2impala.sim import orders, unit_types
from sc2impala.sim.combat.fields import FOREIGN, NEVER, OWN
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import length
from sc2impala.sim.units import NO_UNIT

MIN_SCAN_RANGE = 5.0  # From edge to edge, in cells. [S] GD
SCAN_MARGIN = 0.5  # How far beyond its weapon's range a unit looks for targets. [S] GD
LEASH = 21.0  # Distance from its home up to which an idle unit follows a target. [S] GD
LEASH_RESET = 5.0  # Distance from home at which it acquires targets again. [S] GD
HOME_RADIUS = 0.5  # Distance from home at which a unit has returned. [U]
HARMLESS = 1e3  # Added to the distance of units that cannot attack back.

_MARGIN = 1e-6  # Of a squared distance in cells.


@compiled
def choose(g: Any, rules: Any, i: int) -> None:
    """Acquires, keeps or drops the target of unit i; sets `target` and `_gap`."""
    interrupted = g.engaged[i] and not g.busy[i]
    if interrupted:
        _interrupt(g, i)
    before = int(g.target[i])
    target = NO_UNIT
    if _obeys(g, i):
        target = int(g.order_target[i, 0])
    elif _chooses(g, i) and not interrupted:
        target = before
    gap = _gap_to(g, rules, i, target)
    if _chooses(g, i):
        target, gap = _look_around(g, rules, i, target, gap)
    if _strays(g, i, target):
        target = NO_UNIT
    if target != before:
        g.target[i] = target
        g.strike_at[i] = NEVER
        g.rest_until[i] = 0
    g._gap[i] = gap if target != NO_UNIT else np.inf


@compiled
def _obeys(g: Any, i: int) -> bool:
    """Returns whether the order of unit i is to attack a unit."""
    return g.order_kind[i, 0] == orders.ATTACK and g.order_target[i, 0] != NO_UNIT


@compiled
def _chooses(g: Any, i: int) -> bool:
    """Returns whether unit i acquires targets by itself."""
    kind = g.order_kind[i, 0]
    if kind == orders.ATTACK:
        return g.order_target[i, 0] == NO_UNIT
    return kind == orders.IDLE or kind == orders.HOLD or kind == orders.PATROL


@compiled
def _interrupt(g: Any, i: int) -> None:
    """Clears the combat state of a unit with a new order."""
    g.engaged[i] = False
    g.away[i] = False
    g.homing[i] = False
    g.rest_until[i] = 0


@compiled
def _gap_to(g: Any, rules: Any, i: int, target: int) -> float:
    """Returns the distance to a unit from edge to edge; infinite for NO_UNIT and dead units."""
    if target == NO_UNIT or not g.alive[target]:
        return np.inf
    distance = length(g.x[target] - g.x[i], g.y[target] - g.y[i])
    return distance - (rules.radius[g.type[i]] + rules.radius[g.type[target]])


@compiled
def _look_around(g: Any, rules: Any, i: int, target: int, gap: float) -> Tuple[int, float]:
    """Returns the target of a unit that chooses it, and its distance from edge to edge.

    A unit follows a target that left its range but is in sight, unless another is nearer.
    """
    weapon_range = rules.weapon_range[g.type[i]]
    if gap <= weapon_range or g.homing[i]:
        return target, gap
    if target != NO_UNIT and g.strike_at[i] < NEVER:
        return target, gap
    holds = g.order_kind[i, 0] == orders.HOLD
    if holds or gap > rules.pursuit_range:
        target = NO_UNIT
    is_idle = g.order_kind[i, 0] == orders.IDLE and target == NO_UNIT and not g.away[i]
    if is_idle and (g.game_loop + i) % rules.reaction_loops != 0:
        return target, gap
    limit = weapon_range if holds else max(weapon_range + SCAN_MARGIN, MIN_SCAN_RANGE)
    found, distance = _nearest(g, rules, i, limit)
    if found != NO_UNIT:
        return found, distance
    return target, gap


@compiled
def _nearest(g: Any, rules: Any, i: int, limit: float) -> Tuple[int, float]:
    """Finds the nearest enemy of a unit; those that can attack back have priority.

    Args:
      g: the game.
      rules: of the map.
      i: slot of the unit.
      limit: how far to look, from edge to edge.

    Returns:
      slot, NO_UNIT without an enemy in range, and distance from edge to edge.
    """
    found = NO_UNIT
    distance = np.inf
    nearest = np.inf
    if g.owner[i] != unit_types.SELF and g.owner[i] != unit_types.ENEMY:
        return found, distance
    side = FOREIGN if g.owner[i] == unit_types.SELF else OWN
    radius = rules.radius[g.type[i]]
    x = g.x[i]
    y = g.y[i]
    for index in range(g._num_of_side[side]):
        across = g._side_x[side, index] - x
        up = g._side_y[side, index] - y
        radii = g._side_radius[side, index] + radius
        # Most are too far; the margin covers rounding.
        if across * across + up * up > (limit + radii) * (limit + radii) + _MARGIN:
            continue
        gap = length(across, up) - radii
        if gap <= limit:
            order = gap + g._side_penalty[side, index]
            if order < nearest:
                found, distance, nearest = int(g._side[side, index]), gap, order
    return found, distance


@compiled
def _strays(g: Any, i: int, target: int) -> bool:
    """Notes the home of an idle unit that leaves it to fight; returns whether it must go back."""
    if not g.away[i]:
        if g.order_kind[i, 0] == orders.IDLE and target != NO_UNIT:
            g.away[i] = True
            g.home_x[i] = g.x[i]
            g.home_y[i] = g.y[i]
        return False
    distance = length(g.x[i] - g.home_x[i], g.y[i] - g.home_y[i])
    strays = distance > (LEASH_RESET if g.homing[i] else LEASH)
    g.homing[i] = strays
    if distance <= HOME_RADIUS and target == NO_UNIT:
        g.away[i] = False
    return strays

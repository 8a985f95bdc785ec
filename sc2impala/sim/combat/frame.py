"""The fights of one frame."""

from typing import Any

import numpy as np

from sc2impala.sim import orders, unit_types
from sc2impala.sim.combat import attacks, targets
from sc2impala.sim.combat.fields import DIRECT, FOREIGN, MISSILE, NEVER, OWN
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import clamp_x, clamp_y
from sc2impala.sim.units import NO_UNIT, living, look

INWARD = 0.7
"""Cells towards the target per cell sideways, of a unit that walks around others. [U]"""


@compiled
def fight(g: Any, rules: Any) -> None:
    """Resolves one frame: missiles, healing, targets, attacks and movement.

    The caller removes the units that are dying, if `_is_hurt` is set, and calls `respond`.
    """
    g._is_hurt = False
    for i in range(g.mobile_end):
        g._hit[MISSILE, i] = NO_UNIT
        g._hit[DIRECT, i] = NO_UNIT
    attacks.land_missiles(g)
    num_fighters = _list_fighters(g, rules)
    for index in range(num_fighters):
        i = int(g._fighter[index])
        targets.choose(g, rules, i)
        if rules.facing:
            _turn(g, rules, i)
        attacks.start(g, rules, i)
    exploding = False
    for index in range(num_fighters):
        i = int(g._fighter[index])
        if g._due[i]:
            attacks.strike(g, rules, i)
            exploding = True
    if exploding:
        attacks.explode(g, rules)
    for index in range(num_fighters):
        _steer(g, rules, int(g._fighter[index]))


@compiled
def is_dying(g: Any, i: int) -> bool:
    """Returns whether unit i was killed in this frame and has not been removed yet."""
    return g.alive[i] != 0 and g.health[i] <= 0


@compiled
def _turn(g: Any, rules: Any, i: int) -> None:
    """Turns a fighter for one frame, from where it faces to its target, or to where it looks."""
    if g.target[i] != NO_UNIT:
        look(g, i, g.x[g.target[i]] - g.x[i], g.y[g.target[i]] - g.y[i])
    most = np.radians(rules.turn_rate / unit_types.LOOPS_PER_SECOND)
    x = g.facing_x[i]
    y = g.facing_y[i]
    across = x * g.heading_y[i] - y * g.heading_x[i]
    along = x * g.heading_x[i] + y * g.heading_y[i]
    angle = min(max(np.arctan2(across, along), -most), most)
    g.facing_x[i] = x * np.cos(angle) - y * np.sin(angle)
    g.facing_y[i] = x * np.sin(angle) + y * np.cos(angle)


@compiled
def _list_fighters(g: Any, rules: Any) -> int:
    """Lists the units of both sides and the units that may fight; returns the number of the latter.

    Armed units may fight if both sides have units, or if they are ordered to. Those for which the
    frame would change nothing are left out. The units that regenerate do so.
    """
    num_own = 0
    num_foreign = 0
    for i in range(g.unit_end):
        if g.alive[i]:
            if g.owner[i] == unit_types.SELF:
                _list_unit(g, rules, OWN, num_own, i)
                num_own += 1
            elif g.owner[i] == unit_types.ENEMY:
                _list_unit(g, rules, FOREIGN, num_foreign, i)
                num_foreign += 1
    g._num_of_side[OWN] = num_own
    g._num_of_side[FOREIGN] = num_foreign
    contested = num_own > 0 and num_foreign > 0
    # The next unit that looks around if it is idle.
    period = rules.reaction_loops
    looks = (period - g.game_loop % period) % period
    count = 0
    for place in range(living(g)):
        i = int(g._living[place])
        while looks < i:
            looks += period
        if rules.damage[g.type[i]] > 0 and (contested or _is_wanted(g, i)):
            _heal(g, rules, i)
            if rules.facing or looks == i or not _is_at_rest(g, i):
                g._fighter[count] = i
                count += 1
    return count


@compiled
def _list_unit(g: Any, rules: Any, side: int, index: int, i: int) -> None:
    kind = g.type[i]
    g._side[side, index] = i
    g._side_x[side, index] = g.x[i]
    g._side_y[side, index] = g.y[i]
    g._side_radius[side, index] = rules.radius[kind]
    g._side_penalty[side, index] = 0.0 if rules.damage[kind] > 0 else targets.HARMLESS


@compiled
def _is_at_rest(g: Any, i: int) -> bool:
    """Returns whether unit i does not fight and, if it is not idle, will not look for a target."""
    if g.engaged[i] or g.away[i] or g.target[i] != NO_UNIT:
        return False
    kind = g.order_kind[i, 0]
    return kind != orders.ATTACK and kind != orders.HOLD and kind != orders.PATROL


@compiled
def _is_wanted(g: Any, i: int) -> bool:
    """Returns whether a unit fights even without enemies."""
    if g.engaged[i]:
        return True
    return g.order_kind[i, 0] == orders.ATTACK and g.order_target[i, 0] != NO_UNIT


@compiled
def _heal(g: Any, rules: Any, i: int) -> None:
    kind = g.type[i]
    if rules.regeneration[kind] > 0 and g.health[i] > 0:
        g.health[i] = min(g.health[i] + rules.regeneration[kind], rules.health[kind])


@compiled
def _steer(g: Any, rules: Any, i: int) -> None:
    """Sets the goal of a fighter: towards its target, its own position, or home."""
    target = int(g.target[i])
    if target == NO_UNIT and not g.away[i]:
        if g.engaged[i] and g.busy[i]:
            orders.resume(g, i)
        g.engaged[i] = False
        return
    g.engaged[i] = True
    g.busy[i] = True
    x = g.home_x[i]
    y = g.home_y[i]
    if target != NO_UNIT:
        x = g.x[i]
        y = g.y[i]
        look(g, i, g.x[target] - x, g.y[target] - y)
        rests = g.strike_at[i] < NEVER or g.rest_until[i] > g.game_loop
        if g._gap[i] > rules.weapon_range[g.type[i]] and not rests:
            across = g.x[target] - x
            up = g.y[target] - y
            side = g.side[i]
            if side == 0:
                x += across
                y += up
            else:
                # A unit that is blocked by standing units walks around them. [U]
                x += INWARD * across - side * up
                y += INWARD * up + side * across
    g.goal_x[i] = clamp_x(rules, x)
    g.goal_y[i] = clamp_y(rules, y)

"""Attacks: their start, hits, missiles and explosions. All hits of a frame are simultaneous."""

from typing import Any

import numpy as np

from sc2impala.sim import unit_types
from sc2impala.sim.combat.fields import DIRECT, MISSILE, NEVER
from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform
from sc2impala.sim.geometry import length
from sc2impala.sim.units import NO_UNIT, num_mobile

RANGE_SLOP = 1.0  # Beyond the weapon's range an attack that has started still hits. [S] GD
MIN_DELAY, MAX_DELAY = -1.0, 2.0  # Random offset of the cooldown, in frames. [S] GD
MIN_DAMAGE = 0.5  # Of a hit, whatever the armor. [A]


@compiled
def damage_of_hit(rules: Any, attacker: int, victim: int) -> float:
    """Returns the damage of one hit; attacker and victim are types."""
    bonus = rules.bonus_to_light[attacker] * rules.is_light[victim]
    return max(rules.damage[attacker] + bonus - rules.armor[victim], MIN_DAMAGE)


@compiled
def land_missiles(g: Any) -> None:
    """Applies the damage of the missiles that land in this frame."""
    for i in range(g.mobile_end):
        if g.missile_at[i] <= g.game_loop:
            victim = int(g.missile_target[i])
            g.health[victim] -= g.missile_damage[i]
            g.missile_at[i] = NEVER
            g.missile_target[i] = NO_UNIT
            g._hit[MISSILE, i] = victim
            g._is_hurt = True


@compiled
def start(g: Any, rules: Any, i: int) -> None:
    """Starts an attack of unit i if its target is in range, and sets whether a hit is `_due`."""
    now = g.game_loop
    kind = g.type[i]
    if g.strike_at[i] == NEVER and g._gap[i] <= rules.weapon_range[kind] and g.ready_at[i] <= now:
        if not rules.facing or _faces_target(g, rules, i):
            g.strike_at[i] = now + int(np.ceil(rules.damage_point[kind]))
    # A unit that was killed by a missile in this frame no longer hits.
    g._due[i] = g.strike_at[i] <= now and g.target[i] != NO_UNIT and g.health[i] > 0


@compiled
def _faces_target(g: Any, rules: Any, i: int) -> bool:
    """Returns True if unit i faces its target, up to the arc of its weapon."""
    x = g.x[g.target[i]] - g.x[i]
    y = g.y[g.target[i]] - g.y[i]
    across = g.facing_x[i] * y - g.facing_y[i] * x
    along = g.facing_x[i] * x + g.facing_y[i] * y
    return abs(np.arctan2(across, along)) <= np.radians(rules.weapon_arc)


@compiled
def strike(g: Any, rules: Any, i: int) -> None:
    """Resolves the hit of unit i, which is due.

    A hit on a unit that another one has just killed is not spent: it starts no cooldown.
    """
    kind = g.type[i]
    target = int(g.target[i])
    gap = g._gap[i]
    spent = True
    if gap <= rules.weapon_range[kind] + RANGE_SLOP:
        explodes = rules.splash_radius[kind] > 0
        flies = rules.missile_speed[kind] > 0 and gap >= rules.missile_min_range[kind]
        if explodes:
            g._explodes[i] = True
        if flies:
            _launch(g, rules, i)
        if not explodes and not flies:
            spent = _hit(g, rules, i, target)
    if spent:
        _recover(g, rules, i)
    g.strike_at[i] = NEVER


@compiled
def _hit(g: Any, rules: Any, i: int, target: int) -> bool:
    """Takes the damage of a direct hit from its target; returns whether it was still alive."""
    if not g.health[target] > 0:
        return False
    g.health[target] -= damage_of_hit(rules, g.type[i], g.type[target])
    g._hit[DIRECT, i] = target
    g._is_hurt = True
    # A unit that explodes when it attacks does so when it is killed, too.
    if g.health[target] <= 0 and rules.splash_radius[g.type[target]] > 0 and target < num_mobile(g):
        g._explodes[target] = True
    return True


@compiled
def _launch(g: Any, rules: Any, i: int) -> None:
    flight = np.ceil(g._gap[i] / rules.missile_speed[g.type[i]])
    g.missile_at[i] = g.game_loop + int(flight)
    g.missile_target[i] = g.target[i]
    g.missile_damage[i] = damage_of_hit(rules, g.type[i], g.type[g.target[i]])


@compiled
def _recover(g: Any, rules: Any, i: int) -> None:
    """Starts the cooldown of a unit that has hit."""
    kind = g.type[i]
    delay = MIN_DELAY + (MAX_DELAY - MIN_DELAY) * uniform(g)
    # Ready in the frame in which the period ends, not in the next one; on average half a frame
    # later for enemies. [A]
    is_enemy = g.owner[i] == unit_types.ENEMY
    rounding = rules.enemy_pause_rounding if is_enemy else rules.own_pause_rounding
    pause = int(np.floor(rules.weapon_period[kind] + delay + rounding))
    g.ready_at[i] = g.strike_at[i] - int(np.ceil(rules.damage_point[kind])) + pause
    g.rest_until[i] = g.strike_at[i] + int(np.ceil(rules.backswing[kind]))


@compiled
def explode(g: Any, rules: Any) -> None:
    """Resolves the explosions of this frame: the units die and hurt all enemies around them."""
    for i in range(g.mobile_end):
        if g._explodes[i]:
            g.health[i] = 0.0
            g._is_hurt = True
    for i in range(g.mobile_end):
        if g._explodes[i]:
            g._explodes[i] = False
            _splash(g, rules, i)


@compiled
def _splash(g: Any, rules: Any, i: int) -> None:
    """Hurts the enemies whose edge is within the splash radius of unit i."""
    radius = rules.splash_radius[g.type[i]]
    if rules.splash_from_edge:
        radius += rules.radius[g.type[i]]
    for other in range(g.unit_end):
        owner = g.owner[other]
        if g.alive[other] and owner != g.owner[i] and owner != unit_types.NEUTRAL:
            around = length(g.x[other] - g.x[i], g.y[other] - g.y[i])
            if around <= radius + rules.radius[g.type[other]]:
                g.health[other] -= damage_of_hit(rules, g.type[i], g.type[other])

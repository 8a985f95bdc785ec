"""Responses of units to hits: they fight back and call their neighbours."""

from typing import Any

from sc2impala.sim import orders, unit_types
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import length
from sc2impala.sim.units import NO_UNIT, living, num_mobile

CALL_RADIUS = 4.0  # From edge to edge; a unit that is hit calls idle units in this range. [S] GD
CALL_PERIOD = 2 * unit_types.LOOPS_PER_SECOND  # Frames between two calls of a unit. [S] GD


@compiled
def respond(g: Any, rules: Any) -> None:
    """Makes idle units target their attackers or those of a calling neighbour.

    Dead units do not fight back but call. Of several attackers the last one counts.
    """
    if not g._is_hurt:
        return
    _find_free(g, rules)
    calling = False
    for means in range(2):
        for attacker in range(g.mobile_end):
            victim = int(g._hit[means, attacker])
            if _is_answered(g, attacker, victim):
                if g._is_free[victim]:
                    g.target[victim] = attacker
                if g.call_at[victim] <= g.game_loop:
                    g.call_at[victim] = g.game_loop + CALL_PERIOD
                    calling = True
    if not calling:
        return
    _find_free(g, rules)
    for means in range(2):
        for attacker in range(g.mobile_end):
            victim = int(g._hit[means, attacker])
            if _is_answered(g, attacker, victim):
                # Whether it calls in this frame.
                if g.call_at[victim] == g.game_loop + CALL_PERIOD:
                    _call(g, rules, victim, attacker)


@compiled
def _is_answered(g: Any, attacker: int, victim: int) -> bool:
    """Returns whether a hit is answered; victim is NO_UNIT if the unit has not hit."""
    if victim == NO_UNIT or victim >= num_mobile(g):
        return False
    return g.alive[attacker] != 0 and g.owner[attacker] != g.owner[victim]


@compiled
def _find_free(g: Any, rules: Any) -> None:
    """Finds the units that are idle, armed and without a target."""
    for i in range(g.mobile_end):
        g._is_free[i] = (
            g.alive[i]
            and g.order_kind[i, 0] == orders.IDLE
            and g.target[i] == NO_UNIT
            and not g.homing[i]
            and rules.damage[g.type[i]] > 0
        )


@compiled
def _call(g: Any, rules: Any, victim: int, attacker: int) -> None:
    """Makes the free neighbours of a unit attack its attacker."""
    for place in range(living(g)):
        i = int(g._living[place])
        if g._is_free[i] and g.owner[i] == g.owner[victim]:
            reach = rules.radius[g.type[i]] + rules.radius[g.type[victim]] + CALL_RADIUS
            if length(g.x[i] - g.x[victim], g.y[i] - g.y[victim]) <= reach:
                g.target[i] = attacker

"""The ways of harvesters to their fields and back to the nearest town hall."""

from typing import Any

import numpy as np

from sc2impala.sim import orders
from sc2impala.sim.compiler import compiled
from sc2impala.sim.economy import fields, navigation
from sc2impala.sim.economy.harvesters import NONE, TO_BASE, TO_FIELD, can_harvest
from sc2impala.sim.units import NO_UNIT, is_own, num_mobile


@compiled
def end(g: Any, i: int) -> None:
    """Ends the harvesting order of unit i."""
    g.phase[i] = NONE
    orders.finish(g, i)


@compiled
def send(g: Any, rules: Any) -> None:
    """Sends the harvesters `_sent` to their fields, or to other ones if these are exhausted.

    All of them choose their fields before the first one sets out.
    """
    for i in range(g.mobile_end):
        if g._sent[i] and not can_harvest(g, rules, g.field[i]):
            change_field(g, rules, i)
    for i in range(g.mobile_end):
        if g._sent[i]:
            g._sent[i] = False
            if can_harvest(g, rules, g.field[i]):
                _set_out(g, rules, i, TO_FIELD)
            else:
                end(g, i)


@compiled
def to_base(g: Any, rules: Any, i: int) -> None:
    """Sends a harvester to the nearest town hall."""
    base = _nearest_base(g, rules, i)
    g.base_slot[i] = base
    if base == NO_UNIT:
        end(g, i)
    else:
        _set_out(g, rules, i, TO_BASE)


@compiled
def choose_leg(g: Any, rules: Any, i: int) -> None:
    """Computes the next leg of a walking harvester; ends the order if there is no path."""
    target = int(g.field[i]) if g.phase[i] == TO_FIELD else int(g.base_slot[i])
    x, y, at_edge, exists = navigation.approach(g, rules, i, target)
    g.leg_x[i] = x
    g.leg_y[i] = y
    g.at_edge[i] = at_edge
    if not exists:
        end(g, i)


@compiled
def change_field(g: Any, rules: Any, i: int) -> None:
    """Assigns another field to a harvester after its field is exhausted, if there is one."""
    other = fields.replacement(g, rules, i)
    if other != NO_UNIT:
        aim_at(g, i, other)


@compiled
def aim_at(g: Any, i: int, field: int) -> None:
    """Sets the field of a harvester and, if it gathers, the target of its order."""
    g.field[i] = field
    if g.order_kind[i, 0] == orders.GATHER:
        g.order_target[i, 0] = field
        g.order_x[i, 0] = g.x[field]
        g.order_y[i, 0] = g.y[field]


@compiled
def _set_out(g: Any, rules: Any, i: int, phase: int) -> None:
    g.phase[i] = phase
    g.looked[i] = False
    choose_leg(g, rules, i)


@compiled
def _nearest_base(g: Any, rules: Any, i: int) -> int:
    nearest = np.inf
    best = NO_UNIT
    for base in range(num_mobile(g), g.unit_end):
        ready = g.type[base] == rules.town_hall and g.unfinished[base] == 0
        if ready and is_own(g, base):
            x = g.x[base] - g.x[i]
            y = g.y[base] - g.y[i]
            distance = x * x + y * y
            if distance < nearest:
                nearest = distance
                best = base
    return best

"""Removal of units that were killed in a fight, on maps without an economy."""

from typing import Any

from sc2impala.sim import combat, orders, units
from sc2impala.sim.compiler import compiled


@compiled
def bury(g: Any) -> None:
    """Removes the units that are dying, between `combat.fight` and `combat.respond`.

    Orders that target them are dropped; a unit that was executing one starts its next order.
    """
    if not g._is_hurt:
        return
    for i in range(g.unit_end):
        if combat.is_dying(g, i):
            units.remove(g, i)
            orders.drop_target(g, i)
            combat.forget(g, i)

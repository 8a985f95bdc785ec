"""Which units player 1 sees."""

from typing import Any

from sc2impala.sim import fog
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import num_mobile


@compiled
def shown(g: Any, rules: Any, i: int) -> bool:
    """Whether player 1 sees unit i: it lives, is not inside a building, nor an enemy in the fog.

    On maps with fog, `fog.refresh` must have been called since units moved.
    """
    if not g.alive[i]:
        return False
    if i < num_mobile(g) and g.inside[i]:
        return False
    return not rules.has_fog or fog.sees(g, rules, i)

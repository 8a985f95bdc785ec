"""Visibility of units for player 1."""

from typing import Any

from sc2impala.sim import fog
from sc2impala.sim.compiler import compiled
from sc2impala.sim.units import num_mobile


@compiled
def num_drawn(g: Any) -> int:
    """Returns the number of slots in the order of drawing."""
    return g.mobile_end + max(g.unit_end - num_mobile(g), 0)


@compiled
def drawn(g: Any, turn: int) -> int:
    """Returns the slot that is drawn after `turn` others.

    Units that can move are drawn over buildings and resources; in 17 of 17 cases a worker on a
    mineral field. [S] OBS Of units of one kind the one in the last slot is on top. [U]
    """
    num_fixed = max(g.unit_end - num_mobile(g), 0)
    return num_mobile(g) + turn if turn < num_fixed else turn - num_fixed


@compiled
def shown(g: Any, rules: Any, i: int) -> bool:
    """Returns whether player 1 sees unit i: alive, not in a building, and no enemy in the fog.

    On maps with fog, `fog.refresh` must have been called since units moved.
    """
    if not g.alive[i]:
        return False
    if i < num_mobile(g) and g.inside[i]:
        return False
    return not rules.has_fog or fog.sees(g, rules, i)

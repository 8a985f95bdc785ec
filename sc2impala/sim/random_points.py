"""Uniform points of a rectangle."""

from typing import Any, Tuple

from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import uniform_at
from sc2impala.sim.geometry import Rectangle

CANDIDATES = 8
"""Points that are drawn at once to find an acceptable one; almost always one of them is."""


@compiled
def candidate(g: Any, region: Rectangle, index: int, count: int) -> Tuple[float, float]:
    """Returns point `index` of the next `count` points, of which all x are drawn before all y.

    The points are drawn by `counter_random.skip(g, 2 * count)` afterwards.
    """
    x = region.left + (region.right - region.left) * uniform_at(g, index)
    y = region.bottom + (region.top - region.bottom) * uniform_at(g, count + index)
    return x, y

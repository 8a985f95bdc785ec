"""Uniform points of a rectangle, also with a minimum distance from each other."""

from typing import Any, Callable, Tuple

from sc2impala.sim.compiler import compiled
from sc2impala.sim.counter_random import skip, uniform_at
from sc2impala.sim.geometry import Rectangle, length

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


_FEWEST_CANDIDATES = 256
_MOST_CANDIDATES = 4096
"""Number of candidate points per attempt: of the first attempt, and the maximum of later ones."""


@compiled
def _is_apart(x: Any, y: Any, point: int, spacing: float) -> bool:
    """Returns whether a point is at least `spacing` away from all points before it."""
    for other in range(point):
        if length(x[point] - x[other], y[point] - y[other]) < spacing:
            return False
    return True


def points_apart(accept: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a compiled function that draws points by rejection sampling.

    The function draws points of a region one after the other. If the first points leave no room for
    the last ones, all points are drawn again. Its arguments are

      g: the game, whose random numbers are drawn.
      x, y: float64 [s], the points; the first `given` ones exist, the others are set.
      given: number of existing points.
      region: a Rectangle; it must have room for the points.
      spacing: minimum distance between two points.

    Args:
      accept: compiled function of g, x and y that returns whether a point is accepted, apart from
        its spacing.
    """

    @compiled
    def draw(g: Any, x: Any, y: Any, given: int, region: Rectangle, spacing: float) -> None:
        size = given
        num_candidates = _FEWEST_CANDIDATES
        while size < len(x):
            size = given
            for index in range(num_candidates):
                if size == len(x):
                    break
                x[size], y[size] = candidate(g, region, index, num_candidates)
                if accept(g, x[size], y[size]) and _is_apart(x, y, size, spacing):
                    size += 1
            skip(g, 2 * num_candidates)
            num_candidates = min(4 * num_candidates, _MOST_CANDIDATES)

    return draw

"""Tours of two walkers that together visit some points, in the least time: a heuristic.

The order comes from insertions, which are then improved until no single change helps.
"""

from typing import NamedTuple

import numpy as np

from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import length

_MAX_ROUNDS = 30
_LEAST_GAIN = 1e-6
_BOTH = 0.5
"""Weight of the shorter tour, next to that of the longer one, which is 1."""


class Tours(NamedTuple):
    """Tours through points [n].

    order: int64 [2, n], the points of each tour in their order.
    number: int64 [2], how many they are.
    distance: float64 [n + 2, n + 2], between points; the last two are the starts.
    total: float64 [2], lengths of the tours, including those before their starts.
    """

    order: np.ndarray
    number: np.ndarray
    distance: np.ndarray
    total: np.ndarray


@compiled
def plan(x: np.ndarray, y: np.ndarray, before: np.ndarray) -> Tours:
    """Returns tours through all points.

    Args:
      x, y: float64 [n + 2], the points, and the starts of both tours.
      before: float64 [2], distance that each walker covers before its start.
    """
    n = len(x) - 2
    distance = np.zeros((n + 2, n + 2))
    for i in range(n + 2):
        for j in range(i):
            distance[i, j] = length(x[i] - x[j], y[i] - y[j])
            distance[j, i] = distance[i, j]
    tours = Tours(
        np.zeros((2, max(n, 1)), np.int64), np.zeros(2, np.int64), distance, before.copy()
    )
    _insert_all(tours, n)
    for _ in range(_MAX_ROUNDS):
        if not (_relocate(tours) or _reverse(tours) or _exchange_tails(tours)):
            break
    return tours


@compiled
def cost(first: float, second: float) -> float:
    """Returns what is minimised: the longer of two lengths, and a share of the shorter one."""
    return max(first, second) + _BOTH * min(first, second)


@compiled
def _at(tours: Tours, tour: int, place: int) -> int:
    """Returns the point at a place of a tour; its start is at place -1, and -1 after its end."""
    if place < 0:
        return len(tours.distance) - 2 + tour
    return tours.order[tour, place] if place < tours.number[tour] else -1


@compiled
def _leg(tours: Tours, point: int, other: int) -> float:
    """Returns the distance between two points, 0 if the second one is -1."""
    return tours.distance[point, other] if other >= 0 else 0.0


@compiled
def _detour(tours: Tours, tour: int, place: int, point: int) -> float:
    """Returns how much longer a tour gets by a point inserted at a place."""
    before, after = _at(tours, tour, place - 1), _at(tours, tour, place)
    return tours.distance[before, point] + _leg(tours, point, after) - _leg(tours, before, after)


@compiled
def _insert(tours: Tours, tour: int, place: int, point: int) -> None:
    tours.total[tour] += _detour(tours, tour, place, point)
    for later in range(tours.number[tour], place, -1):
        tours.order[tour, later] = tours.order[tour, later - 1]
    tours.order[tour, place] = point
    tours.number[tour] += 1


@compiled
def _remove(tours: Tours, tour: int, place: int) -> None:
    point = tours.order[tour, place]
    for later in range(place, tours.number[tour] - 1):
        tours.order[tour, later] = tours.order[tour, later + 1]
    tours.number[tour] -= 1
    tours.total[tour] -= _detour(tours, tour, place, point)


@compiled
def _insert_all(tours: Tours, n: int) -> None:
    """Inserts the points one by one, always the one that costs least."""
    missing = np.ones(max(n, 1), np.uint8)
    for _ in range(n):
        least, best_point, best_tour, best_place = 1e18, 0, 0, 0
        for tour in range(2):
            other = tours.total[1 - tour]
            for place in range(tours.number[tour] + 1):
                for point in range(n):
                    if missing[point]:
                        total = tours.total[tour] + _detour(tours, tour, place, point)
                        if cost(total, other) < least:
                            least = cost(total, other)
                            best_point, best_tour, best_place = point, tour, place
        missing[best_point] = False
        _insert(tours, best_tour, best_place, best_point)


@compiled
def _relocate(tours: Tours) -> bool:
    """Moves a point to the place where it costs least; returns whether any was moved."""
    moved = False
    for tour in range(2):
        place = 0
        while place < tours.number[tour]:
            least = cost(tours.total[0], tours.total[1]) - _LEAST_GAIN
            point = tours.order[tour, place]
            _remove(tours, tour, place)
            best_tour, best_place = tour, place
            for other in range(2):
                for to in range(tours.number[other] + 1):
                    total = tours.total[other] + _detour(tours, other, to, point)
                    if cost(total, tours.total[1 - other]) < least:
                        least = cost(total, tours.total[1 - other])
                        best_tour, best_place = other, to
                        moved = True
            _insert(tours, best_tour, best_place, point)
            place += 1
    return moved


@compiled
def _reverse(tours: Tours) -> bool:
    """Reverses parts of tours that get shorter by it (2-opt); returns whether any did."""
    improved = False
    for tour in range(2):
        for first in range(tours.number[tour] - 1):
            for last in range(first + 1, tours.number[tour]):
                before, after = _at(tours, tour, first - 1), _at(tours, tour, last + 1)
                start, end = tours.order[tour, first], tours.order[tour, last]
                gain = tours.distance[before, start] + _leg(tours, end, after)
                gain -= tours.distance[before, end] + _leg(tours, start, after)
                if gain > _LEAST_GAIN:
                    for i in range((last - first + 1) // 2):
                        swapped = tours.order[tour, first + i]
                        tours.order[tour, first + i] = tours.order[tour, last - i]
                        tours.order[tour, last - i] = swapped
                    tours.total[tour] -= gain
                    improved = True
    return improved


@compiled
def _exchange_tails(tours: Tours) -> bool:
    """Exchanges the ends of both tours if that helps; returns whether it did."""
    now = cost(tours.total[0], tours.total[1]) - _LEAST_GAIN
    lengths = tours.total.copy()
    tail = np.zeros(2)
    for first in range(tours.number[0], -1, -1):
        after = _at(tours, 0, first)
        if first < tours.number[0]:
            tail[0] += _leg(tours, after, _at(tours, 0, first + 1))
        tail[1] = 0.0
        for second in range(tours.number[1], -1, -1):
            other = _at(tours, 1, second)
            if second < tours.number[1]:
                tail[1] += _leg(tours, other, _at(tours, 1, second + 1))
            before, before_other = _at(tours, 0, first - 1), _at(tours, 1, second - 1)
            head = lengths[0] - tail[0] - _leg(tours, before, after)
            head_other = lengths[1] - tail[1] - _leg(tours, before_other, other)
            total = head + _leg(tours, before, other) + tail[1]
            total_other = head_other + _leg(tours, before_other, after) + tail[0]
            if cost(total, total_other) < now:
                _swap_tails(tours, first, second)
                tours.total[0], tours.total[1] = total, total_other
                return True
    return False


@compiled
def _swap_tails(tours: Tours, first: int, second: int) -> None:
    old = tours.order.copy()
    number, number_other = tours.number[0], tours.number[1]
    for i in range(number_other - second):
        tours.order[0, first + i] = old[1, second + i]
    for i in range(number - first):
        tours.order[1, second + i] = old[0, first + i]
    tours.number[0] = first + number_other - second
    tours.number[1] = second + number - first

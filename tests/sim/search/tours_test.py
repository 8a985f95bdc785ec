"""Tours against all tours."""

import itertools

import numpy as np
import pytest

from sc2impala.sim.search import tours as tours_lib


def way(points, start, order):
    path = [start] + [points[i] for i in order]
    return sum(np.hypot(*np.subtract(a, b)) for a, b in zip(path, path[1:]))


def least_cost(points, starts, before):
    """The cost of the best of all tours."""
    best = np.inf
    n = len(points)
    for order in itertools.permutations(range(n)):
        for cut in range(n + 1):
            first = before[0] + way(points, starts[0], order[:cut])
            second = before[1] + way(points, starts[1], order[cut:])
            best = min(best, tours_lib.cost(first, second))
    return best


def plan(points, starts, before):
    x, y = np.concatenate([points, starts]).T
    return tours_lib.plan(np.ascontiguousarray(x), np.ascontiguousarray(y), np.array(before))


def test_tours_visit_all_points_once_and_know_their_lengths():
    random = np.random.RandomState(0)
    for n in (0, 1, 2, 20):
        points, starts = random.uniform(0, 20, [n, 2]), random.uniform(0, 20, [2, 2])
        found = plan(points, starts, [1.0, 2.0])
        visited = [found.order[tour, : found.number[tour]] for tour in range(2)]
        assert sorted(np.concatenate(visited)) == list(range(n))
        for tour, before in enumerate([1.0, 2.0]):
            expected = before + way(points, starts[tour], visited[tour])
            assert found.total[tour] == pytest.approx(expected)


def test_tours_are_nearly_the_best_ones():
    random = np.random.RandomState(1)
    ratios = []
    for _ in range(10):
        points, starts = random.uniform(0, 20, [5, 2]), random.uniform(0, 20, [2, 2])
        before = random.uniform(0, 5, 2)
        found = plan(points, starts, before)
        ratios.append(tours_lib.cost(*found.total) / least_cost(points, starts, before))
    assert min(ratios) > 1 - 1e-9 and np.mean(ratios) < 1.05

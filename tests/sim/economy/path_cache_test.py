import numpy as np
import pytest

from sc2impala.sim.economy import path_cache, path_finding

AREA = np.zeros([64, 64], bool)
AREA[19:37, 20:46] = True


@pytest.fixture
def grid():
    return path_finding.PathingGrid(AREA)


@pytest.fixture
def cache(grid):
    return path_cache.PathCache(grid)


def cells(grid, *points):
    return grid.numbers(np.array(points, float).T + 0.5)


def wall(column, gap=None):
    """Everything outside of the area and one column of it, with a gap of one cell, is covered."""
    taken = ~AREA
    taken[:, column] = True
    if gap is not None:
        taken[gap, column] = False
    return taken


def states(cache, *walls):
    return np.array([cache.state(bytes([index]), each) for index, each in enumerate(walls)])


def test_states_are_told_apart_by_name(cache):
    first, second = states(cache, wall(30), wall(31))
    assert first != second
    assert cache.state(bytes([0]), wall(30)) == first


def test_whether_paths_exist(cache, grid):
    both = states(cache, wall(30), wall(30, gap=25))
    here, there = cells(grid, (25, 25), (25, 25)), cells(grid, (35, 25), (35, 25))
    assert cache.exist(both, here, there).tolist() == [False, True]
    assert cache.exist(both, here, cells(grid, (30, 25), (30, 25))).tolist() == [False, True]
    assert cache.are_free(both, cells(grid, (30, 25), (30, 25))).tolist() == [False, True]


def test_paths_use_the_gap_of_their_own_state(cache, grid):
    both = states(cache, wall(30, gap=20), wall(30, gap=35))
    here, there = cells(grid, (25, 27), (25, 27)), cells(grid, (35, 27), (35, 27))
    for _ in range(2):
        found = cache.to_cells(both, here, there)
        for path, gap in zip(found.T, [(30, 20), (30, 35)]):
            assert cells(grid, gap)[0] in path
            assert (path[0], path[-1]) == (here[0], there[0])


def test_a_path_to_the_nearest_of_several(cache, grid):
    (state,) = states(cache, wall(30, gap=20))
    goals = np.zeros([grid.size], bool)
    goals[cells(grid, (31, 20), (21, 36))] = True
    (start,) = cells(grid, (29, 22))
    assert cache.to_any(state, start, goals)[-1] == cells(grid, (31, 20))[0]
    (closed,) = [cache.state(b'closed', wall(30))]
    assert cache.to_any(closed, start, goals)[-1] == cells(grid, (21, 36))[0]
    goals[cells(grid, (21, 36))] = False
    assert cache.to_any(closed, start, goals).tolist() == [start]


def test_the_nearest_reachable_cell_is_on_the_same_side(cache, grid):
    (state,) = states(cache, wall(30))
    (start,) = cells(grid, (21, 36))
    for _ in range(2):
        nearest = cache.nearest(state, start, np.array([40.2, 25.7]))
        assert nearest == cells(grid, (29, 25))[0]


def test_a_full_cache_is_cleared_and_filled_again(cache, grid, monkeypatch):
    monkeypatch.setattr(path_cache, 'MAX_TABLES', 3)
    (state,) = states(cache, wall(30, gap=20))
    every = cells(grid, *[(35, y) for y in range(20, 30)])
    start = np.full([10], cells(grid, (25, 27))[0])
    found = cache.to_cells(np.full([10], state), start, every)
    cache.tidy()
    assert cache.state(b'other', wall(31)) == 0
    again = cache.state(bytes([0]), wall(30, gap=20))
    assert again == 1
    np.testing.assert_array_equal(cache.to_cells(np.full([10], again), start, every), found)

import collections

import numpy as np
import pytest

from sc2impala.sim.economy import routes


def lattice():
    area = np.zeros([64, 64], bool)
    area[19:37, 20:46] = True
    return routes.Lattice(area), area


def random_maze(seed, share=0.35):
    grid, area = lattice()
    taken = np.random.RandomState(seed).rand(64, 64) < share
    return grid, area & ~taken


def neighbours(free, x, y):
    """Cells that can be reached in a step, across corners too."""
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if free[y + dy, x + dx] and free[y + dy, x] and free[y, x + dx]:
                yield x + dx, y + dy


def flood(free, start):
    """Slow search: all cells that can be reached."""
    seen, queue = {start}, collections.deque([start])
    while queue:
        for cell in neighbours(free, *queue.popleft()):
            if cell not in seen:
                seen.add(cell)
                queue.append(cell)
    return seen


def cell_of(grid, bit):
    x, y = grid.middles((bit,))[:, 0]
    return int(x), int(y)


def bit_of(grid, cell):
    return grid.bit(np.array(cell) + 0.5)


def test_cells_have_numbers():
    grid, area = lattice()
    rows, columns = np.nonzero(area)
    bits = [bit_of(grid, cell) for cell in zip(columns, rows)]
    assert len(set(bits)) == len(bits) == 26 * 18
    np.testing.assert_array_equal(grid.middles(tuple(bits)), np.stack([columns, rows]) + 0.5)
    assert grid.pack(area) == sum(1 << bit for bit in bits)


@pytest.mark.parametrize(
    'point, cell', [((10, 10), (20, 19)), ((60, 60), (45, 36)), ((19.95, 30), (20, 30))]
)
def test_points_outside_are_in_the_nearest_cell(point, cell):
    grid, _ = lattice()
    assert cell_of(grid, grid.bit(np.array(point, float))) == cell


@pytest.mark.parametrize('seed', range(20))
def test_ways_exist_where_a_slow_search_finds_them_and_every_step_is_allowed(seed):
    grid, free = random_maze(seed)
    packed = grid.pack(free)
    rows, columns = np.nonzero(free)
    cells = list(zip(columns.tolist(), rows.tolist()))
    random = np.random.RandomState(seed)
    start = cells[random.randint(len(cells))]
    seen = flood(free, start)
    assert routes.reachable(packed, grid.stride, bit_of(grid, start)) == sum(
        1 << bit_of(grid, cell) for cell in seen
    )
    for index in random.randint(len(cells), size=20):
        goal = cells[index]
        way = routes.path(packed, grid.stride, bit_of(grid, start), 1 << bit_of(grid, goal))
        assert bool(way) == (goal in seen)
        found = [cell_of(grid, bit) for bit in way]
        if found:
            assert (found[0], found[-1]) == (start, goal)
        for cell, after in zip(found, found[1:]):
            assert after in neighbours(free, *cell)


def length(grid, way):
    x, y = grid.middles(way)
    return np.hypot(np.diff(x), np.diff(y)).sum()


@pytest.mark.parametrize('goal', [(40, 20), (40, 30), (21, 36), (45, 36)])
def test_ways_across_open_ground_are_nearly_straight(goal):
    grid, area = lattice()
    way = routes.path(grid.pack(area), grid.stride, bit_of(grid, (21, 20)), 1 << bit_of(grid, goal))
    straight = np.hypot(goal[0] - 21, goal[1] - 20)
    assert straight <= length(grid, way) <= 1.13 * straight


def test_of_several_goals_the_nearest_is_reached():
    grid, area = lattice()
    goals = [(25, 25), (30, 30), (22, 30)]
    packed = sum(1 << bit_of(grid, goal) for goal in goals)
    way = routes.path(grid.pack(area), grid.stride, bit_of(grid, (24, 22)), packed)
    assert cell_of(grid, way[-1]) == (25, 25)


def test_who_is_there_need_not_go():
    grid, area = lattice()
    bit = bit_of(grid, (30, 30))
    assert routes.path(grid.pack(area), grid.stride, bit, 1 << bit) == (bit,)


def test_nearest_cell_of_a_set():
    grid, area = lattice()
    cells = sum(1 << bit_of(grid, cell) for cell in [(25, 25), (30, 30)])
    assert cell_of(grid, routes.nearest(grid, cells, np.array([29.0, 29.0]))) == (30, 30)
    assert routes.nearest(grid, 0, np.array([29.0, 29.0])) is None
    assert routes.members(cells) == sorted(bit_of(grid, cell) for cell in [(25, 25), (30, 30)])

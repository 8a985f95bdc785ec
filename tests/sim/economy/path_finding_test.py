import collections

import numpy as np
import pytest

from sc2impala.sim.economy import path_finding


def make_grid():
    area = np.zeros([64, 64], bool)
    area[19:37, 20:46] = True
    return path_finding.PathingGrid(area), area


def random_maze(seed, share=0.35):
    grid, area = make_grid()
    taken = np.random.RandomState(seed).rand(64, 64) < share
    return grid, area & ~taken


def neighbours(free, x, y):
    """Cells that can be reached in one step, including diagonal steps."""
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if free[y + dy, x + dx] and free[y + dy, x] and free[y, x + dx]:
                yield x + dx, y + dy


def flood(free, start):
    """All reachable cells, by a slow search."""
    seen, queue = {start}, collections.deque([start])
    while queue:
        for cell in neighbours(free, *queue.popleft()):
            if cell not in seen:
                seen.add(cell)
                queue.append(cell)
    return seen


def cell_of(grid, number):
    x, y = grid.middles(np.array(number))
    return int(x), int(y)


def number_of(grid, cell):
    return int(grid.numbers(np.array(cell)[:, None] + 0.5)[0])


def mask_of(grid, cells):
    mask = np.zeros([grid.size], bool)
    mask[[number_of(grid, cell) for cell in cells]] = True
    return mask


def path_between(grid, free, start, goals):
    """The cells of the path from one cell to the nearest goal; stops where no path exists."""
    packed = grid.pack(free)[None]
    distance = path_finding.distances(packed, mask_of(grid, goals)[None], grid.stride)
    table = path_finding.next_cells(packed, distance, grid.stride)
    return path_finding.follow(table, np.array([0]), np.array([number_of(grid, start)]))[:, 0]


def test_cells_have_numbers():
    grid, area = make_grid()
    rows, columns = np.nonzero(area)
    numbers = grid.numbers(np.stack([columns, rows]) + 0.5)
    assert len(set(numbers)) == 26 * 18
    np.testing.assert_array_equal(grid.middles(numbers), np.stack([columns, rows]) + 0.5)
    packed = grid.pack(area)
    assert packed.shape == (grid.size,)
    np.testing.assert_array_equal(np.flatnonzero(packed), np.sort(numbers))


@pytest.mark.parametrize(
    'point, cell', [((10, 10), (20, 19)), ((60, 60), (45, 36)), ((19.95, 30), (20, 30))]
)
def test_points_outside_are_in_the_nearest_cell(point, cell):
    grid, _ = make_grid()
    assert cell_of(grid, grid.numbers(np.array(point, float)[:, None])[0]) == cell


@pytest.mark.parametrize('seed', range(20))
def test_ways_exist_where_a_slow_search_finds_them_and_every_step_is_allowed(seed):
    grid, free = random_maze(seed)
    rows, columns = np.nonzero(free)
    cells = list(zip(columns.tolist(), rows.tolist()))
    random = np.random.RandomState(seed)
    start = cells[random.randint(len(cells))]
    seen = flood(free, start)
    region = path_finding.regions(grid.pack(free), grid.stride)
    same = region == region[number_of(grid, start)]
    np.testing.assert_array_equal(same, mask_of(grid, seen))
    assert not region[~grid.pack(free)].any()
    for index in random.randint(len(cells), size=20):
        goal = cells[index]
        found = [cell_of(grid, number) for number in path_between(grid, free, start, [goal])]
        assert found[0] == start
        if goal in seen:
            assert found[-1] == goal
        else:
            assert found == [start]
        for cell, after in zip(found, found[1:]):
            assert after in neighbours(free, *cell)


def test_several_searches_are_as_each_alone():
    mazes = [random_maze(seed) for seed in range(3)]
    grid = mazes[0][0]
    free = np.stack([grid.pack(free) for _, free in mazes])
    goals = np.zeros_like(free)
    for row, cell in enumerate([30, 200, 250]):
        goals[row, np.flatnonzero(free[row])[cell]] = True
    together = path_finding.distances(free, goals, grid.stride)
    tables = path_finding.next_cells(free, together, grid.stride)
    for row in range(3):
        alone = path_finding.distances(free[[row]], goals[[row]], grid.stride)
        np.testing.assert_array_equal(together[row], alone[0])
        table = path_finding.next_cells(free[[row]], alone, grid.stride)
        np.testing.assert_array_equal(tables[row], table[0])
    assert len(set(map(bytes, tables))) == 3


def test_ways_of_several_units_follow_their_own_tables_and_wait_for_each_other():
    tables = np.array([[0, 0, 1, 2], [1, 2, 3, 3]], np.int16)
    paths = path_finding.follow(tables, np.array([0, 1, 0]), np.array([2, 0, 0]))
    assert paths.T.tolist() == [[2, 1, 0, 0], [0, 1, 2, 3], [0, 0, 0, 0]]


def length(grid, path):
    x, y = grid.middles(path)
    return np.hypot(np.diff(x), np.diff(y)).sum()


@pytest.mark.parametrize('goal', [(40, 20), (40, 30), (21, 36), (45, 36)])
def test_ways_across_open_ground_are_nearly_straight(goal):
    grid, area = make_grid()
    path = path_between(grid, area, (21, 20), [goal])
    straight = np.hypot(goal[0] - 21, goal[1] - 20)
    assert straight <= length(grid, path) <= 1.13 * straight


def test_of_several_goals_the_nearest_is_reached():
    grid, area = make_grid()
    path = path_between(grid, area, (24, 22), [(25, 25), (30, 30), (22, 30)])
    assert cell_of(grid, path[-1]) == (25, 25)


def test_a_path_from_a_goal_stays_there():
    grid, area = make_grid()
    assert list(path_between(grid, area, (30, 30), [(30, 30)])) == [number_of(grid, (30, 30))]


def test_no_path_cuts_a_covered_corner():
    grid, area = make_grid()
    area[25, 30:46] = area[19:25, 29] = False
    path = [cell_of(grid, number) for number in path_between(grid, area, (30, 24), [(29, 25)])]
    assert path == [(30, 24)]
    area[24, 29] = True
    path = [cell_of(grid, number) for number in path_between(grid, area, (30, 24), [(29, 25)])]
    assert path == [(30, 24), (29, 24), (29, 25)]

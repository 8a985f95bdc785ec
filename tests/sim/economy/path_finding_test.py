import collections

import numpy as np
import pytest

from sc2impala.sim.economy import path_finding
from sc2impala.sim.economy.path_finding import NUM_CELLS

AREA = np.zeros([64, 64], bool)
AREA[19:37, 20:46] = True


def random_maze(seed, share=0.35):
    return AREA & (np.random.RandomState(seed).rand(64, 64) >= share)


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


def cell_of(number):
    return int(path_finding.middle_x(number)), int(path_finding.middle_y(number))


def number_of(cell):
    return path_finding.cell_of(*cell)


def regions(free):
    region = np.full([NUM_CELLS], 99, np.int16)
    scratch = np.zeros([NUM_CELLS], np.int16)
    path_finding.find_regions((~free).astype(np.uint8), region, scratch)
    return region


def distances(region, goals, start):
    distance, queue = np.full([2, NUM_CELLS], 99, np.int16)
    queue[: len(goals)] = [number_of(goal) for goal in goals]
    path_finding.find_distances(region, distance, queue, len(goals), number_of(start))
    return distance


def path_between(free, start, goals):
    """The cells of the path from one cell to the nearest goal; stops where no path exists."""
    region = regions(free)
    path = np.full([NUM_CELLS], -1, np.int16)
    length = path_finding.follow(region, distances(region, goals, start), number_of(start), path)
    return [cell_of(number) for number in path[:length]]


def test_cells_have_numbers():
    rows, columns = np.nonzero(AREA)
    cells = list(zip(columns.tolist(), rows.tolist()))
    numbers = [path_finding.cell_at(x + 0.5, y + 0.5) for x, y in cells]
    assert len(set(numbers)) == 26 * 18
    assert numbers == [number_of(cell) for cell in cells]
    assert [cell_of(number) for number in numbers] == cells
    assert list(np.flatnonzero(regions(AREA))) == sorted(numbers)


@pytest.mark.parametrize(
    'point, cell', [((10.0, 10.0), (20, 19)), ((60.0, 60.0), (45, 36)), ((19.95, 30.0), (20, 30))]
)
def test_points_outside_are_in_the_nearest_cell(point, cell):
    assert cell_of(path_finding.cell_at(*point)) == cell


def test_ways_exist_where_a_slow_search_finds_them_and_every_step_is_allowed():
    for seed in range(20):
        free = random_maze(seed)
        rows, columns = np.nonzero(free)
        cells = list(zip(columns.tolist(), rows.tolist()))
        random = np.random.RandomState(seed)
        start = cells[random.randint(len(cells))]
        seen = flood(free, start)
        region = regions(free)
        same = np.flatnonzero(region == region[number_of(start)])
        assert set(same) == {number_of(cell) for cell in seen}
        assert np.count_nonzero(region) == len(cells)
        for index in random.randint(len(cells), size=20):
            goal = cells[index]
            found = path_between(free, start, [goal])
            assert found[0] == start
            if goal in seen:
                assert found[-1] == goal
            else:
                assert found == [start]
            for cell, after in zip(found, found[1:]):
                assert after in neighbours(free, *cell)


def levels(free, goals):
    """Distances by the definition: all cells that the cells of all smaller steps reach."""
    distance = dict.fromkeys(goals, 0)
    step, grows = 0, True
    while grows:
        step += 1
        new = set()
        for x, y in distance:
            for cell in neighbours(free, x, y):
                straight = cell[0] == x or cell[1] == y
                if cell not in distance and (straight or step % 2 == 0):
                    new.add(cell)
        distance.update((cell, step) for cell in new)
        grows = bool(new)
    return distance


@pytest.mark.parametrize('seed', range(5))
def test_diagonal_steps_are_allowed_in_every_second_step(seed):
    free = random_maze(seed, share=0.2)
    rows, columns = np.nonzero(free)
    goals = [(int(columns[i]), int(rows[i])) for i in (0, 100, 200)]
    expected = np.full([NUM_CELLS], path_finding.NO_PATH)
    for cell, step in levels(free, goals).items():
        expected[number_of(cell)] = step
    for place in range(0, len(rows), 20):
        start = int(columns[place]), int(rows[place])
        found = distances(regions(free), goals, start)
        steps = expected[number_of(start)]
        assert found[number_of(start)] == steps
        nearer = expected < steps
        np.testing.assert_array_equal(found[nearer], expected[nearer])
        known = found < path_finding.UNKNOWN
        np.testing.assert_array_equal(found[known], expected[known])


def test_cells_without_a_path_are_told_from_cells_that_were_not_reached():
    free = AREA.copy()
    free[:, 30] = False
    goal, near, far, behind = (25, 25), (26, 25), (20, 36), (40, 25)
    found = distances(regions(free), [goal], near)
    assert found[number_of(near)] == 1
    assert found[number_of(far)] == path_finding.UNKNOWN
    assert found[number_of((30, 25))] == path_finding.NO_PATH
    found = distances(regions(free), [goal], behind)
    assert found[number_of(behind)] == path_finding.NO_PATH
    assert found[number_of(far)] < path_finding.UNKNOWN


def length(path):
    x, y = np.array(path).T
    return np.hypot(np.diff(x), np.diff(y)).sum()


@pytest.mark.parametrize('goal', [(40, 20), (40, 30), (21, 36), (45, 36)])
def test_ways_across_open_ground_are_nearly_straight(goal):
    path = path_between(AREA, (21, 20), [goal])
    straight = np.hypot(goal[0] - 21, goal[1] - 20)
    assert straight <= length(path) <= 1.13 * straight


def test_of_several_goals_the_nearest_is_reached():
    assert path_between(AREA, (24, 22), [(25, 25), (30, 30), (22, 30)])[-1] == (25, 25)


def test_a_path_from_a_goal_stays_there():
    assert path_between(AREA, (30, 30), [(30, 30)]) == [(30, 30)]


def test_a_path_from_a_covered_cell_stays_there():
    free = AREA.copy()
    free[30, 30] = False
    assert path_between(free, (30, 30), [(31, 30)]) == [(30, 30)]


def test_no_path_cuts_a_covered_corner():
    free = AREA.copy()
    free[25, 30:46] = free[19:25, 29] = False
    assert path_between(free, (30, 24), [(29, 25)]) == [(30, 24)]
    free[24, 29] = True
    assert path_between(free, (30, 24), [(29, 25)]) == [(30, 24), (29, 24), (29, 25)]

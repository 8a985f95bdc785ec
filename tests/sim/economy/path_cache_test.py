import numpy as np
import pytest

from sc2impala.sim import unit_types
from sc2impala.sim.economy import path_cache, path_finding
from sc2impala.sim.economy.path_finding import cell_of
from tests.sim.economy import sites


@pytest.fixture
def site():
    return sites.Site()


def wall(site, column, gap=None):
    """Clears the ground, and covers one column of it, with a gap of one cell."""
    site.g.taken[:] = False
    site.g.taken[:, column] = True
    if gap is not None:
        site.g.taken[gap, column] = False
    path_cache.forget(site.g)


def path(site, start, goal):
    length = path_cache.path_to_cell(site.g, cell_of(*start), cell_of(*goal))
    return site.g._path[:length].tolist()


def path_beside(site, start, slot):
    length = path_cache.path_beside(site.g, site.rules, cell_of(*start), slot)
    return site.g._path[:length].tolist()


def test_whether_paths_exist(site):
    here, there, gap = cell_of(25, 25), cell_of(35, 25), cell_of(30, 25)
    wall(site, 30)
    assert not path_cache.exists(site.g, here, there)
    assert not path_cache.exists(site.g, here, gap)
    assert not path_cache.exists(site.g, gap, gap)
    assert not path_cache.is_free(site.g, gap)
    wall(site, 30, gap=25)
    assert path_cache.exists(site.g, here, there)
    assert path_cache.exists(site.g, here, gap)
    assert path_cache.is_free(site.g, gap)


def test_paths_use_the_gap_of_the_current_ground(site):
    for gap in (20, 35):
        wall(site, 30, gap=gap)
        for _ in range(2):
            found = path(site, (25, 27), (35, 27))
            assert cell_of(30, gap) in found
            assert (found[0], found[-1]) == (cell_of(25, 27), cell_of(35, 27))


def test_paths_to_more_goals_than_the_cache_holds(site):
    wall(site, 30, gap=20)
    goals = [(x, y) for x in range(32, 36) for y in range(20, 30)]
    assert len(goals) > path_cache.NUM_ROUTES
    for _ in range(2):
        for goal in goals:
            assert path(site, (25, 27), goal)[-1] == cell_of(*goal)
    # Goals that are still in the cache.
    for goal in goals[::-1]:
        assert path(site, (40, 27), goal)[-1] == cell_of(*goal)


def test_a_path_to_the_nearest_side_of_a_building(site):
    command_center = site.slot_of[sites.COMMAND_CENTER]
    assert path_beside(site, (36, 26), command_center)[-1] == cell_of(33, 26)
    assert path_beside(site, (26, 29), command_center)[-1] == cell_of(27, 29)
    assert path_beside(site, (33, 26), command_center) == [cell_of(33, 26)]
    # Cells at its corners do not touch a side.
    assert path_beside(site, (33, 24), command_center) != [cell_of(33, 24)]


def test_without_a_way_there_is_no_path_beside_a_building(site):
    command_center = site.slot_of[sites.COMMAND_CENTER]
    wall(site, 35)
    site.g.taken[25:30, 28:33] = True
    assert path_beside(site, (38, 27), command_center) == []
    assert path_beside(site, (34, 27), command_center)[-1] == cell_of(33, 27)


def test_buildings_have_goals_of_their_own(site):
    depots = [site.put(unit_types.SUPPLY_DEPOT, *point) for point in [(36, 22), (36, 32)]]
    for _ in range(2):
        assert path_beside(site, (36, 27), depots[0])[-1] in (cell_of(35, 23), cell_of(36, 23))
        assert path_beside(site, (36, 27), depots[1])[-1] in (cell_of(35, 30), cell_of(36, 30))


def test_the_nearest_reachable_cell_is_on_the_same_side(site):
    wall(site, 30)
    assert path_cache.nearest(site.g, cell_of(21, 36), 40.2, 25.7) == cell_of(29, 25)


def test_the_nearest_cell_is_that_of_a_search_of_all_cells(site):
    random = np.random.RandomState(0)
    for _ in range(12):
        site.g.taken[:] = random.rand(64, 64) < 0.6
        path_cache.forget(site.g)
        cell = cell_of(30, 28)
        site.g.taken[28, 30] = False
        path_cache.is_free(site.g, cell)
        same = np.flatnonzero(site.g._region == site.g._region[cell])
        x, y = random.uniform(20, 46), random.uniform(19, 37)
        if random.rand() < 0.5:  # Ties.
            x, y = np.floor(x) + 0.5, np.floor(y) + 0.5
        across, along = path_finding.middle_x(same) - x, path_finding.middle_y(same) - y
        expected = same[(across * across + along * along).argmin()]
        assert path_cache.nearest(site.g, cell, x, y) == expected


def test_a_route_that_is_extended_gives_the_same_paths(site):
    wall(site, 30, gap=20)
    starts = [(29, 21), (25, 27), (22, 35), (33, 22), (44, 30)]
    extended = [path(site, start, (31, 20)) for start in starts]
    for start, found in zip(starts, extended):
        path_cache.forget(site.g)
        assert path(site, start, (31, 20)) == found


def test_the_cache_is_cleared_when_the_ground_changes(site):
    before = path(site, (36, 20), (36, 30))
    site.put(unit_types.BARRACKS, 36.5, 25.5)
    after = path(site, (36, 20), (36, 30))
    assert cell_of(36, 25) in before
    assert not set(after) & {cell_of(x, y) for x in (35, 36, 37) for y in (24, 25, 26)}
    assert np.count_nonzero(site.g._route_key >= 0) == 1

import numpy as np
import pytest

from sc2impala.sim import orders, unit_types
from sc2impala.sim.economy import navigation
from tests.sim.economy import sites

CENTRE = np.array(sites.COMMAND_CENTER)


@pytest.fixture
def site():
    return sites.Site()


def walk(site, slot, goal, limit=1500):
    """Sends a unit to a point; returns its positions until it stands."""
    site.order(slot, orders.MOVE, *goal)
    offset = [site.where(slot)]

    def stands():
        offset.append(site.where(slot))
        return site.order_kind(slot) == orders.IDLE

    site.run_until(stands, limit)
    return np.array(offset).T


def length(offset):
    return np.hypot(*np.diff(offset, axis=1)).sum()


def depth(site, offset):
    """The maximum depth of positions inside of obstacles."""
    x, y = offset[:, :, None]
    low = np.minimum(x - site.g.low_x, y - site.g.low_y)
    high = np.minimum(site.g.high_x - x, site.g.high_y - y)
    return np.minimum(low, high).max()


def approach(site, slot, target):
    x, y, at_edge, exists = navigation.approach(site.g, site.rules, slot, target)
    return (x, y), at_edge, exists


def test_with_nothing_in_between_units_walk_straight(site):
    marine = site.put(unit_types.MARINE, 34, 22)
    offset = walk(site, marine, (38, 30))
    assert tuple(offset[:, -1]) == (38, 30)
    assert length(offset) == pytest.approx(np.hypot(4, 8))


def test_units_walk_around_a_building(site):
    marine = site.put(unit_types.MARINE, 26.5, 27.5)
    offset = walk(site, marine, (34.5, 27.6))
    assert tuple(offset[:, -1]) == (34.5, 27.6)
    assert depth(site, offset) < 0.01
    shortest = 2 * np.hypot(1.125, 2.8) + 5.75
    assert shortest - 0.1 < length(offset) < 1.2 * shortest


def test_units_find_out_of_a_pocket(site):
    site.wall((36, 23), (38, 23), (40, 23), (40, 25), (40, 27), (38, 29), (36, 29), (40, 29))
    marine = site.put(unit_types.MARINE, 38, 26)
    offset = walk(site, marine, (43.5, 24.5))
    assert tuple(offset[:, -1]) == (43.5, 24.5)
    assert depth(site, offset) < 0.01


def test_units_pass_between_buildings_that_are_a_cell_apart(site):
    site.wall(*[(35, y) for y in (20, 22, 24)], *[(35, y) for y in (27, 29, 31, 33, 35)])
    marine = site.put(unit_types.MARINE, 38, 30)
    offset = walk(site, marine, (33.2, 31))
    assert tuple(offset[:, -1]) == (33.2, 31)
    assert depth(site, offset) < 0.01


def test_units_walk_to_the_nearest_reachable_point(site):
    site.wall(*[(35, y) for y in range(20, 37, 2)])
    marine = site.put(unit_types.MARINE, 39, 28)
    offset = walk(site, marine, (31, 34))
    assert depth(site, offset) < 0.01
    np.testing.assert_array_equal(offset[:, -1], (36.5, 33.5))


@pytest.mark.parametrize('start', [(36, 27), (30, 21), (26.5, 27), (36, 33)])
def test_units_sent_into_a_building_stop_beside_it(site, start):
    marine = site.put(unit_types.MARINE, *start)
    offset = walk(site, marine, (30.5, 27.4))
    assert depth(site, offset) < 0.01
    assert np.abs(offset[:, -1] - CENTRE).max() <= 3.01


def test_units_sent_to_the_edge_of_a_building_stop_in_the_next_cell(site):
    marine = site.put(unit_types.MARINE, 38, 27)
    offset = walk(site, marine, (33.1, 27.2))
    np.testing.assert_array_equal(offset[:, -1], (33.5, 27.5))


def test_units_walk_around_a_new_building(site):
    marine = site.put(unit_types.MARINE, 38, 27.5)
    site.order(marine, orders.MOVE, 36.4, 20)
    site.run(5)
    site.put(unit_types.BARRACKS, 38.5, 23.5)
    offset = [site.where(marine)]

    def stands():
        offset.append(site.where(marine))
        return site.order_kind(marine) == orders.IDLE

    site.run_until(stands, 200)
    assert site.where(marine) == (36.4, 20)
    assert depth(site, np.array(offset).T) < 0.01


def test_a_new_order_on_a_detour_is_obeyed(site):
    marine = site.put(unit_types.MARINE, 26.5, 27.5)
    site.order(marine, orders.MOVE, 34.5, 27.5)
    site.run(5)
    assert site.g.detour[marine]
    offset = walk(site, marine, (26, 27.5))
    assert tuple(offset[:, -1]) == (26, 27.5)
    assert length(offset) < 1.5


def test_a_patrol_walks_around_on_both_of_its_ways(site):
    marine = site.put(unit_types.MARINE, 26.5, 27.5)
    site.order(marine, orders.PATROL, 34.5, 27.5)
    offset = []
    for _ in range(400):
        offset.append(site.where(marine))
        site.run(1)
    offset = np.array(offset).T
    assert depth(site, offset) < 0.01
    ends = (np.abs(offset[1] - 27.5) < 1e-9) & ((offset[0] == 26.5) | (offset[0] == 34.5))
    turns = offset[0, ends]
    assert list(turns[np.append(True, np.diff(turns) != 0)][:4]) == [26.5, 34.5, 26.5, 34.5]


@pytest.mark.long
def test_a_crowd_gets_around_a_corner_and_through_a_gap(site):
    site.wall(*[(35, y) for y in (20, 22, 24)], *[(35, y) for y in (27, 29, 31, 33, 35)])
    marines = [site.put(unit_types.MARINE, 37 + i % 4, 22 + i // 4) for i in range(16)]
    for marine in marines:
        site.order(marine, orders.MOVE, 31, 22.5)
    deepest = 0
    for _ in range(500):
        site.run(1)
        deepest = max(deepest, depth(site, site.points(marines)))
    x, y = site.points(marines)
    assert (x < 34).all()
    assert np.hypot(x - 31, y - 22.5).max() < 4
    assert deepest < 0.3
    assert not site.g.detour.any()


def test_two_idle_units_do_not_stay_beside_each_other_where_there_is_room_for_one(site):
    site.wall(*[(35, y) for y in range(20, 37, 2)], *[(38, y) for y in range(20, 33, 2)])
    marines = [site.put(unit_types.MARINE, x, 26.5) for x in (36.3, 36.7)]
    site.run(100)
    there = site.points(marines)
    assert depth(site, there) < 0.002
    assert np.hypot(*(there[:, 0] - there[:, 1])) >= 0.749
    site.run(20)
    np.testing.assert_allclose(site.points(marines), there)
    assert site.g.solid[marines].all()


def test_a_unit_with_a_free_way_approaches_the_edge_of_its_target(site):
    scv = site.put(unit_types.SCV, 36, 27.5)
    point, at_edge, exists = approach(site, scv, site.slot_of[sites.COMMAND_CENTER])
    assert (point, at_edge, exists) == ((33.375, 27.5), True, True)


def test_a_unit_approaches_a_target_behind_an_obstacle_in_several_legs(site):
    scv = site.put(unit_types.SCV, 34.5, 27.5)
    target = site.slot_of[(23.0, 26.5)]
    offset, at_edge = [site.where(scv)], False
    while not at_edge:
        point, at_edge, exists = approach(site, scv, target)
        assert exists
        offset.append(point)
        site.g.x[scv], site.g.y[scv] = point
        assert len(offset) < 9
    assert len(offset) > 3
    legs = [np.linspace(*leg, 50) for leg in zip(offset, offset[1:])]
    assert depth(site, np.concatenate(legs).T) < 0.01
    away = np.abs(np.array(offset[-1]) - (23, 26.5)) - (1.375, 0.875)
    assert away.max() == pytest.approx(0)


def test_a_unit_inside_an_obstacle_walks_out_first(site):
    scv = site.put(unit_types.SCV, 32.8, 25.2)
    assert approach(site, scv, site.slot_of[(43.0, 26.5)]) == ((32.5, 24.5), False, True)


def test_a_target_behind_a_wall_cannot_be_approached(site):
    site.wall(*[(35, y) for y in range(20, 37, 2)])
    scv = site.put(unit_types.SCV, 38, 27.5)
    assert approach(site, scv, site.slot_of[(23.0, 28.5)]) == ((38, 27.5), False, False)


def test_new_units_have_no_path(site):
    marine = site.put(unit_types.MARINE, 26.5, 27.5)
    site.order(marine, orders.MOVE, 34.5, 27.5)
    site.run(5)
    assert np.isfinite(site.g.path_goal_x[marine])
    site.g.pressed[marine], site.g.tries[marine], site.g.slips_until[marine] = 1, 2, 3
    navigation.forget(site.g, marine)
    fields = ('path_goal_x', 'path_goal_y', 'pressed', 'tries', 'slips_until')
    assert [site.g[name][marine] for name in fields] == [np.inf, np.inf, 0, 0, 0]

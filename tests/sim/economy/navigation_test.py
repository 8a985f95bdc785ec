import numpy as np
import pytest

from sc2impala.sim import orders, unit_types
from tests.sim.economy import helpers

SPEED = 2.25 / 16
CENTRE = np.array(helpers.COMMAND_CENTER)


@pytest.fixture
def base():
    return helpers.Base()


def walk(base, slot, goal, limit=1500):
    """Sends a unit to a point; returns its positions until it stands."""
    base.order(slot, orders.MOVE, *goal)
    offset = [base.where(slot)]

    def stands():
        offset.append(base.where(slot))
        return base.order_kind(slot) == orders.IDLE

    base.run_until(stands, limit)
    return np.array(offset).T


def length(offset):
    return np.hypot(*np.diff(offset, axis=1)).sum()


def depth(base, offset):
    """The maximum depth of positions inside of obstacles."""
    ground = base.mechanics['ground']
    points = offset[:, :, None]
    low, high = ground.low[:, 0, None], ground.high[:, 0, None]
    return np.minimum((points - low).min(0), (high - points).min(0)).max()


def wall(base, *points):
    for x, y in points:
        base.put(unit_types.SUPPLY_DEPOT, x, y)


def test_with_nothing_in_between_units_walk_straight(base):
    marine = base.put(unit_types.MARINE, 34, 22)
    offset = walk(base, marine, (38, 30))
    assert tuple(offset[:, -1]) == (38, 30)
    assert length(offset) == pytest.approx(np.hypot(4, 8))


def test_units_walk_around_a_building(base):
    marine = base.put(unit_types.MARINE, 26.5, 27.5)
    offset = walk(base, marine, (34.5, 27.6))
    assert tuple(offset[:, -1]) == (34.5, 27.6)
    assert depth(base, offset) < 0.01
    shortest = 2 * np.hypot(1.125, 2.8) + 5.75
    assert shortest - 0.1 < length(offset) < 1.2 * shortest


def test_units_find_out_of_a_pocket(base):
    wall(base, (36, 23), (38, 23), (40, 23), (40, 25), (40, 27), (38, 29), (36, 29), (40, 29))
    marine = base.put(unit_types.MARINE, 38, 26)
    offset = walk(base, marine, (43.5, 24.5))
    assert tuple(offset[:, -1]) == (43.5, 24.5)
    assert depth(base, offset) < 0.01


def test_units_pass_between_buildings_that_are_a_cell_apart(base):
    wall(base, *[(35, y) for y in (20, 22, 24)], *[(35, y) for y in (27, 29, 31, 33, 35)])
    marine = base.put(unit_types.MARINE, 38, 30)
    offset = walk(base, marine, (33.2, 31))
    assert tuple(offset[:, -1]) == (33.2, 31)
    assert depth(base, offset) < 0.01


def test_units_walk_to_the_nearest_reachable_point(base):
    wall(base, *[(35, y) for y in range(20, 37, 2)])
    marine = base.put(unit_types.MARINE, 39, 28)
    offset = walk(base, marine, (31, 34))
    assert depth(base, offset) < 0.01
    np.testing.assert_array_equal(offset[:, -1], (36.5, 33.5))


@pytest.mark.parametrize('start', [(36, 27), (30, 21), (26.5, 27), (36, 33)])
def test_units_sent_into_a_building_stop_beside_it(base, start):
    marine = base.put(unit_types.MARINE, *start)
    offset = walk(base, marine, (30.5, 27.4))
    assert depth(base, offset) < 0.01
    assert np.abs(offset[:, -1] - CENTRE).max() <= 3.01


def test_units_sent_to_the_edge_of_a_building_stop_in_the_next_cell(base):
    marine = base.put(unit_types.MARINE, 38, 27)
    offset = walk(base, marine, (33.1, 27.2))
    np.testing.assert_array_equal(offset[:, -1], (33.5, 27.5))


def test_units_walk_around_a_new_building(base):
    marine = base.put(unit_types.MARINE, 38, 27.5)
    base.order(marine, orders.MOVE, 36.4, 20)
    base.run(5)
    base.put(unit_types.BARRACKS, 38.5, 23.5)
    offset = [base.where(marine)]

    def stands():
        offset.append(base.where(marine))
        return base.order_kind(marine) == orders.IDLE

    base.run_until(stands, 200)
    assert base.where(marine) == (36.4, 20)
    assert depth(base, np.array(offset).T) < 0.01


def test_a_new_order_on_a_detour_is_obeyed(base):
    marine = base.put(unit_types.MARINE, 26.5, 27.5)
    base.order(marine, orders.MOVE, 34.5, 27.5)
    base.run(5)
    assert base.units.detour[0, marine]
    offset = walk(base, marine, (26, 27.5))
    assert tuple(offset[:, -1]) == (26, 27.5)
    assert length(offset) < 1.5


def test_a_patrol_walks_around_on_both_of_its_ways(base):
    marine = base.put(unit_types.MARINE, 26.5, 27.5)
    base.order(marine, orders.PATROL, 34.5, 27.5)
    offset = []
    for _ in range(400):
        offset.append(base.where(marine))
        base.run(1)
    offset = np.array(offset).T
    assert depth(base, offset) < 0.01
    ends = (np.abs(offset[1] - 27.5) < 1e-9) & ((offset[0] == 26.5) | (offset[0] == 34.5))
    turns = offset[0, ends]
    assert list(turns[np.append(True, np.diff(turns) != 0)][:4]) == [26.5, 34.5, 26.5, 34.5]


def test_a_crowd_gets_around_a_corner_and_through_a_gap(base):
    wall(base, *[(35, y) for y in (20, 22, 24)], *[(35, y) for y in (27, 29, 31, 33, 35)])
    marines = [base.put(unit_types.MARINE, 37 + i % 4, 22 + i // 4) for i in range(16)]
    for marine in marines:
        base.order(marine, orders.MOVE, 31, 22.5)
    deepest = 0
    for _ in range(500):
        base.run(1)
        deepest = max(deepest, depth(base, base.units.position[:, 0, marines]))
    x, y = base.units.position[:, 0, marines]
    assert (x < 34).all()
    assert np.hypot(x - 31, y - 22.5).max() < 4
    assert deepest < 0.3
    assert not base.units.detour[0].any()


def test_workers_harvest_around_buildings(base):
    wall(base, (26, 26), (26, 28))
    scv = base.put(unit_types.SCV, 24.4, 27.5)
    base.order(scv, orders.GATHER, target=base.slot_at(23, 28.5))
    offset = []
    for _ in range(600):
        base.run(1)
        offset.append(base.where(scv))
    assert depth(base, np.array(offset).T) < 0.01
    assert base.world.score[0] >= 15


def test_a_worker_walled_off_gives_up(base):
    wall(base, *[(35, y) for y in range(20, 37, 2)])
    scv = base.put(unit_types.SCV, 38, 27.5)
    base.order(scv, orders.GATHER, target=base.slot_at(23, 28.5))
    base.run(3)
    assert base.order_kind(scv) == orders.IDLE
    assert base.units.solid[0, scv]


def test_two_idle_units_do_not_stay_beside_each_other_where_there_is_room_for_one(base):
    wall(base, *[(35, y) for y in range(20, 37, 2)], *[(38, y) for y in range(20, 33, 2)])
    marines = [base.put(unit_types.MARINE, x, 26.5) for x in (36.3, 36.7)]
    base.run(100)
    there = base.units.position[:, 0, marines].copy()
    assert depth(base, there) < 0.002
    assert np.hypot(*(there[:, 0] - there[:, 1])) >= 0.749
    base.run(20)
    np.testing.assert_allclose(base.units.position[:, 0, marines], there)
    assert base.units.solid[0, marines].all()


def test_paths_do_not_depend_on_longer_paths_of_others():
    """Paths of many units are searched together."""
    random = np.random.RandomState(0)

    def turns(goal, others):
        base = helpers.Base()
        wall(base, *[(35, y) for y in (20, 22, 24)], *[(35, y) for y in (29, 31, 33, 35)])
        near = base.put(unit_types.MARINE, 38.5, 30)
        base.order(near, orders.MOVE, *goal)
        for x, y in others:
            base.order(base.put(unit_types.MARINE, x, y), orders.MOVE, 22.5, 35.5)
        base.run(3)
        return tuple(base.units.waypoint[:, 0, near])

    for goal in random.uniform([22, 20], [33, 36], size=[20, 2]):
        assert turns(goal, []) == turns(goal, [(43.5, 35.5)]) == turns(goal, [(43.5, 20.5)])

import numpy as np

from sc2impala.sim import movement, orders
from tests.sim import helpers, orders_test
from tests.sim.orders_test import give

DIAMETER = 0.75


def gaps(world):
    x, y = world.units.position[:, 0, : world.units.num_mobile]
    distances = np.hypot(x[:, None] - x, y[:, None] - y)
    return distances[np.triu_indices(len(x), 1)]


def test_time_passes_only_in_running_games():
    world = helpers.marines([[(30, 30)], [(30, 30)]])
    world.units.goal[0] = 31.0
    movement.walk(world.units, np.array([False, True]))
    np.testing.assert_array_equal(world.units.position[:, 0, 0], [30, 30])
    assert world.units.position[0, 1, 0] > 30


def test_overlapping_units_are_pushed_apart_alike_and_stay_there():
    world = helpers.marines([[(30, 30), (30.25, 30)]])
    helpers.run(world, 1)
    np.testing.assert_allclose(world.units.position[0, 0, :2], [29.75, 30.5])
    before = world.units.position.copy()
    helpers.run(world, 20)
    np.testing.assert_array_equal(world.units.position, before)


def test_units_in_the_very_same_place_are_parted():
    world = helpers.marines([[(30, 30)] * 4])
    helpers.run(world, 200)
    assert gaps(world).min() > DIAMETER - 0.01


def test_who_holds_a_position_is_not_pushed():
    world = helpers.marines([[(30, 30), (30.25, 30)]])
    give(world, orders.HOLD, 0, 0, units=[0])
    helpers.run(world, 30)
    assert tuple(world.units.position[:, 0, 0]) == (30, 30)
    np.testing.assert_allclose(gaps(world), DIAMETER, atol=1e-5)


def test_units_are_not_pushed_out_of_the_playable_region():
    world = helpers.marines([[(22, 36), (22.1, 36)]])
    helpers.run(world, 30)
    x, y = world.units.position[:, 0, :2]
    assert x.min() == 22 and y.max() <= 36
    np.testing.assert_allclose(gaps(world), DIAMETER, atol=1e-5)


def test_units_with_one_goal_come_to_rest_around_it():
    world = helpers.marines([[(25, 30), (35, 30.5), (30, 25), (30.3, 35)]])
    give(world, orders.MOVE, 30, 30, units=[0, 1, 2, 3])
    helpers.run(world, 120)
    assert (world.units.order_kind == orders.IDLE).all()
    assert gaps(world).min() > DIAMETER - 0.01
    x, y = world.units.position[:, 0, :4]
    assert np.hypot(x - 30, y - 30).max() < 2
    before = world.units.position.copy()
    helpers.run(world, 20)
    np.testing.assert_allclose(world.units.position, before, atol=1e-3)


def test_units_walking_against_each_other_meet_halfway_and_pass():
    world = helpers.marines([[(25, 30), (35, 30.1)]])
    give(world, orders.MOVE, 35, 30, units=[0])
    give(world, orders.MOVE, 25, 30, units=[1])
    helpers.run(world, 120)
    np.testing.assert_array_equal(world.units.position[0, 0, :2], [35, 25])


def test_a_walking_unit_goes_around_one_that_holds_its_position():
    world = helpers.marines([[(30, 30), (25, 30.1)]])
    give(world, orders.HOLD, 0, 0, units=[0])
    give(world, orders.MOVE, 35, 30, units=[1])
    helpers.run(world, 120)
    np.testing.assert_array_equal(world.units.position[:, 0, :2], [[30, 35], [30, 30]])


def test_a_queue_goes_on_when_the_first_goal_is_taken():
    world = helpers.marines([[(30, 30), (25, 30)]])
    give(world, orders.MOVE, 30, 30, units=[1])
    give(world, orders.MOVE, 30, 24, queued=True, units=[1])
    helpers.run(world, 100)
    np.testing.assert_array_equal(world.units.position[:, 0, 1], [30, 24])


def test_a_standing_unit_does_not_slow_a_walking_one_down():
    world = helpers.marines([[(30, 30), (25, 30.1)]])
    give(world, orders.MOVE, 35, 30.1, units=[1])
    helpers.run(world, int(10 / orders_test.SPEED) + 1)
    np.testing.assert_array_equal(world.units.position[:, 0, 1], [35, 30.1])


def test_the_dead_are_in_nobodys_way():
    world = helpers.marines([[(30, 30), (30.25, 30)]])
    world.units.alive[0, 1] = False
    helpers.run(world, 5)
    np.testing.assert_array_equal(world.units.position[:, 0, 0], [30, 30])

import numpy as np
import pytest

from sc2impala.sim import orders
from sc2impala.sim.units import MAX_ORDERS
from tests.sim import helpers

SPEED = 2.25 / 16


def give(world, order_kind, x, y, queued=False, units=(0,)):
    num_mobile = world.units.num_mobile
    point = np.zeros([2, 1, num_mobile]) + np.array([x, y], float).reshape(2, 1, 1)
    return orders.give(
        world.units,
        np.array([0]),
        chosen=np.isin(np.arange(num_mobile), units)[None],
        order_kind=np.array([[order_kind]]),
        point=point,
        queued=np.array([queued]),
    )


def where(world, unit=0):
    return tuple(world.units.position[:, 0, unit])


def test_a_unit_walks_at_its_speed_and_stops_at_its_target():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.MOVE, 33, 26)
    helpers.run(world, 1)
    np.testing.assert_allclose(where(world), (30 + 0.6 * SPEED, 30 - 0.8 * SPEED))
    helpers.run(world, 34)
    assert where(world) != (33, 26)
    helpers.run(world, 1)
    assert where(world) == (33, 26)
    assert world.units.order_kind[0, 0, 0] == orders.IDLE
    helpers.run(world, 5)
    assert where(world) == (33, 26)


def test_an_order_replaces_what_was_ordered_before():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.MOVE, 40, 30)
    give(world, orders.MOVE, 31, 30, queued=True)
    give(world, orders.ATTACK, 29, 30)
    helpers.run(world, 100)
    assert where(world) == (29, 30)


@pytest.mark.parametrize('order_kind', [orders.MOVE, orders.ATTACK])
def test_queued_orders_are_carried_out_in_turn(order_kind):
    world = helpers.marines([[(30, 30)]])
    give(world, order_kind, 31, 30, queued=True)
    give(world, order_kind, 31, 31, queued=True)
    give(world, order_kind, 30, 31, queued=True)
    corners = []
    for _ in range(60):
        helpers.run(world, 1)
        if where(world) == tuple(np.round(where(world))) and where(world) not in corners:
            corners.append(where(world))
    assert corners == [(31, 30), (31, 31), (30, 31)]


def test_stop_forgets_the_queue_but_a_queued_stop_does_nothing():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.MOVE, 31, 30)
    give(world, orders.IDLE, 0, 0, queued=True)
    give(world, orders.MOVE, 32, 30, queued=True)
    helpers.run(world, 3)
    give(world, orders.IDLE, 0, 0)
    stopped = where(world)
    helpers.run(world, 50)
    assert where(world) == stopped == (30 + 3 * SPEED, 30)

    give(world, orders.MOVE, 31, 30)
    give(world, orders.IDLE, 0, 0, queued=True)
    helpers.run(world, 50)
    assert where(world) == (31, 30)


def test_a_patrol_goes_back_and_forth():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.PATROL, 31, 30)
    xs = []
    for _ in range(80):
        helpers.run(world, 1)
        xs.append(where(world)[0])
    turns = [x for before, x, after in zip(xs, xs[1:], xs[2:]) if (x - before) * (after - x) < 0]
    assert turns == [31, 30] * (len(turns) // 2) + [31] * (len(turns) % 2)
    assert len(turns) >= 8


def test_a_patrol_ends_on_arrival_if_an_order_is_queued():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.PATROL, 31, 30)
    give(world, orders.MOVE, 31, 33, queued=True)
    helpers.run(world, 60)
    assert where(world) == (31, 33)


def test_a_queued_patrol_turns_back_to_where_it_began():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.MOVE, 32, 30)
    give(world, orders.PATROL, 33, 30, queued=True)
    helpers.run(world, 40)
    xs = []
    for _ in range(40):
        helpers.run(world, 1)
        xs.append(where(world)[0])
    assert min(xs) == 32 and max(xs) == 33


def test_hold_stays_until_something_is_queued():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.MOVE, 40, 30)
    give(world, orders.HOLD, 0, 0)
    helpers.run(world, 10)
    assert where(world) == (30, 30)
    assert world.units.order_kind[0, 0, 0] == orders.HOLD
    give(world, orders.MOVE, 31, 30, queued=True)
    helpers.run(world, 20)
    assert where(world) == (31, 30)


def test_hold_can_be_queued():
    world = helpers.marines([[(30, 30)]])
    give(world, orders.MOVE, 31, 30)
    give(world, orders.HOLD, 0, 0, queued=True)
    helpers.run(world, 20)
    assert where(world) == (31, 30)
    np.testing.assert_array_equal(world.units.order_kind[0, 0, :2], [orders.HOLD, orders.IDLE])


def test_a_full_queue_takes_no_more():
    world = helpers.marines([[(30, 30), (25, 25)]])
    full = [give(world, orders.MOVE, 31, 30, queued=True)[0] for _ in range(MAX_ORDERS + 1)]
    assert full == [False] * MAX_ORDERS + [True]
    # The queue of the first marine is full; the second one accepts the order.
    assert give(world, orders.MOVE, 40, 25, queued=True, units=(0, 1))[0]
    assert world.units.order_kind[0, 1, 0] == orders.MOVE
    assert not give(world, orders.MOVE, 30, 28)[0]


def test_only_the_chosen_units_of_the_given_games_obey():
    world = helpers.marines([[(30, 30), (25, 25)]] * 3)
    orders.give(
        world.units,
        np.array([0, 2]),
        chosen=np.array([[False, True], [False, False]]),
        order_kind=np.array([[orders.MOVE], [orders.MOVE]]),
        point=np.full([2, 2, 2], 26.0),
        queued=np.array([False, False]),
    )
    moving = world.units.order_kind[:, :, 0] == orders.MOVE
    np.testing.assert_array_equal(moving, [[False, True], [False, False], [False, False]])


def test_orders_that_aim_at_several_dead_units_are_dropped():
    world = helpers.marines([[(30, 30), (25, 25), (26, 26), (27, 27)]] * 2)
    for target, order_kind in [(2, orders.ATTACK), (3, orders.ATTACK), (1, orders.ATTACK)]:
        orders.give(
            world.units,
            np.array([0, 1]),
            chosen=np.array([[True, False, False, False]] * 2),
            order_kind=np.array([[order_kind]] * 2),
            point=np.full([2, 2, 4], 31.0),
            queued=np.array([True, True]),
            target=np.array([[target]] * 2),
        )
    world.kill(np.array([0, 0]), np.array([2, 3]))
    first = world.units.order_target[:, 0, :3]
    order_kinds = world.units.order_kind[:, 0, :3]
    np.testing.assert_array_equal(first[0, 0], 1)
    np.testing.assert_array_equal(order_kinds, [[orders.ATTACK, 0, 0], [orders.ATTACK] * 3])
    np.testing.assert_array_equal(first[1], [2, 3, 1])

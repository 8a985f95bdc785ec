import numpy as np
import pytest

from sc2impala.sim import orders
from sc2impala.sim.units import MAX_ORDERS
from tests.sim.helpers import Marines

SPEED = 2.25 / 16


def test_a_unit_walks_at_its_speed_and_stops_at_its_target():
    world = Marines((30, 30))
    world.give(orders.MOVE, 33, 26)
    world.run(1)
    np.testing.assert_allclose(world.where(), (30 + 0.6 * SPEED, 30 - 0.8 * SPEED))
    world.run(34)
    assert world.where() != (33, 26)
    world.run(1)
    assert world.where() == (33, 26)
    assert world.g.order_kind[0, 0] == orders.IDLE
    world.run(5)
    assert world.where() == (33, 26)


def test_an_order_replaces_what_was_ordered_before():
    world = Marines((30, 30))
    world.give(orders.MOVE, 40, 30)
    world.give(orders.MOVE, 31, 30, queued=True)
    world.give(orders.ATTACK, 29, 30)
    world.run(100)
    assert world.where() == (29, 30)


@pytest.mark.parametrize('order_kind', [orders.MOVE, orders.ATTACK])
def test_queued_orders_are_carried_out_in_turn(order_kind):
    world = Marines((30, 30))
    world.give(order_kind, 31, 30, queued=True)
    world.give(order_kind, 31, 31, queued=True)
    world.give(order_kind, 30, 31, queued=True)
    corners = []
    for _ in range(60):
        world.run(1)
        if world.where() == tuple(np.round(world.where())) and world.where() not in corners:
            corners.append(world.where())
    assert corners == [(31, 30), (31, 31), (30, 31)]


def test_stop_forgets_the_queue_but_a_queued_stop_does_nothing():
    world = Marines((30, 30))
    world.give(orders.MOVE, 31, 30)
    world.give(orders.IDLE, 0, 0, queued=True)
    world.give(orders.MOVE, 32, 30, queued=True)
    world.run(3)
    world.give(orders.IDLE, 0, 0)
    stopped = world.where()
    world.run(50)
    assert world.where() == stopped == (30 + 3 * SPEED, 30)

    world.give(orders.MOVE, 31, 30)
    world.give(orders.IDLE, 0, 0, queued=True)
    world.run(50)
    assert world.where() == (31, 30)


def test_a_patrol_goes_back_and_forth():
    world = Marines((30, 30))
    world.give(orders.PATROL, 31, 30)
    xs = []
    for _ in range(80):
        world.run(1)
        xs.append(world.where()[0])
    turns = [x for before, x, after in zip(xs, xs[1:], xs[2:]) if (x - before) * (after - x) < 0]
    assert turns == [31, 30] * (len(turns) // 2) + [31] * (len(turns) % 2)
    assert len(turns) >= 8


def test_a_patrol_ends_on_arrival_if_an_order_is_queued():
    world = Marines((30, 30))
    world.give(orders.PATROL, 31, 30)
    world.give(orders.MOVE, 31, 33, queued=True)
    world.run(60)
    assert world.where() == (31, 33)


def test_a_queued_patrol_turns_back_to_where_it_began():
    world = Marines((30, 30))
    world.give(orders.MOVE, 32, 30)
    world.give(orders.PATROL, 33, 30, queued=True)
    world.run(40)
    xs = []
    for _ in range(40):
        world.run(1)
        xs.append(world.where()[0])
    assert min(xs) == 32 and max(xs) == 33


def test_hold_stays_until_something_is_queued():
    world = Marines((30, 30))
    world.give(orders.MOVE, 40, 30)
    world.give(orders.HOLD, 0, 0)
    world.run(10)
    assert world.where() == (30, 30)
    assert world.g.order_kind[0, 0] == orders.HOLD
    world.give(orders.MOVE, 31, 30, queued=True)
    world.run(20)
    assert world.where() == (31, 30)


def test_hold_can_be_queued():
    world = Marines((30, 30))
    world.give(orders.MOVE, 31, 30)
    world.give(orders.HOLD, 0, 0, queued=True)
    world.run(20)
    assert world.where() == (31, 30)
    np.testing.assert_array_equal(world.g.order_kind[0, :2], [orders.HOLD, orders.IDLE])


def test_a_full_queue_takes_no_more():
    world = Marines((30, 30), (25, 25))
    full = [world.give(orders.MOVE, 31, 30, queued=True) for _ in range(MAX_ORDERS + 1)]
    assert full == [False] * MAX_ORDERS + [True]
    # The queue of the first marine is full; the second one accepts the order.
    assert world.give(orders.MOVE, 40, 25, queued=True, units=(0, 1))
    assert world.g.order_kind[1, 0] == orders.MOVE
    assert not world.give(orders.MOVE, 30, 28)


def test_only_the_unit_that_is_given_an_order_obeys():
    world = Marines((30, 30), (25, 25), (35, 35))
    world.give(orders.MOVE, 26, 26, units=[1])
    assert world.g.order_kind[:3, 0].tolist() == [orders.IDLE, orders.MOVE, orders.IDLE]


def test_units_that_are_bound_finish_their_order_and_then_execute_the_last_one():
    world = Marines((30, 30))
    world.give(orders.MOVE, 31, 30)
    world.g.bound[0] = True
    world.give(orders.MOVE, 20, 20, queued=True)
    world.give(orders.MOVE, 20, 30, queued=True)
    assert not world.give(orders.MOVE, 30, 25)
    assert world.g.order_kind[0, :3].tolist() == [orders.MOVE, orders.MOVE, orders.IDLE]
    world.give(orders.MOVE, 31, 25)
    world.give(orders.MOVE, 31, 32, queued=True)
    assert world.g.order_x[0, :3].tolist() == [31, 31, 31]
    world.run(150)
    assert world.where() == (31, 32)


def test_a_bound_unit_that_is_stopped_forgets_its_later_orders():
    world = Marines((30, 30))
    world.give(orders.MOVE, 31, 30)
    world.g.bound[0] = True
    world.give(orders.MOVE, 20, 20, queued=True)
    world.give(orders.IDLE, 0, 0)
    world.run(60)
    assert world.where() == (31, 30)


def test_orders_that_aim_at_several_dead_units_are_dropped():
    world = Marines((30, 30), (25, 25), (26, 26), (27, 27))
    for target in (2, 3, 1):
        world.give(orders.ATTACK, 31, 31, queued=True, target=target)
    world.remove(2)
    assert world.g.order_target[0, :2].tolist() == [3, 1]
    assert world.g.order_kind[0, :3].tolist() == [orders.ATTACK, orders.ATTACK, orders.IDLE]
    world.remove(3)
    assert world.g.order_target[0, 0] == 1
    assert world.g.order_kind[0, :3].tolist() == [orders.ATTACK, orders.IDLE, orders.IDLE]
    world.remove(1)
    assert (world.g.order_kind[0] == orders.IDLE).all()
    assert (world.g.goal_x[0], world.g.goal_y[0]) == (30, 30)

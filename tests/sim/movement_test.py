import numpy as np
import pytest

from sc2impala.sim import orders
from tests.sim import orders_test
from tests.sim.helpers import Marines

DIAMETER = 0.75


def test_overlapping_units_are_pushed_apart_alike_and_stay_there():
    world = Marines((30, 30), (30.25, 30))
    world.run(1)
    np.testing.assert_allclose(world.g.x[:2], [29.75, 30.5])
    before = world.positions()
    world.run(20)
    np.testing.assert_array_equal(world.positions(), before)


def test_units_in_the_very_same_place_are_parted():
    world = Marines(*[(30, 30)] * 4)
    world.run(200)
    assert world.gaps().min() > DIAMETER - 0.01


def test_units_that_hold_position_are_not_pushed():
    world = Marines((30, 30), (30.25, 30))
    world.give(orders.HOLD)
    world.run(30)
    assert world.where(0) == (30, 30)
    np.testing.assert_allclose(world.gaps(), DIAMETER, atol=1e-5)


def test_units_are_not_pushed_out_of_the_playable_region():
    world = Marines((22, 36), (22.1, 36))
    world.run(30)
    x, y = world.positions().T
    assert x.min() == 22 and y.max() <= 36
    np.testing.assert_allclose(world.gaps(), DIAMETER, atol=1e-5)


def test_units_with_one_goal_come_to_rest_around_it():
    world = Marines((25, 30), (35, 30.5), (30, 25), (30.3, 35))
    world.give(orders.MOVE, 30, 30, units=range(4))
    world.run(120)
    assert (world.g.order_kind == orders.IDLE).all()
    assert world.gaps().min() > DIAMETER - 0.01
    before = world.positions()
    assert np.hypot(*(before - 30).T).max() < 2
    world.run(20)
    np.testing.assert_allclose(world.positions(), before, atol=1e-3)


def test_units_walking_against_each_other_meet_halfway_and_pass():
    world = Marines((25, 30), (35, 30.1))
    world.give(orders.MOVE, 35, 30, units=[0])
    world.give(orders.MOVE, 25, 30, units=[1])
    world.run(120)
    np.testing.assert_array_equal(world.g.x[:2], [35, 25])


def test_a_walking_unit_goes_around_one_that_holds_its_position():
    world = Marines((30, 30), (25, 30.1))
    world.give(orders.HOLD, units=[0])
    world.give(orders.MOVE, 35, 30, units=[1])
    world.run(120)
    np.testing.assert_array_equal(world.positions(), [[30, 30], [35, 30]])


def test_a_queue_goes_on_when_the_first_goal_is_taken():
    world = Marines((30, 30), (25, 30))
    world.give(orders.MOVE, 30, 30, units=[1])
    world.give(orders.MOVE, 30, 24, queued=True, units=[1])
    world.run(100)
    assert world.where(1) == (30, 24)


def test_a_standing_unit_does_not_slow_a_walking_one_down():
    world = Marines((30, 30), (25, 30.1))
    world.give(orders.MOVE, 35, 30.1, units=[1])
    world.run(int(10 / orders_test.SPEED) + 1)
    assert world.where(1) == (35, 30.1)


def test_dead_units_do_not_block():
    world = Marines((30, 30), (30.25, 30))
    world.remove(1)
    world.run(5)
    assert world.where(0) == (30, 30)


def test_units_that_are_not_solid_walk_through_others():
    world = Marines((30, 30), (25, 30))
    world.g.solid[0] = False
    world.give(orders.MOVE, 35, 30, units=[1])
    for _ in range(80):
        world.run(1)
        assert world.where(0) == (30, 30)
        assert world.where(1)[1] == 30
    assert world.where(1) == (35, 30)


def test_a_unit_on_a_detour_waits_at_its_waypoint():
    world = Marines((30, 30))
    world.give(orders.MOVE, 34, 30)
    world.g.detour[0] = True
    world.g.waypoint_x[0], world.g.waypoint_y[0] = 30, 32
    world.run(40)
    assert world.where() == (30, 32)
    assert world.g.order_kind[0, 0] == orders.MOVE
    world.g.detour[0] = False
    world.run(40)
    assert world.where() == (34, 30)


def test_units_that_meet_head_on_choose_different_sides_and_keep_them():
    world = Marines((30, 30), (29.5, 30), (40, 25))
    world.g.busy[:2] = True
    world.g.goal_x[1] = 33
    world.push_apart()
    assert abs(world.g.side[:3]).tolist() == [0, 1, 0]
    side = world.g.side[1]
    # On the next touch the unit would choose the other side.
    world.g.x[:2], world.g.y[:2] = [30, 29.5], [30 + 0.1 * side, 30 - 0.1 * side]
    world.g.goal_x[0], world.g.goal_y[0] = world.where(0)
    other = world.copy()
    world.push_apart()
    assert world.g.side[1] == side
    other.g.side[1] = 0
    other.push_apart()
    assert other.g.side[1] == -side


NUM_CROWD = 12


def crowd(seed):
    """Marines that push each other while some of them walk."""
    random = np.random.RandomState(seed)
    world = Marines(*(28 + 3 * random.rand(NUM_CROWD, 2)))
    for slot in range(NUM_CROWD):
        order_kind = random.choice([orders.MOVE, orders.PATROL, orders.HOLD])
        x, y = 27 + 5 * random.rand(2)
        if random.rand() < 0.6:
            world.give(order_kind, x, y, units=[slot])
    return world


@pytest.mark.long
def test_a_crowd_goes_on_from_its_state_as_if_nothing_had_happened():
    for seed in range(4):
        straight, copied = crowd(seed), crowd(seed)
        for _ in range(40):
            straight.run(2)
            copied = copied.copy()
            copied.run(1)
            copied.run(1)
        for name in ('x', 'y', 'goal_x', 'goal_y', 'order_kind', 'side'):
            np.testing.assert_array_equal(straight.games[name], copied.games[name], err_msg=name)


def test_pushes_are_those_of_a_loop_over_all_pairs():
    for seed in range(2):
        world = Marines(*(28 + 2.5 * np.random.RandomState(seed).rand(20, 2)))
        world.remove(*[range(0), range(3, 9)][seed])
        for _ in range(30):
            expected = pushed_apart(world)
            world.push_apart()
            np.testing.assert_allclose(world.positions(), expected, atol=1e-12)
            goals = np.stack([world.g.goal_x, world.g.goal_y], axis=1)[:20]
            np.testing.assert_array_equal(goals, world.positions())


def pushed_apart(world):
    """Positions of idle marines after a frame: each is pushed by half of every overlap."""
    before = world.positions()
    after = before.copy()
    living = np.flatnonzero(world.g.alive)
    for unit in living:
        for other in living:
            offset = before[unit] - before[other]
            distance = np.sqrt(np.square(offset).sum())
            if unit != other and distance < DIAMETER - 1e-6:
                offset[0] += 1e-9 * (unit - other)
                after[unit] += offset * (DIAMETER / distance - 1) / 2
    return after

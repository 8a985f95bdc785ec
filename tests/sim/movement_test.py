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


def test_units_that_hold_position_are_not_pushed():
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


def test_dead_units_do_not_block():
    world = helpers.marines([[(30, 30), (30.25, 30)]])
    world.units.alive[0, 1] = False
    helpers.run(world, 5)
    np.testing.assert_array_equal(world.units.position[:, 0, 0], [30, 30])


def test_units_that_are_not_solid_walk_through_others():
    world = helpers.marines([[(30, 30), (25, 30)]])
    world.units.solid[0, 0] = False
    give(world, orders.MOVE, 35, 30, units=[1])
    for _ in range(80):
        helpers.run(world, 1)
        assert tuple(world.units.position[:, 0, 0]) == (30, 30)
        assert world.units.position[1, 0, 1] == 30
    assert world.units.position[0, 0, 1] == 35


NUM_CROWD = 12


def crowd(games):
    """Games, each known by a number, of marines that push each other while some of them walk."""
    randoms = [np.random.RandomState(game) for game in games]
    world = helpers.marines([28 + 3 * random.rand(NUM_CROWD, 2) for random in randoms])
    order_kinds = [orders.MOVE, orders.PATROL, orders.HOLD]
    orders.give(
        world.units,
        np.arange(len(games)),
        chosen=np.array([random.rand(NUM_CROWD) < 0.6 for random in randoms]),
        order_kind=np.array([random.choice(order_kinds, size=NUM_CROWD) for random in randoms]),
        point=np.stack([27 + 5 * random.rand(2, NUM_CROWD) for random in randoms], axis=1),
        queued=np.zeros([len(games)], bool),
    )
    return world


def state_of(world, game):
    """The state of the units of a game."""
    units = world.units
    return units.position[:, game], units.goal[:, game], units.order_kind[game]


def assert_same(one, other):
    for values, expected in zip(one, other):
        np.testing.assert_array_equal(values, expected)


def test_head_on_collisions_choose_the_same_side_in_every_game():
    world = helpers.marines([[(30, 30), (29.5, 30), (40, 25)]] * 2)
    world.units.busy[:, :2] = True
    world.units.goal[0, :, 1] = 33
    movement.push_apart(world.units, np.array([True, True]), world.arena.playable)
    assert abs(world.units.side).tolist() == [[0, 1, 0], [0, 1, 0]]
    np.testing.assert_array_equal(*world.units.side)


def test_a_crowd_does_not_depend_on_other_games():
    together = crowd(range(4))
    helpers.run(together, 80)
    for game in range(4):
        alone = crowd([game])
        helpers.run(alone, 80)
        assert_same(state_of(together, game), state_of(alone, 0))


def test_a_crowd_goes_on_from_its_state_as_if_nothing_had_happened():
    straight, halting, copied = crowd(range(2)), crowd(range(2)), crowd(range(2, 4))
    for _ in range(40):
        helpers.run(straight, 2)
        # The games advance alternately, and a copy continues after every second frame.
        for game in (0, 0, 1, 1):
            running = np.arange(2) == game
            movement.walk(halting.units, running)
            movement.push_apart(halting.units, running, halting.arena.playable)
        copied.set_state(halting.get_state())
        halting, copied = copied, halting
        for game in range(2):
            assert_same(state_of(straight, game), state_of(halting, game))


def test_pushes_are_those_of_a_loop_over_all_pairs():
    world = helpers.marines(28 + 2.5 * np.random.RandomState(0).rand(2, 20, 2))
    world.units.alive[1, 3:9] = False
    for _ in range(30):
        expected = pushed_apart(world)
        movement.push_apart(world.units, np.array([True, True]), world.arena.playable)
        np.testing.assert_allclose(world.units.position[:, :, :20], expected, atol=1e-12)
        np.testing.assert_array_equal(world.units.goal, world.units.position[:, :, :20])


def pushed_apart(world):
    """Positions of idle marines after a frame: each is pushed by half of every overlap."""
    units = world.units
    before = units.position[:, :, :20]
    after = before.copy()
    for game in range(2):
        for unit in np.flatnonzero(units.alive[game, :20]):
            for other in np.flatnonzero(units.alive[game, :20]):
                offset = before[:, game, unit] - before[:, game, other]
                distance = np.sqrt(np.square(offset).sum())
                if unit != other and distance < DIAMETER - 1e-6:
                    offset[0] += 1e-9 * (unit - other)
                    after[:, game, unit] += offset * (DIAMETER / distance - 1) / 2
    return after

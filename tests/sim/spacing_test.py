import numpy as np

from sc2impala.sim import spacing
from sc2impala.sim.counter_random import CounterRandom
from sc2impala.sim.geometry import Rectangle

SQUARE = Rectangle(left=0.0, right=10.0, bottom=20.0, top=30.0)


def streams(num_games):
    random = CounterRandom(range(num_games))
    random.restart(np.arange(num_games), np.zeros([num_games], np.int64))
    return random


def everywhere(points, games):
    return np.ones(points.shape[1:], bool)


def distances(points, others):
    return np.sqrt(np.square(points[:, :, :, None] - others[:, :, None]).sum(0))


def test_points_keep_their_distance_and_fill_the_rectangle():
    games = np.arange(500)
    points = spacing.points_apart(streams(500), games, SQUARE, 6, 3.0, everywhere)
    assert points.shape == (2, 500, 6)
    apart = distances(points, points) + 99 * np.eye(6)
    assert apart.min() >= 3
    assert apart.min() < 3.05
    np.testing.assert_allclose(points.min((1, 2)), (0, 20), atol=0.05)
    np.testing.assert_allclose(points.max((1, 2)), (10, 30), atol=0.05)


def test_the_first_point_may_lie_anywhere():
    points = spacing.points_apart(streams(4000), np.arange(4000), SQUARE, 3, 3.0, everywhere)
    np.testing.assert_allclose(points[:, :, 0].mean(1), (5, 25), atol=0.2)
    np.testing.assert_allclose(points[:, :, 0].var(1), 100 / 12, atol=0.5)


def test_points_are_accepted_and_apart_from_others():
    games = np.arange(100, 200)
    others = np.stack([np.linspace(0, 10, 100), np.full(100, 25.0)])[:, :, None]

    def in_half_of_the_game(points, games):
        return (points[1] < 25) == (games % 2 == 0)[:, None]

    random = streams(200)
    points = spacing.points_apart(random, games, SQUARE, 3, 2.5, in_half_of_the_game, others)
    assert ((points[1] < 25) == (games % 2 == 0)[:, None]).all()
    assert distances(points, others).min() >= 2.5


def test_arrangements_without_room_are_drawn_again():
    random = streams(20)
    points = spacing.points_apart(random, np.arange(20), SQUARE, 12, 2.9, everywhere)
    assert (distances(points, points) + 99 * np.eye(12)).min() >= 2.9
    drawn_once = random.counter.min()
    assert (random.counter > 3 * drawn_once).sum() > 10


def test_what_a_game_gets_does_not_depend_on_the_others():
    together = spacing.points_apart(streams(20), np.arange(20), SQUARE, 12, 2.9, everywhere)
    for game in (0, 7, 19):
        alone = spacing.points_apart(streams(20), np.array([game]), SQUARE, 12, 2.9, everywhere)
        np.testing.assert_array_equal(alone[:, 0], together[:, game])

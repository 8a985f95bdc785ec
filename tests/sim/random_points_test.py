import numpy as np
import pytest

from sc2impala.sim import counter_random, random_points
from sc2impala.sim.compiler import compiled
from sc2impala.sim.games.game import BATTLE
from sc2impala.sim.geometry import Rectangle

SQUARE = Rectangle(left=0.0, right=10.0, bottom=20.0, top=30.0)


@compiled
def everywhere(g, x, y):
    return True


@compiled
def in_half_of_the_game(g, x, y):
    return (y < 25) == (g.seed % np.uint64(2) == np.uint64(0))


def filler(accept):
    draw = random_points.points_apart(accept)

    @compiled
    def fill(games, x, y, given, distance):
        for k in range(len(games)):
            counter_random.start_stream(games[k])
            draw(games[k], x[k], y[k], given, SQUARE, distance)

    return fill


fill_everywhere, fill_half = filler(everywhere), filler(in_half_of_the_game)


def points_apart(seeds, size, distance, fill=fill_everywhere, others=None):
    """Points of games: float64 [2, K, size], after points `others`, [2, K, o]; and the games."""
    games = np.repeat(BATTLE.blank(), len(seeds)).view(np.ndarray)
    games['seed'], games['episode'] = seeds, 0
    given = 0 if others is None else others.shape[2]
    points = np.zeros([2, len(seeds), given + size])
    if others is not None:
        points[:, :, :given] = others
    fill(games, points[0], points[1], given, distance)
    return points[:, :, given:], games


def distances(points, others):
    return np.sqrt(np.square(points[:, :, :, None] - others[:, :, None]).sum(0))


def test_points_keep_their_distance_and_fill_the_rectangle():
    points, _ = points_apart(range(500), 6, 3.0)
    apart = distances(points, points) + 99 * np.eye(6)
    assert apart.min() >= 3
    assert apart.min() < 3.05
    np.testing.assert_allclose(points.min((1, 2)), (0, 20), atol=0.05)
    np.testing.assert_allclose(points.max((1, 2)), (10, 30), atol=0.05)


def test_the_first_point_may_lie_anywhere():
    points, _ = points_apart(range(4000), 3, 3.0)
    np.testing.assert_allclose(points[:, :, 0].mean(1), (5, 25), atol=0.2)
    np.testing.assert_allclose(points[:, :, 0].var(1), 100 / 12, atol=0.5)


def test_points_are_accepted_and_apart_from_others():
    seeds = np.arange(100, 200)
    others = np.stack([np.linspace(0, 10, 100), np.full(100, 25.0)])[:, :, None]
    points, _ = points_apart(seeds, 3, 2.5, fill_half, others)
    assert ((points[1] < 25) == (seeds % 2 == 0)[:, None]).all()
    assert distances(points, others).min() >= 2.5


@pytest.mark.long
def test_arrangements_without_room_are_drawn_again():
    points, games = points_apart(range(20), 12, 2.9)
    assert (distances(points, points) + 99 * np.eye(12)).min() >= 2.9
    drawn_once = games['counter'].min()
    assert (games['counter'] > 3 * drawn_once).sum() > 10

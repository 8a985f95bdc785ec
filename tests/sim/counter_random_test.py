import numpy as np
import pytest

from sc2impala.sim.counter_random import CounterRandom
from sc2impala.sim.geometry import Rectangle

MASK = 2**64 - 1
UNIT_SQUARE = Rectangle(left=0.0, right=1.0, bottom=0.0, top=1.0)


def mix(bits):
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def started(seeds, episode=0):
    random = CounterRandom(seeds)
    random.restart(np.arange(len(seeds)), np.full(len(seeds), episode))
    return random


def test_first_number_of_seed_zero_is_that_of_splitmix64():
    drawn = started([0]).uniform(np.array([0]), 1)
    assert drawn[0, 0] == (0xE220A8397B1DCDAF >> 11) / 2**53


@pytest.mark.parametrize('seed', [0, 1, 12345, 2**63 + 17, 2**64 - 1])
@pytest.mark.parametrize('episode', [0, 3])
def test_numbers_agree_with_python_integers(seed, episode):
    key = mix((mix(seed) + 0x9E3779B97F4A7C15 * episode) & MASK)
    expected = [(mix((key + (n + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) / 2**53 for n in range(5)]
    random = started([seed], episode)
    drawn = [random.uniform(np.array([0]), size) for size in (2, 3)]
    np.testing.assert_array_equal(np.concatenate(drawn, axis=1)[0], expected)


def test_a_game_does_not_depend_on_the_others():
    together = started([5, 6, 7])
    alone = started([6])
    together.uniform(np.array([0, 2]), 4)
    np.testing.assert_array_equal(
        together.uniform(np.array([0, 1]), 3)[1], alone.uniform(np.array([0]), 3)[0]
    )


def test_seeds_and_episodes_give_different_numbers():
    first = [
        started([seed], episode).uniform(np.array([0]), 1)[0, 0]
        for seed in range(20)
        for episode in range(20)
    ]
    assert len(set(first)) == 400


def test_numbers_are_uniform():
    drawn = started(range(100)).uniform(np.arange(100), 1000)
    counts, _ = np.histogram(drawn, bins=10, range=(0, 1))
    assert counts.sum() == 100000
    assert np.abs(counts - 10000).max() < 500
    assert abs(np.corrcoef(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0, 1]) < 0.02


def test_points_fill_the_rectangle():
    rectangle = Rectangle(left=-1.0, right=3.0, bottom=10.0, top=11.0)
    x, y = started([1]).points(np.array([0]), rectangle, 2000)
    assert x.shape == (1, 2000)
    assert -1 <= x.min() < -0.9 and 2.9 < x.max() < 3
    assert 10 <= y.min() < 10.05 and 10.95 < y.max() < 11


def test_points_where_returns_accepted_points_only_however_rare():
    def accept(points, games):
        return (points[0] < 0.02) | (games[:, None] == 1)

    points = started(range(3)).points_where(np.arange(3), UNIT_SQUARE, 50, accept)
    assert points.shape == (2, 3, 50)
    assert (points[0, [0, 2]] < 0.02).all()
    assert (points[0, 1] >= 0.02).any()
    assert len(np.unique(points[1])) == 150


def test_points_where_gives_the_same_in_any_batch():
    def accept(points, games):
        return points[0] < 0.1

    together = started([3, 4]).points_where(np.arange(2), UNIT_SQUARE, 5, accept)
    alone = started([4]).points_where(np.arange(1), UNIT_SQUARE, 5, accept)
    np.testing.assert_array_equal(together[:, 1], alone[:, 0])


@pytest.mark.parametrize('seeds', [[], [-1], [2**64], [0.5], ['1']])
def test_refuses_seeds(seeds):
    with pytest.raises(ValueError, match='seeds'):
        CounterRandom(seeds)


def test_draws_for_games_that_are_named_several_times():
    one, other = started([7, 8, 9]), started([7, 8, 9])
    drawn = one.each(np.array([0, 0, 2, 2, 2]))
    np.testing.assert_array_equal(drawn[:2], other.uniform(np.array([0]), 2)[0])
    np.testing.assert_array_equal(drawn[2:], other.uniform(np.array([2]), 3)[0])
    np.testing.assert_array_equal(one.counter, [2, 0, 3])
    assert one.each(np.zeros([0], int)).shape == (0,)
    np.testing.assert_array_equal(one.counter, [2, 0, 3])

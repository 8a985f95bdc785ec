import itertools

import numpy as np
import pytest

from sc2impala.sim import counter_random, state
from sc2impala.sim.compiler import compiled
from sc2impala.sim.geometry import Rectangle
from sc2impala.sim.random_points import candidate
from sc2impala.sim.state import Field

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
FIELDS = counter_random.FIELDS + (Field('episode', np.int64),)


def mix(bits):
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def started(seed, episode=0):
    """A game, as an array of one record, at the start of an episode."""
    games = state.blank_record(FIELDS, {})
    games['seed'], games['episode'] = seed, episode
    _start(games)
    return games


def draw(games, count):
    drawn = np.zeros([count])
    _draw(games, drawn)
    return drawn


@compiled
def _start(games):
    counter_random.start_stream(games[0])


@compiled
def _draw(games, drawn):
    for index in range(len(drawn)):
        drawn[index] = counter_random.uniform(games[0])


@compiled
def _draw_at(games, first, drawn):
    for index in range(len(drawn)):
        drawn[index] = counter_random.uniform_at(games[0], first + index)


@compiled
def _draw_points(games, left, right, bottom, top, x, y):
    for index in range(len(x)):
        region = Rectangle(left, right, bottom, top)
        x[index], y[index] = candidate(games[0], region, index, len(x))
    counter_random.skip(games[0], 2 * len(x))


def test_first_number_of_seed_zero_is_that_of_splitmix64():
    assert draw(started(0), 1)[0] == (0xE220A8397B1DCDAF >> 11) / 2**53


def test_numbers_agree_with_python_integers():
    for seed, episode in itertools.product([0, 1, 12345, 2**63 + 17, 2**64 - 1], [0, 3]):
        key = mix((mix(seed) + GAMMA * episode) & MASK)
        expected = [(mix((key + (n + 1) * GAMMA) & MASK) >> 11) / 2**53 for n in range(5)]
        games = started(seed, episode)
        drawn = np.concatenate([draw(games, size) for size in (2, 3)])
        np.testing.assert_array_equal(drawn, expected)
        assert games['counter'] == 5


def test_numbers_can_be_looked_at_before_they_are_drawn():
    games = started(9)
    draw(games, 3)
    seen = np.zeros([6])
    _draw_at(games, 2, seen)
    assert games['counter'] == 3
    np.testing.assert_array_equal(draw(games, 8)[2:], seen)


def test_seeds_and_episodes_give_different_numbers():
    first = [draw(started(seed, episode), 1)[0] for seed in range(20) for episode in range(20)]
    assert len(set(first)) == 400


def test_numbers_are_uniform():
    drawn = np.stack([draw(started(seed), 1000) for seed in range(100)])
    assert drawn.min() >= 0 and drawn.max() < 1
    counts, _ = np.histogram(drawn, bins=10, range=(0, 1))
    assert counts.sum() == 100000
    assert np.abs(counts - 10000).max() < 500
    assert abs(np.corrcoef(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0, 1]) < 0.02


def test_points_fill_the_rectangle():
    x, y = np.zeros([2, 2000])
    _draw_points(started(1), -1.0, 3.0, 10.0, 11.0, x, y)
    assert -1 <= x.min() < -0.9 and 2.9 < x.max() < 3
    assert 10 <= y.min() < 10.05 and 10.95 < y.max() < 11


def test_points_are_draws_of_all_x_before_those_of_all_y():
    games, other = started(5), started(5)
    x, y = np.zeros([2, 7])
    _draw_points(games, 0.0, 1.0, 0.0, 1.0, x, y)
    np.testing.assert_array_equal(np.concatenate([x, y]), draw(other, 14))
    assert games['counter'] == other['counter']


@pytest.mark.parametrize('seeds', [[], [-1], [2**64], [0.5], ['1']])
def test_refuses_seeds(seeds):
    with pytest.raises(ValueError, match='seeds'):
        counter_random.check_seeds(seeds)


def test_seeds_of_any_integer_type_are_kept():
    seeds = counter_random.check_seeds([0, 2**64 - 1, np.int32(7), np.uint8(3)])
    assert seeds.dtype == np.uint64
    assert seeds.tolist() == [0, 2**64 - 1, 7, 3]

"""States as flat dicts of arrays."""

import numpy as np
import pytest

from sc2impala import saved_arrays


def test_a_state_is_joined_and_taken_apart():
    games = {'loop': np.arange(3), 'unit/x': np.ones([2])}
    state = saved_arrays.join({'games': games, 'totals': {'steps': 5}})
    assert sorted(state) == ['games/loop', 'games/unit/x', 'totals/steps']
    found = saved_arrays.part(state, 'games')
    assert sorted(found) == sorted(games) and found['loop'] is games['loop']


@pytest.mark.parametrize(
    'state, reason',
    [
        ({'a': np.zeros([2])}, 'b is only expected'),
        ({'a': np.zeros([2]), 'b': np.zeros([]), 'c': np.zeros([])}, 'c is only in the state'),
        ({'a': np.zeros([3]), 'b': np.zeros([])}, r'a is float64 \[3\], expected float64 \[2\]'),
        ({'a': np.zeros([2], 'i4'), 'b': np.zeros([])}, r'a is int32 \[2\], expected float64'),
    ],
)
def test_what_differs_is_named(state, reason):
    with pytest.raises(ValueError, match=reason):
        saved_arrays.check(state, {'a': np.ones([2]), 'b': 1.0})


def test_random_numbers_go_on():
    rng, other = np.random.RandomState(1), np.random.RandomState(2)
    rng.standard_normal(7)
    saved_arrays.set_random(other, saved_arrays.get_random(rng))
    assert np.array_equal(rng.standard_normal(1000), other.standard_normal(1000))


@pytest.mark.parametrize('position', [-5, 625, 10**9])
def test_a_random_state_with_a_position_outside_of_its_words(position):
    state = saved_arrays.get_random(np.random.RandomState(1))
    state['position'] = np.array(position, np.int64)
    with pytest.raises(ValueError, match=f'position {position}, expected 0..624'):
        saved_arrays.set_random(np.random.RandomState(2), state)

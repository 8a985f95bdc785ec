"""Forgetting, transfer and performance, compared with loops over the formulas."""

import numpy as np
import pytest

from sc2impala.continual import metrics

BLOCKS = np.array([0, 1, 2, 0, 1, 2])
BEFORE = np.array([1, 3, 4, 6, 8, 9])
AFTER = np.array([3, 4, 6, 8, 9, 11])
RETURNS = np.random.default_rng(0).normal(10, 6, [12, 3]).round(2)
SCALE = np.array([10.0, 20.0, 40.0])


def test_the_scale_is_that_of_all_runs():
    first, second = np.array([[1.0, -9.0], [2.0, 3.0]]), np.array([[-4.0, 5.0]])
    np.testing.assert_array_equal(metrics.largest_returns([first, second]), [4, 9])


def test_isolated_forgetting():
    found = metrics.isolated_forgetting(RETURNS, BEFORE, AFTER, SCALE)
    assert found.shape == (2, 3, 3)
    for cycle in range(2):
        for task in range(3):
            for subsequent in range(3):
                if cycle == 0 and subsequent <= task:
                    expected = np.nan
                else:
                    block = cycle * 3 + subsequent
                    lost = RETURNS[BEFORE[block]][task] - RETURNS[AFTER[block]][task]
                    expected = lost / SCALE[task]
                np.testing.assert_allclose(found[cycle, task, subsequent], expected)


def test_isolated_transfer():
    found = metrics.isolated_transfer(RETURNS, BEFORE, AFTER, SCALE)
    for task in range(3):
        for prior in range(3):
            gained = RETURNS[AFTER[prior]][task] - RETURNS[BEFORE[prior]][task]
            expected = gained / SCALE[task] if prior < task else np.nan
            np.testing.assert_allclose(found[task, prior], expected)


def test_a_map_without_any_return_has_no_forgetting():
    returns = RETURNS.copy()
    returns[:, 1] = 0
    scale = metrics.largest_returns([returns])
    forgetting = metrics.isolated_forgetting(returns, BEFORE, AFTER, scale)
    assert np.isnan(forgetting[:, 1]).all() and not np.isnan(forgetting[1, [0, 2]]).any()


def test_average_performance():
    steps, values = np.array([0, 10, 40]), np.array([[0.0, 8.0], [4.0, 8.0], [6.0, 2.0]])
    found = metrics.average_performance(steps, values)
    np.testing.assert_allclose(found, [(10 * 2 + 30 * 5) / 40, (10 * 8 + 30 * 5) / 40])
    np.testing.assert_array_equal(metrics.average_performance(steps[:1], values[:1]), [0, 8])


def test_lost_share():
    gains = np.full([12, 3], 777.0)
    # Learned at evaluations 3 and 8, after blocks 0 and 3; what remains is seen at 6 and 11.
    gains[[3, 6, 8, 11], 0] = [10, 4, 30, 21]
    # Learned at 4 and 9.
    gains[[4, 8, 9, 11], 1] = [5, 6, 5, 6]
    # Learned at 6 and 11: no other block follows the last one.
    gains[[6, 9], 2] = [-1, 5]
    found = metrics.lost_share(gains, BLOCKS, BEFORE, AFTER)
    np.testing.assert_allclose(found, [1 - 25 / 40, 1 - 12 / 10, np.nan])
    gains[[6, 9], 2] = [8, 0]
    assert metrics.lost_share(gains, BLOCKS, BEFORE, AFTER)[2] == 1


def test_the_last_map_of_a_single_cycle_has_no_lost_share():
    gains = np.array([[0.0, 0.0], [8.0, 0.0], [2.0, 5.0]])
    found = metrics.lost_share(gains, np.arange(2), np.arange(2), np.arange(1, 3))
    np.testing.assert_allclose(found, [0.75, np.nan])


@pytest.mark.parametrize('threshold, expected', [(3, 30), (4, 50), (6, 70), (8.3, 90), (9, np.nan)])
def test_frames_to_return(threshold, expected):
    """The means of three episodes are 3, 2.33, 5, 5.33, 6, 6, 8.33."""
    steps = np.arange(110, 200, 10)
    returns = np.array([9.0, 0.0, 0.0, 7.0, 8.0, 1.0, 9.0, 8.0, 8.0])
    found = metrics.frames_to_return(steps, returns, threshold, 3, 100)
    np.testing.assert_array_equal(found, expected)


def test_fewer_episodes_than_the_mean_do_not_reach_a_return():
    assert np.isnan(metrics.frames_to_return(np.array([5]), np.array([9.0]), 1, 2))
    assert np.isnan(metrics.frames_to_return(np.zeros([0], int), np.zeros([0]), 1, 2))

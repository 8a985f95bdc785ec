import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from tests.vtrace import reference


def _feeds(num_steps, batch_size=4):
    rng = np.random.RandomState(num_steps)
    discounts = np.where(rng.uniform(size=(num_steps, batch_size)) < 0.2, 0, 0.97)
    return {
        'rewards': rng.normal(size=(num_steps, batch_size)).astype(np.float32),
        'discounts': discounts.astype(np.float32),
        'bootstrap_value': rng.normal(size=batch_size).astype(np.float32),
    }


@pytest.mark.parametrize('shapes', ['static', 'rank', 'unknown'])
@pytest.mark.parametrize('num_steps', [1, 2, 10, 33])
def test_equals_the_definition(num_steps, shapes):
    feeds = _feeds(num_steps)
    returns = reference.evaluate(vtrace.discounted_returns, feeds, shapes)
    np.testing.assert_allclose(returns, reference.discounted_returns(**feeds), rtol=1e-5, atol=1e-5)


def test_long_undiscounted_episode():
    feeds = {
        'rewards': np.ones([400, 1], np.float32),
        'discounts': np.ones([400, 1], np.float32),
        'bootstrap_value': np.array([5], np.float32),
    }
    returns = reference.evaluate(vtrace.discounted_returns, feeds)
    np.testing.assert_allclose(returns[:, 0], np.arange(405, 5, -1), rtol=1e-6)


def test_masked_step_separates_two_unrolls():
    feeds = _feeds(9)
    masked = 5
    mask = np.ones([9, 4], np.float32)
    mask[masked] = 0
    values = np.random.RandomState(7).normal(size=(9, 4)).astype(np.float32)
    feeds['discounts'][:] = 0.9
    returns = reference.evaluate(vtrace.discounted_returns, dict(feeds, mask=mask, values=values))

    rewards, discounts = feeds['rewards'], feeds['discounts']
    before = reference.discounted_returns(rewards[:masked], discounts[:masked], values[masked])
    after = reference.discounted_returns(
        rewards[masked + 1 :], discounts[masked + 1 :], feeds['bootstrap_value']
    )
    np.testing.assert_allclose(returns[:masked], before, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(returns[masked], values[masked])
    np.testing.assert_allclose(returns[masked + 1 :], after, rtol=1e-5, atol=1e-5)


def test_no_gradient_flows():
    with tf.Graph().as_default():
        rewards, discounts, values = (tf.placeholder(tf.float32, [5, 2]) for _ in range(3))
        bootstrap_value = tf.placeholder(tf.float32, [2])
        inputs = [rewards, discounts, values, bootstrap_value]
        mask = tf.ones([5, 2])
        returns = vtrace.discounted_returns(rewards, discounts, bootstrap_value, mask, values)
        assert tf.gradients(returns, inputs) == [None] * len(inputs)


@pytest.mark.parametrize(
    'name, rank',
    [('rewards', 2), ('discounts', 2), ('bootstrap_value', 1), ('mask', 2), ('values', 2)],
)
def test_wrong_rank(name, rank):
    feeds = dict(_feeds(3), mask=np.ones([3, 4], np.float32), values=np.ones([3, 4], np.float32))
    feeds[name] = feeds[name][..., np.newaxis]
    with pytest.raises(ValueError, match=f'`{name}` must have rank {rank}, but its shape is'):
        reference.evaluate(vtrace.discounted_returns, feeds)


def test_mask_without_values():
    feeds = dict(_feeds(3), mask=np.ones([3, 4], np.float32))
    with pytest.raises(ValueError, match='`values` must be given with `mask`'):
        reference.evaluate(vtrace.discounted_returns, feeds)

"""UPGO against a loop that walks forward from every step."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from tests.vtrace import reference


def make_feeds(num_steps=11, batch_size=5):
    rng = np.random.RandomState(num_steps)
    shape = (num_steps, batch_size)
    discounts = rng.uniform(0.8, 1, shape) * (rng.uniform(size=shape) > 0.15)
    return {
        'log_rhos': rng.uniform(-2, 2, shape).astype(np.float32),
        'discounts': discounts.astype(np.float32),
        'rewards': rng.normal(size=shape).astype(np.float32),
        'values': rng.normal(size=shape).astype(np.float32),
        'bootstrap_value': rng.normal(size=batch_size).astype(np.float32),
    }


@pytest.mark.parametrize('shapes', ['static', 'rank', 'unknown'])
@pytest.mark.parametrize('num_steps', [1, 2, 20])
def test_equals_the_loop(num_steps, shapes):
    feeds = make_feeds(num_steps)
    found = reference.evaluate(vtrace.upgo_advantages, feeds, shapes)
    np.testing.assert_allclose(found, reference.upgo(**feeds), rtol=1e-4, atol=1e-5)


def test_better_than_expected_all_the_way_is_the_return():
    feeds = make_feeds()
    feeds['rewards'][:] = 10
    found = reference.evaluate(vtrace.upgo_advantages, feeds)
    returns = reference.discounted_returns(
        feeds['rewards'], feeds['discounts'], feeds['bootstrap_value']
    )
    weights = np.minimum(1, np.exp(feeds['log_rhos']))
    np.testing.assert_allclose(found, weights * (returns - feeds['values']), rtol=1e-5)


def test_worse_than_expected_all_the_way_is_one_step():
    feeds = make_feeds()
    feeds['rewards'][:] = -10
    found = reference.evaluate(vtrace.upgo_advantages, feeds)
    following = np.concatenate([feeds['values'][1:], feeds['bootstrap_value'][np.newaxis]])
    errors = feeds['rewards'] + feeds['discounts'] * following - feeds['values']
    np.testing.assert_allclose(found, np.minimum(1, np.exp(feeds['log_rhos'])) * errors, rtol=1e-5)


def test_masked_step_separates_two_unrolls():
    feeds, masked = make_feeds(), 4
    mask = np.ones([11, 5], np.float32)
    mask[masked] = 0
    feeds['log_rhos'][masked] = 200
    feeds['rewards'][masked] = 1000
    found = reference.evaluate(vtrace.upgo_advantages, dict(feeds, mask=mask))
    for steps, bootstrap_value in (
        (slice(masked), feeds['values'][masked]),
        (slice(masked + 1, None), feeds['bootstrap_value']),
    ):
        part = {name: value[steps] for name, value in feeds.items() if name != 'bootstrap_value'}
        expected = reference.upgo(bootstrap_value=bootstrap_value, **part)
        np.testing.assert_allclose(found[steps], expected, rtol=1e-4, atol=1e-5)
    assert not found[masked].any()


def test_no_gradient_flows_through():
    with tf.Graph().as_default():
        feeds = {name: tf.constant(value) for name, value in make_feeds().items()}
        found = vtrace.upgo_advantages(**feeds)
        assert tf.gradients(found, list(feeds.values())) == [None] * 5


@pytest.mark.parametrize('name, rank', [('values', 2), ('bootstrap_value', 1), ('log_rhos', 2)])
def test_wrong_rank(name, rank):
    feeds = make_feeds()
    feeds[name] = feeds[name][..., np.newaxis]
    with pytest.raises(ValueError, match=f'`{name}` must have rank {rank}, but its shape is'):
        reference.evaluate(vtrace.upgo_advantages, feeds)

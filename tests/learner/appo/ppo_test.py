"""The maths of PPO against loops written from the papers, and where gradients may flow."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner.appo import ppo

T, B = 5, 3
RNG = np.random.RandomState(0)
LOG_RATIOS = RNG.normal(scale=0.5, size=[T, B]).astype(np.float32)
ADVANTAGES = RNG.normal(size=[T, B]).astype(np.float32)
MASK = (RNG.uniform(size=[T, B]) < 0.7).astype(np.float32)


def run(build, *arrays):
    """The value of `build` of constants, and its gradients (None where there is none)."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.constant(array) for array in arrays]
        value = build(*inputs)
        found = tf.gradients(value, inputs) if value.dtype.is_floating else []
        kept = [g for g in found if g is not None]
        value, kept = session.run([value, kept])
        rest = iter(kept)
        return value, [None if g is None else next(rest) for g in found]


def test_ratios():
    log_pi, log_mu = RNG.normal(size=[2, T, B]).astype(np.float32)
    log_pi[0, 0] = log_mu[0, 0] + 50
    value, (of_pi, of_mu) = run(ppo.ratios, log_pi, log_mu)
    expected = np.exp(np.minimum(log_pi.astype(np.float64) - log_mu, 20))
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    expected[0, 0] = 0
    np.testing.assert_allclose(of_pi, expected, rtol=1e-5)
    assert of_mu is None


@pytest.mark.parametrize('clip', [0.0, 0.1, 2.0])
def test_policy_loss_and_its_gradient(clip):
    ratios = np.exp(LOG_RATIOS)
    value, (of_ratios, of_advantages) = run(
        lambda r, a: ppo.policy_loss(r, a, clip), ratios, ADVANTAGES
    )
    is_clipped, _ = run(lambda r, a: ppo.is_clipped(r, a, clip), ratios, ADVANTAGES)
    low, high = (1 / (1 + clip), 1 + clip) if clip else (0, np.inf)
    for index in np.ndindex(T, B):
        r, a = float(ratios[index]), float(ADVANTAGES[index])
        bounded = max(low, min(high, r))
        np.testing.assert_allclose(value[index], -min(r * a, bounded * a), rtol=1e-5)
        outside = (a > 0 and r > high) or (a < 0 and r < low)
        np.testing.assert_allclose(of_ratios[index], 0 if outside else -a, rtol=1e-5)
        assert is_clipped[index] == outside
    assert of_advantages is None
    assert is_clipped.any() == bool(clip)


@pytest.mark.parametrize('clip', [0.0, 0.3])
def test_value_loss_and_its_gradient(clip):
    rng = np.random.RandomState(1)
    targets, values, old = rng.normal(size=[3, T, B]).astype(np.float32)
    loss, (of_targets, of_values, of_old) = run(
        lambda *x: ppo.value_loss(*x, clip=clip), targets, values, old
    )
    num_clipped = 0
    for index in np.ndindex(T, B):
        g, v, o = (float(x[index]) for x in (targets, values, old))
        near = o + max(-clip, min(clip, v - o))
        is_near = clip and (g - near) ** 2 > (g - v) ** 2
        np.testing.assert_allclose(
            loss[index], 0.5 * max((g - v) ** 2, (g - near) ** 2 if clip else 0), rtol=1e-5
        )
        np.testing.assert_allclose(of_values[index], 0 if is_near else v - g, atol=1e-6)
        num_clipped += bool(is_near)
    assert of_targets is None and of_old is None
    assert bool(num_clipped) == bool(clip)


def test_advantages_are_gae_if_the_targets_are_those_of_td_lambda():
    """A_t = sum over l of (discount * lambda)^l * delta_{t+l}, equation 16 of GAE."""
    rng, decay = np.random.RandomState(2), 0.7
    rewards, values = rng.normal(size=[2, T, B]).astype(np.float32)
    last = rng.normal(size=[B]).astype(np.float32)
    discounts = rng.choice([0.0, 0.9], size=[T, B]).astype(np.float32)
    next_values = np.concatenate([values[1:], last[np.newaxis]])
    deltas = rewards + discounts * next_values - values
    expected = np.zeros([T + 1, B])
    for t in reversed(range(T)):
        expected[t] = deltas[t] + discounts[t] * decay * expected[t + 1]
    expected = expected[:T]

    def build(r, d, v, last, vs):
        return ppo.advantages(r, d, v, last, vs, decay, tf.constant(MASK))

    arrays = rewards, discounts, values, last, values + expected.astype(np.float32)
    found, gradients = run(build, *arrays)
    np.testing.assert_allclose(found, MASK * expected, rtol=1e-4, atol=1e-5)
    assert gradients == [None] * 5


def test_normalised_advantages():
    found, _ = run(lambda a: ppo.normalised(a, tf.constant(MASK)), ADVANTAGES)
    counted = ADVANTAGES[MASK > 0]
    expected = (ADVANTAGES - counted.mean()) / (counted.std() + 1e-5)
    np.testing.assert_allclose(found, MASK * expected, rtol=1e-4, atol=1e-5)
    assert 0 < MASK.mean() < 1


@pytest.mark.parametrize('mask', [0.0, 1.0])
def test_equal_advantages_are_finite(mask):
    equal = np.full([T, B], 3, np.float32)
    found, _ = run(lambda a: ppo.normalised(a, tf.fill([T, B], mask)), equal)
    np.testing.assert_allclose(found, 0, atol=1e-3)

"""The maths of Q learning against slow NumPy, and where gradients may flow."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner.r2d2 import q_learning

T, B = 7, 4


def run(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(function(*[tf.constant(array) for array in arrays]))


def slow_rescale(x, epsilon=1e-3):
    return np.sign(x) * (np.sqrt(np.abs(x) + 1) - 1) + epsilon * x


VALUES = np.array([-1e6, -300, -7, -1, -1e-3, 0, 1e-3, 0.5, 1, 26, 6000, 1e6])


def test_rescale():
    result = run(q_learning.rescale, VALUES.astype(np.float32))
    np.testing.assert_allclose(result, slow_rescale(VALUES), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize('epsilon', [1e-3, 1e-2])
def test_unscale_is_the_formula_of_the_paper(epsilon):
    """sign(x) (((sqrt(1 + 4 eps (|x| + 1 + eps)) - 1) / (2 eps))^2 - 1), in float64."""
    x = np.linspace(-40, 40, 33)
    root = (np.sqrt(1 + 4 * epsilon * (np.abs(x) + 1 + epsilon)) - 1) / (2 * epsilon)
    result = run(lambda t: q_learning.unscale(t, epsilon), x.astype(np.float32))
    np.testing.assert_allclose(result, np.sign(x) * (root**2 - 1), rtol=1e-5, atol=1e-6)


def test_unscale_is_the_inverse():
    result = run(lambda t: q_learning.unscale(q_learning.rescale(t)), VALUES.astype(np.float32))
    np.testing.assert_allclose(result, VALUES, rtol=1e-4, atol=1e-6)


def slow_returns(rewards, discounts, values, cut, num_steps):
    """Every step on its own, forwards."""
    result = np.zeros_like(rewards)
    for t, b in np.ndindex(*rewards.shape):
        total, factor = 0.0, 1.0
        for k in range(num_steps + 1):
            if k == num_steps or t + k == len(rewards) or cut[t + k, b]:
                total += factor * values[t + k, b]
                break
            total += factor * rewards[t + k, b]
            factor *= discounts[t + k, b]
        result[t, b] = total
    return result


@pytest.mark.parametrize('num_steps', [1, 3, T, T + 5])
def test_n_step_returns(num_steps):
    rng = np.random.RandomState(num_steps)
    rewards = rng.normal(size=[T, B])
    # Steps of different lengths, and ends of episodes.
    discounts = 0.9 ** rng.randint(1, 5, size=[T, B]) * (rng.uniform(size=[T, B]) < 0.8)
    values = 10 * rng.normal(size=[T + 1, B])
    cut = rng.uniform(size=[T, B]) < 0.2
    arrays = [array.astype(np.float32) for array in (rewards, discounts, values)]
    result = run(lambda *t: q_learning.n_step_returns(*t, num_steps), *arrays, cut)
    expected = slow_returns(rewards, discounts, values, cut, num_steps)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    assert cut.any() and (discounts == 0).any()


def test_munchausen_bonus():
    values = np.array([1.0, 1.0, 1.0, -3.0], np.float32)
    soft_values = np.array([1.25, 0.9999, 4.0, -2.5], np.float32)
    result = run(lambda v, s: q_learning.munchausen_bonus(v, s, 0.9), values, soft_values)
    np.testing.assert_allclose(result, 0.9 * np.array([-0.25, 0.0, -1.0, -0.5]), rtol=1e-6)


def test_the_loss_and_its_gradient():
    rng = np.random.RandomState(0)
    targets, q_values = rng.normal(size=[2, T, B]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = tf.constant(targets), tf.constant(q_values)
        loss = q_learning.q_loss(*inputs)
        to_targets, to_values = tf.gradients(loss, inputs)
        assert to_targets is None
        value, gradient = session.run([loss, to_values])
    np.testing.assert_allclose(value, (targets - q_values) ** 2 / 2, rtol=1e-5)
    np.testing.assert_allclose(gradient, q_values - targets, rtol=1e-5)

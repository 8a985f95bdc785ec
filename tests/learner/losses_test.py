import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import losses

RNG = np.random.RandomState(0)
X = RNG.normal(size=(6, 4)).astype(np.float32)
Y = RNG.normal(size=(6, 4)).astype(np.float32)
ONES = np.ones([6, 4], np.float32)


def _evaluate(function, *arrays):
    """Returns the loss on arrays of [T, B] and its gradients, None where no gradient flows."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(tf.float32, [None, None]) for _ in arrays]
        loss = function(*inputs)
        gradients = tf.gradients(loss, inputs)
        flowing = [gradient for gradient in gradients if gradient is not None]
        values = session.run([loss] + flowing, dict(zip(inputs, arrays)))
    rest = iter(values[1:])
    return values[0], [None if gradient is None else next(rest) for gradient in gradients]


@pytest.mark.parametrize(
    'function, inputs, loss, gradients',
    [
        (losses.policy_gradient_loss, (X, Y), -X * Y, (-Y, None)),
        (losses.baseline_loss, (X, Y), (X - Y) ** 2 / 2, (None, Y - X)),
        (losses.entropy_loss, (X,), -X, (-ONES,)),
        (losses.policy_cloning_loss, (X,), X, (ONES,)),
        (losses.value_cloning_loss, (X, Y), (X - Y) ** 2, (2 * (X - Y), None)),
    ],
)
def test_losses_and_their_gradients(function, inputs, loss, gradients):
    actual_loss, actual_gradients = _evaluate(function, *inputs)
    assert actual_loss.shape == (6, 4)
    np.testing.assert_allclose(actual_loss, loss, rtol=1e-5, atol=1e-5)
    for actual, expected in zip(actual_gradients, gradients):
        if expected is None:
            assert actual is None
        else:
            np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_policy_gradient_increases_the_probability_of_good_actions():
    _, (gradient, _) = _evaluate(losses.policy_gradient_loss, X, np.abs(Y))
    assert np.all(gradient < 0)


DONE = np.array([[False, True], [True, False], [False, False]])
STEP_MUL = np.array([[1, 4], [8, 16], [24, 2]], np.int32)


def _discounts(discounting, per_frame, step_mul=STEP_MUL):
    with tf.Graph().as_default(), tf.Session() as session:
        done = tf.placeholder(tf.bool, [None, None])
        return session.run(
            losses.step_discounts(done, step_mul, discounting, per_frame), {done: DONE}
        )


def test_discounts_per_step_ignore_the_step_multiplier():
    discounts = _discounts(0.9, per_frame=False)
    np.testing.assert_allclose(discounts, [[0.9, 0], [0, 0.9], [0.9, 0.9]], rtol=1e-6)
    assert discounts.dtype == np.float32


def test_discounts_per_frame_depend_on_the_step_multiplier():
    discounts = _discounts(0.9, per_frame=True)
    expected = [[0.9 ** (1 / 8), 0], [0, 0.9**2], [0.9**3, 0.9 ** (1 / 4)]]
    np.testing.assert_allclose(discounts, expected, rtol=1e-6)


def test_discounts_per_frame_with_a_fixed_step_multiplier():
    discounts = _discounts(0.9, per_frame=True, step_mul=16)
    np.testing.assert_allclose(discounts, [[0.81, 0], [0, 0.81], [0.81, 0.81]], rtol=1e-6)


@pytest.mark.parametrize('per_frame', [False, True])
def test_discounts_of_one_and_zero(per_frame):
    np.testing.assert_array_equal(_discounts(1.0, per_frame), 1.0 - DONE)
    np.testing.assert_array_equal(_discounts(0.0, per_frame), np.zeros([3, 2]))

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from tests.vtrace import reference

SHAPES = ['static', 'rank', 'unknown']
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100]


def _feeds(num_steps, *trailing):
    rng = np.random.RandomState(num_steps)
    return {
        'a': rng.uniform(-1, 1, (num_steps,) + trailing).astype(np.float32),
        'b': rng.normal(size=(num_steps,) + trailing).astype(np.float32),
        'initial': rng.normal(size=trailing).astype(np.float32),
    }


@pytest.mark.parametrize(
    'num_steps, shapes', [(length, SHAPES[i % 3]) for i, length in enumerate(LENGTHS)]
)
def test_equals_a_loop(num_steps, shapes):
    feeds = _feeds(num_steps, 3)
    x = reference.evaluate(vtrace.reverse_linear_recurrence, feeds, shapes)
    assert x.shape == (num_steps, 3)
    np.testing.assert_allclose(x, reference.linear_recurrence(**feeds), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('trailing', [(), (2, 3)])
def test_any_trailing_dimensions(trailing):
    feeds = _feeds(6, *trailing)
    x = reference.evaluate(vtrace.reverse_linear_recurrence, feeds)
    np.testing.assert_allclose(x, reference.linear_recurrence(**feeds), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('shapes', SHAPES)
def test_weights_broadcast_over_trailing_dimensions(shapes):
    feeds = _feeds(6, 2, 3)
    feeds['a'] = feeds['a'][..., :1]
    x = reference.evaluate(vtrace.reverse_linear_recurrence, feeds, shapes)
    np.testing.assert_allclose(x, reference.linear_recurrence(**feeds), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('shapes', ['static', 'unknown'])
@pytest.mark.parametrize('num_steps', [1, 2, 7, 16])
def test_gradients(num_steps, shapes):
    feeds = _feeds(num_steps, 3)
    feeds['weights'] = np.random.RandomState(0).normal(size=(num_steps, 3)).astype(np.float32)

    def gradients(a, b, initial, weights):
        x = vtrace.reverse_linear_recurrence(a, b, initial)
        return tf.gradients(tf.reduce_sum(weights * x), [a, b, initial])

    grad_a, grad_b, grad_initial = reference.evaluate(gradients, feeds, shapes)

    # d x_s / d b_t = a_s * ... * a_{t-1}, and d x_s / d a_t = x_{t+1} * d x_s / d b_t.
    a, weights, initial = feeds['a'], feeds['weights'], feeds['initial']
    expected_b = np.zeros([num_steps, 3])
    for t in range(num_steps):
        for s in range(t + 1):
            expected_b[t] += weights[s] * np.prod(a[s:t], axis=0)
    x = reference.linear_recurrence(a, feeds['b'], initial)
    x_tp1 = np.concatenate([x[1:], initial[np.newaxis]])
    np.testing.assert_allclose(grad_b, expected_b, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(grad_a, expected_b * x_tp1, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(grad_initial, expected_b[-1] * a[-1], rtol=1e-5, atol=1e-5)


def test_keeps_the_static_shape():
    with tf.Graph().as_default():
        for shape in ([5, 3], [None, 3], [5, None]):
            b = tf.placeholder(tf.float32, shape)
            x = vtrace.reverse_linear_recurrence(b, b, tf.zeros([3]))
            assert x.shape.as_list()[0] == shape[0]
            assert x.shape.rank == 2


def test_known_length_needs_no_loop():
    with tf.Graph().as_default() as graph:
        b = tf.placeholder(tf.float32, [400, None])
        vtrace.reverse_linear_recurrence(b, b, b[0])
        assert not [op for op in graph.get_operations() if 'While' in op.type or 'Enter' in op.type]

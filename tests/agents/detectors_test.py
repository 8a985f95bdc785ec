"""Detectors compared with NumPy, and their gradients with those of usual operations."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import detectors

N, HEIGHT, WIDTH, CHANNELS, NUMBER = 3, 4, 7, 5, 6


def random(seed, *shape):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def usual(images, layer):
    """The same by operations whose gradient passes all pixels."""
    outputs = tf.nn.conv2d(images, layer.w + 0.0, strides=1, padding='SAME') + layer.b
    return tf.reduce_max(tf.nn.relu(outputs), axis=[1, 2])


def evaluate(images, w, b, d_output, function=None):
    """Returns the output and the gradients of the images, of w and of b for one `d_output`."""
    with tf.Graph().as_default(), tf.Session() as session:
        layer = detectors.Detectors(w.shape[-1])
        fed = tf.placeholder(tf.float32, (None,) + images.shape[1:])
        output = layer(fed)
        if function:
            output = function(fed, layer)
        gradients = tf.gradients(output, [fed, layer.w, layer.b], tf.constant(d_output))
        session.run(tf.global_variables_initializer())
        layer.w.load(w, session)
        layer.b.load(b, session)
        return session.run([output] + gradients, {fed: images})


def test_outputs_and_gradients_are_those_of_usual_operations():
    images, w = random(0, N, HEIGHT, WIDTH, CHANNELS), random(1, 1, 1, CHANNELS, NUMBER)
    b = np.array([0.3, -0.2, 0.0, -20.0, 1.0, -0.7], np.float32)
    d_output = random(2, N, NUMBER)
    found = evaluate(images, w, b, d_output)
    for one, other in zip(found, evaluate(images, w, b, d_output, usual)):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    expected = np.maximum(images @ w[0, 0] + b, 0).max(axis=(1, 2))
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-5)
    assert (expected[:, 3] == 0).all() and (np.delete(expected, 3, axis=1) > 0).all()


def test_a_detector_below_zero_has_no_gradient():
    images, w = random(0, N, HEIGHT, WIDTH, CHANNELS), random(1, 1, 1, CHANNELS, NUMBER)
    _, d_images, d_w, d_b = evaluate(images, w, np.full(NUMBER, -50, 'f'), random(2, N, NUMBER))
    assert not d_images.any() and not d_w.any() and not d_b.any()


@pytest.mark.parametrize('row, column', [(0, 0), (0, 6), (2, 3), (3, 6)])
def test_the_first_of_equal_pixels_has_the_gradient(row, column):
    images = np.zeros([2, HEIGHT, WIDTH, 1], np.float32)
    images[1, row, column:] = 2.0
    images[1, row + 1 :] = 2.0
    w = np.ones([1, 1, 1, 1], np.float32)
    output, d_images, d_w, d_b = evaluate(images, w, np.ones(1, 'f'), np.array([[3.0], [5.0]], 'f'))
    np.testing.assert_array_equal(output, [[1.0], [3.0]])
    expected = np.zeros_like(images)
    expected[0, 0, 0, 0] = 3.0
    expected[1, row, column, 0] = 5.0
    np.testing.assert_array_equal(d_images, expected)
    np.testing.assert_array_equal(d_w, [[[[10.0]]]])
    np.testing.assert_array_equal(d_b, [8.0])


def test_one_pixel_may_have_the_maxima_of_several_detectors():
    images = np.zeros([1, HEIGHT, WIDTH, 1], np.float32)
    images[0, 1, 2] = 2.0
    w = np.array([1.0, 10.0], 'f').reshape([1, 1, 1, 2])
    _, d_images, d_w, _ = evaluate(images, w, np.zeros(2, 'f'), np.array([[3.0, 0.5]], 'f'))
    assert d_images[0, 1, 2, 0] == 3.0 + 5.0
    assert np.count_nonzero(d_images) == 1
    np.testing.assert_array_equal(d_w[0, 0], [[6.0, 1.0]])

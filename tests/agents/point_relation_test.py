"""Logits that depend on the offset from a point, against loops over pixels."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import point_relation

N, CONTEXT = 4, 3
SIZES = [(7, 5), (4, 6), (16, 16)]


def functions(dx, dy):
    """All f_k at an offset in fractions of the shorter side, float [K].

    The point itself comes first, then each direction of each distance.
    """
    knots = [0, 1.5, 3, 4.5, 6, 9, 12, 16, 24]
    distance, angle = 24 * np.hypot(dx, dy), np.arctan2(dy, dx)
    values = []
    for index, knot in enumerate(knots):
        if distance >= knots[-1]:
            ring = float(knot == knots[-1])
        elif distance >= knot:
            ring = max(0.0, 1 - (distance - knot) / (knots[index + 1] - knot))
        else:
            ring = max(0.0, 1 - (knot - distance) / (knot - knots[index - 1]))
        if index == 0:
            values.append(ring)
            continue
        for direction in range(8):
            apart = abs((angle - direction * np.pi / 4 + np.pi) % (2 * np.pi) - np.pi)
            values.append(ring * max(0.0, 1 - apart / (np.pi / 4)))
    return np.array(values)


def build(size):
    """The module, its inputs, and its output; the weights are random."""
    rng = np.random.RandomState(1)
    context = tf.constant(rng.normal(size=[N, CONTEXT]), tf.float32)
    point = rng.randint(size[0] * size[1], size=N)
    module = point_relation.PointRelation(size)
    output = module(context, tf.constant(point, tf.int32))
    return module, context, point, output, rng


@pytest.mark.parametrize('size', SIZES)
def test_against_loops(size):
    width, height = size
    with tf.Graph().as_default(), tf.Session() as session:
        module, context, point, output, rng = build(size)
        (weights,) = module.trainable_variables
        session.run(tf.global_variables_initializer())
        assert not session.run(output).any()
        weights.load(rng.normal(size=weights.shape.as_list()), session)
        context, weights, output = session.run([context, weights, output])
    assert output.shape == (N, width * height)
    for n in range(N):
        y0, x0 = divmod(point[n], width)
        for y in range(height):
            for x in range(width):
                f = functions((x - x0) / min(size), (y - y0) / min(size))
                expected = (context[n] @ weights) @ f
                np.testing.assert_allclose(output[n, y * width + x], expected, atol=1e-4)


def test_weights_learn_where_context_is():
    with tf.Graph().as_default(), tf.Session() as session:
        module, context, _, output, _ = build((7, 5))
        chosen = tf.reduce_sum(output[:, 3])
        (of_weights,) = tf.gradients(chosen, module.trainable_variables)
        session.run(tf.global_variables_initializer())
        of_weights, context = session.run([of_weights, context])
    # Linear: the gradient of the weights of f_k is the context times f_k.
    assert of_weights.any()
    assert np.linalg.matrix_rank(of_weights) <= N
    assert not of_weights[:, ~of_weights.any(axis=0)].any()


@pytest.mark.parametrize('size, stride', [((6, 4), 1), ((6, 4), 2), ((7, 5), 2)])
def test_features_at_a_point(size, stride):
    width, height = size
    rows, columns = -(-height // stride), -(-width // stride)
    images = np.random.RandomState(0).normal(size=[N, rows, columns, 2]).astype(np.float32)
    point = np.array([0, width * height - 1, width - 1, width + 2])
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(
            point_relation.at_point(tf.constant(images), tf.constant(point, tf.int32), size)
        )
    for n in range(N):
        y, x = divmod(point[n], width)
        np.testing.assert_allclose(found[n], images[n, y // stride, x // stride])

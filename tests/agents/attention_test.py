"""Attention against NumPy, its symmetry, and how far each module sees."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import attention

N, HEADS, SIZE, C = 3, 2, 4, 6


def run(make, images):
    """The output of a module on float32 [N, ...], and its variables by the end of their names."""
    with tf.Graph().as_default(), tf.Session() as session:
        module = make()
        output = module(tf.placeholder_with_default(images, (None,) + images.shape[1:]))
        session.run(tf.global_variables_initializer())
        rng = np.random.RandomState(0)
        for variable in tf.global_variables():
            variable.load(rng.normal(size=variable.shape.as_list()), session)
        values = session.run({v.name[:-2]: v for v in tf.global_variables()})
        return session.run(output), values


def random(*shape):
    return np.random.RandomState(1).normal(size=shape).astype(np.float32)


def norm(values, scale, offset):
    centred = values - values.mean(-1, keepdims=True)
    return scale * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) + offset


def test_a_block_agrees_with_numpy():
    entities = random(N, 5, C)
    found, values = run(lambda: attention.AttentionBlock(HEADS, SIZE, C, 'block'), entities)

    def variable(end):
        (name,) = [name for name in values if name.endswith(end)]
        return values[name].astype(np.float64)

    normalised = norm(entities, variable('input_norm/scale'), variable('input_norm/offset'))
    projected = normalised.dot(variable('projection/w'))
    attended = np.zeros([N, 5, HEADS * SIZE])
    for row in range(N):
        for head in range(HEADS):
            query, key, value = (
                projected[row, :, (part * HEADS + head) * SIZE :][:, :SIZE] for part in range(3)
            )
            for i in range(5):
                weights = np.exp([query[i].dot(k) / np.sqrt(SIZE) for k in key])
                attended[row, i, head * SIZE : (head + 1) * SIZE] = (weights / weights.sum()).dot(
                    value
                )
    hidden = np.maximum(0, attended.dot(variable('linear_0/w')) + variable('linear_0/b'))
    expected = entities + hidden.dot(variable('linear_1/w')) + variable('linear_1/b')
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_weights_are_distributions():
    def weights():
        block = attention.AttentionBlock(HEADS, SIZE, C, 'block')
        return lambda entities: block.attend(entities)[0]

    found, _ = run(weights, random(N, 5, C))
    assert found.shape == (N, HEADS, 5, 5)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)
    assert found.std() > 0.01


def test_order_of_entities_changes_nothing():
    entities, order = random(N, 5, C), [3, 0, 4, 1, 2]
    outputs = [
        run(lambda: attention.AttentionBlock(HEADS, SIZE, C, 'block'), x)[0]
        for x in (entities, entities[:, order])
    ]
    np.testing.assert_allclose(outputs[0][:, order], outputs[1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    'make, reach',
    [
        (lambda: attention.RelationalModule(1, HEADS, SIZE, C), 8),
        (lambda: attention.ResidualModule(1, C), 2),
        (lambda: attention.ResidualModule(2, C), 4),
    ],
)
def test_how_far_a_pixel_is_seen(make, reach):
    images = random(1, 9, 9, C)
    changed = images.copy()
    changed[0, 0, 0] += 1
    before, after = (run(make, x)[0] for x in (images, changed))
    assert before.shape == (1, 9, 9, C)
    rows, columns = np.nonzero(np.abs(before - after)[0].max(-1) > 1e-4)
    assert rows.max() == columns.max() == reach


def test_pixels_know_where_they_are():
    """Without coordinates all pixels of an image of one colour would be the same."""
    output, _ = run(
        lambda: attention.RelationalModule(1, HEADS, SIZE, C), np.ones([1, 3, 4, C], np.float32)
    )
    assert len(np.unique(np.round(output.reshape(12, C), 4), axis=0)) == 12

"""Columns of bootstrapped heads: masks that stay, and means over the right axis."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.learner.r2d2 import bootstrap
from tests.hashing_test import numpy_uniform

B, H = 3, 4


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def test_columns_of_a_sequence_stand_together():
    with tf.Graph().as_default():
        array = np.arange(2 * B).reshape(2, B)
        found = run(bootstrap.repeat({'a': tf.constant(array)}, H, axis=1))['a']
        for b in range(B):
            for h in range(H):
                np.testing.assert_array_equal(found[:, b * H + h], array[:, b])
        values = np.random.RandomState(0).normal(size=[2, B * H])
        means = run(bootstrap.mean(tf.constant(values), H))
    np.testing.assert_allclose(means, values.reshape(2, B, H).mean(axis=-1))


def test_shares_are_a_function_of_the_key():
    keys = np.array([5, 2**40 + 5, 6, 5])
    with tf.Graph().as_default():
        found, of_all = run(
            [bootstrap.shares(tf.constant(keys), H, probability) for probability in (0.5, 1.0)]
        )
    expected = [[(numpy_uniform(key, h) < 0.5) / H for h in range(H)] for key in keys]
    np.testing.assert_array_equal(found.reshape(4, H), expected)
    np.testing.assert_array_equal(of_all, np.full([4 * H], 1 / H))


def test_the_mask_has_its_probability():
    count = 4000
    with tf.Graph().as_default():
        found = H * run(bootstrap.shares(tf.range(count, dtype=tf.int64), H, 0.3))
    found = found.reshape(count, H)
    assert set(np.unique(found)) == {0.0, 1.0}
    np.testing.assert_allclose(found.mean(axis=0), 0.3, atol=4 * np.sqrt(0.21 / count))
    correlations = np.corrcoef(found.T)[~np.eye(H, dtype=bool)]
    assert np.abs(correlations).max() < 4 / np.sqrt(count)


def test_disagreement_is_the_mean_deviation_of_what_counts():
    rng = np.random.RandomState(1)
    values = rng.normal(size=[5, B, H]).astype(np.float32)
    mask = (rng.uniform(size=[5, B]) < 0.6).astype(np.float32)
    with tf.Graph().as_default():
        found = run(
            bootstrap.metrics(
                tf.constant(values.reshape(5, B * H)),
                tf.constant(np.repeat(mask, H, axis=1)),
                H,
            )
        )
    expected = values.std(axis=-1)[mask > 0].mean()
    np.testing.assert_allclose(found['q/std_of_heads'], expected, rtol=1e-5)

"""Priorities and importance weights against NumPy, and where no gradient may flow."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import optimization, prioritisation
from sc2impala.settings.learning import PrioritySettings
from tests.learner import table_agent

T, B = 5, 4


def slow_priorities(errors, mask, max_share):
    result = []
    for b in range(errors.shape[1]):
        sizes = [abs(e) for e, m in zip(errors[:, b], mask[:, b]) if m]
        if not sizes:
            result.append(0.0)
        else:
            result.append(max_share * max(sizes) + (1 - max_share) * sum(sizes) / len(sizes))
    return result


@pytest.mark.parametrize('max_share', [0.0, 0.3, 1.0])
def test_priorities(max_share):
    rng = np.random.RandomState(0)
    errors = rng.normal(size=[T, B]).astype(np.float32)
    mask = (rng.uniform(size=[T, B]) < 0.6).astype(np.float32)
    # The largest error of a column does not count, another column has no step that counts.
    errors[2, 0], mask[2, 0] = -50.0, 0.0
    mask[:, 3] = 0.0
    with tf.Graph().as_default(), tf.Session() as session:
        errors_tensor = tf.constant(errors)
        priorities = prioritisation.sequence_priorities(errors_tensor, tf.constant(mask), max_share)
        assert tf.gradients(priorities, errors_tensor) == [None]
        result = session.run(priorities)
    np.testing.assert_allclose(result, slow_priorities(errors, mask, max_share), rtol=1e-6)
    assert result[3] == 0


@pytest.mark.parametrize('exponent', [0.0, 0.4, 1.0])
def test_weights(exponent):
    """(N P)^-beta / max (N P)^-beta, of the columns that were drawn, whatever N is."""
    probabilities = np.array([1.0, 0.02, 0.5, 0.1, 1e-6], np.float32)
    sampled = np.array([False, True, True, True, False])
    size = 37
    drawn = (size * probabilities[sampled].astype(np.float64)) ** -exponent
    with tf.Graph().as_default(), tf.Session() as session:
        tensor = tf.constant(probabilities)
        weights = prioritisation.importance_weights(
            tensor, tf.constant(sampled), tf.constant(exponent)
        )
        assert tf.gradients(weights, tensor) == [None]
        result = session.run(weights)
    np.testing.assert_allclose(result[sampled], drawn / drawn.max(), rtol=1e-6)
    np.testing.assert_array_equal(result[~sampled], 1.0)


def test_weights_of_uniform_sampling_are_exactly_1():
    with tf.Graph().as_default(), tf.Session() as session:
        probabilities = tf.constant([1.0, 1 / 3, 1 / 3], tf.float32)
        weights = prioritisation.importance_weights(
            probabilities, tf.constant([False, True, True]), tf.constant(0.6)
        )
        np.testing.assert_array_equal(session.run(weights), 1.0)


@pytest.mark.parametrize('final, expected', [(-1.0, 0.5), (1.0, 0.75)])
def test_the_schedule_of_a_batch(final, expected):
    """Half-way; the column without a key was not drawn."""
    outputs = table_agent.random_outputs(0, T, B)
    env = table_agent.random_env_outputs(1, T, B)
    settings = PrioritySettings(importance_exponent=0.5, final_importance_exponent=final)
    with tf.Graph().as_default(), tf.Session() as session:
        batch = table_agent.make_batch(env, outputs, [False, True, True, True])
        batch = batch._replace(
            probabilities=tf.constant([0.001, 0.01, 0.04, 0.001]),
            keys=tf.constant([3, 7, 8, -1], tf.int64),
        )
        frames = tf.Variable(500, dtype=tf.int64)
        schedule = optimization.Schedule(frames, 1000)
        session.run(frames.initializer)
        weights = session.run(prioritisation.batch_weights(batch, settings, schedule))
    np.testing.assert_allclose(weights, [1, 1, 0.25**expected, 1], rtol=1e-6)

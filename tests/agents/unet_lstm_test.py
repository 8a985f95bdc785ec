"""Sizes of the U-Net's maps, what each of its outputs depends on, and its positions."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import unet_lstm
from sc2impala.agents.entities import map_sizes
from sc2impala.agents.recurrent import Features


def build(size, num_steps=2):
    """Returns session, feed of a single game, core, output and state; the weights are random."""
    core = unet_lstm.UNetCore(map_sizes(*size), unet_lstm.FULL_CHANNELS)
    spatial = tf.placeholder(tf.float32, (num_steps, None) + size + (16,))
    vector = tf.placeholder(tf.float32, [num_steps, None, 5])
    done = tf.placeholder(tf.bool, [num_steps, None])
    state = core.initial_state(tf.shape(vector)[1])
    output, state = core.unroll(Features(spatial, vector), done, state)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    feed = {
        spatial: rng.rand(*((num_steps, 1) + size + (16,))),
        vector: rng.rand(num_steps, 1, 5),
        done: np.zeros([num_steps, 1], bool),
    }
    return session, feed, core, output, state


@pytest.mark.parametrize('size', [(8, 8), (16, 16), (17, 40)])
def test_the_output_has_the_size_of_the_screen(size):
    with tf.Graph().as_default():
        session, feed, _, output, state = build(size)
        channels = unet_lstm.FULL_CHANNELS if size != (8, 8) else unet_lstm.CHANNELS
        assert output.spatial.shape.as_list()[2:] == list(size) + [channels]
        with session:
            output, state = session.run([output, state], feed)
    assert output.spatial.shape == (2, 1) + size + (channels,)
    assert output.vector.shape == (2, 1, unet_lstm.LSTM_SIZE + unet_lstm.NUM_DETECTORS)
    assert [part.shape for part in state] == [(1, unet_lstm.LSTM_SIZE)] * 2


def test_each_pixel_depends_on_the_whole_screen_and_on_the_past_up_to_the_last_reset():
    with tf.Graph().as_default():
        session, feed, _, output, _ = build((16, 16), num_steps=3)
        spatial, _, done = feed
        with session:
            before = session.run(output, feed)
            changed = dict(feed)
            changed[spatial] = feed[spatial].copy()
            changed[spatial][0, 0, 0, 0] += 10.0
            after = session.run(output, changed)
            first = np.abs(after.spatial - before.spatial).max(axis=-1)[:, 0]
            # The opposite corner, in the same step and later.
            assert first[0, 12:, 12:].max() > 1e-6
            assert first[1].max() > 1e-7 and first[2].max() > 1e-7
            for feeds in (feed, changed):
                feeds[done] = np.array([[False], [True], [False]])
            before, after = session.run(output, feed), session.run(output, changed)
    np.testing.assert_array_equal(after.spatial[1:], before.spatial[1:])
    np.testing.assert_array_equal(after.vector[1:], before.vector[1:])
    assert np.abs(after.vector[0] - before.vector[0]).max() > 1e-6


def test_detectors_report_the_largest_value_of_any_pixel():
    with tf.Graph().as_default():
        session, feed, _, output, _ = build((16, 16))
        with session:
            weights, bias = sorted(
                (v for v in tf.trainable_variables() if 'detectors' in v.name),
                key=lambda variable: -variable.shape.rank,
            )
            rng = np.random.RandomState(2)
            weights.load(rng.normal(size=weights.shape.as_list()), session)
            bias.load(rng.normal(size=bias.shape.as_list()), session)
            output, weights, bias = session.run([output, weights, bias], feed)
    values = np.maximum(output.spatial @ weights[0, 0] + bias, 0)
    expected = values.max(axis=(2, 3))
    # Terms that cancel leave a small value with the rounding error of the large ones.
    detected = output.vector[..., unet_lstm.LSTM_SIZE :]
    np.testing.assert_allclose(detected, expected, rtol=1e-4, atol=1e-5)
    assert (expected > 0).any() and (expected == 0).any()


def test_a_bias_belongs_to_one_pixel():
    with tf.Graph().as_default():
        layer = unet_lstm.PositionBias((3, 4), 2)
        images = tf.constant(np.random.RandomState(1).rand(5, 3, 4, 2), tf.float32)
        biased = layer(images)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            expected = session.run(images)
            np.testing.assert_array_equal(session.run(biased), expected)
            bias = np.zeros([3, 4, 2], np.float32)
            bias[2, 1, 0] = 7.0
            layer.b.load(bias, session)
            expected[:, 2, 1, 0] += 7.0
            np.testing.assert_array_equal(session.run(biased), expected)

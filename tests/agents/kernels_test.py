"""Kernels compared with Sonnet's layers and with separate steps."""

import numpy as np
import pytest
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels

T, B = 4, 3
SHAPES = {'matrix': ([], [5]), 'convolution': ([3, 3], [6, 4, 5])}


@pytest.mark.parametrize('size, layer', [([], snt.Linear(7)), ([3, 5], snt.Conv2D(7, [3, 5]))])
def test_variables_match_those_of_sonnet(size, layer):
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = tf.zeros([2, 40] if not size else [2, 4, 4, 40])
        kernel = kernels.Kernel(size, 7, name='kernel')
        kernel.create(40)
        kernel.create(40)
        layer(inputs)
        session.run(tf.global_variables_initializer())
        w, b, expected_w, expected_b = session.run([kernel.w, kernel.b, layer.w, layer.b])
        assert [v.op.name for v in tf.trainable_variables()][:2] == ['kernel/w', 'kernel/b']
    assert w.shape == expected_w.shape and b.shape == expected_b.shape
    assert not b.any()
    # Truncated at two standard deviations; with 280 and more samples both vary.
    fan_in = np.prod(w.shape[:-1])
    for values in (w, expected_w):
        assert 0.75 < values.std() * np.sqrt(fan_in) < 1.0
        assert abs(values).max() <= 2 / np.sqrt(fan_in)


def test_kernel_without_bias():
    with tf.Graph().as_default():
        kernels.Kernel([3, 3], 4, with_bias=False, name='kernel').create(2)
        assert [v.op.name for v in tf.trainable_variables()] == ['kernel/w']


def test_split_equals_the_split_output():
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = tf.constant(rng.normal(size=[2, 5, 4, 3]).astype(np.float32))
        kernel = kernels.Kernel([3, 3], 6, name='kernel')
        kernel.create(3)
        kernel.b.assign(rng.normal(size=6).astype(np.float32))
        found = [part(inputs) for part in kernel.split([4, 2])]
        whole = kernels.apply(inputs, tf.convert_to_tensor(kernel.w)) + kernel.b
        biases = kernel.b.assign(rng.normal(size=6).astype(np.float32))
        session.run(tf.global_variables_initializer())
        session.run(biases)
        expected = tf.split(whole, [4, 2], axis=-1)
        for one, other in session.run(list(zip(found, expected))):
            np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize('shape', sorted(SHAPES))
def test_fused_gradient_equals_that_of_separate_steps(shape):
    size, rest = SHAPES[shape]
    rng = np.random.RandomState(1)

    def array(*dimensions):
        return tf.constant(rng.normal(size=dimensions).astype(np.float32))

    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        kernel = kernels.Kernel(size, 7, with_bias=False, name='kernel')
        kernel.create(rest[-1])
        sums, weights = array(T, B, *(rest[:-1] + [7])), array(T, B, *(rest[:-1] + [7]))
        first, back = array(B, *rest), array(7, rest[-1])
        results = []
        for fused in (True, False):
            unrolled, add = sums, lambda sum_t, x: sum_t + kernels.apply(x, kernel.w + 0.0)
            if fused:
                unrolled, add, set_inputs = kernels.fuse_weight_gradient(kernel, sums)
            # The input of a step depends on the previous step, as in a recurrence.
            x, inputs, outputs = first, [], []
            for sum_t in tf.unstack(unrolled):
                inputs.append(x)
                outputs.append(add(sum_t, x))
                x = tf.tanh(tf.tensordot(outputs[-1], back, 1))
            if fused:
                set_inputs(inputs)
            loss = tf.reduce_sum(weights * tf.stack(outputs))
            results.append([loss] + tf.gradients(loss, [kernel.w, sums, first, back]))
        session.run(tf.global_variables_initializer())
        found, expected = session.run(results)
    for one, other in zip(found, expected):
        assert np.abs(other).max() > 0.1
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    'is_learned', [[0, 1, 1, 0, 0, 1], [0, 0, 0], [1, 1]], ids=['some', 'none', 'all']
)
def test_input_conv_equals_conv2d_over_all_channels_in_order(is_learned):
    """Compares outputs and gradients of weights and learned channels, with a stride."""
    is_learned = np.array(is_learned, bool)
    rng = np.random.RandomState(2)
    channels = rng.normal(size=[2, 6, 5, len(is_learned)]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        parts = [
            tf.constant(channels[..., mask]) if mask.any() else None
            for mask in (~is_learned, is_learned)
        ]
        conv = kernels.InputConv(7, 3, stride=2, name='conv')
        found = conv(kernels.Channels(parts[0], parts[1], is_learned))
        together = tf.constant(channels)
        expected = tf.nn.conv2d(together, conv.w, 2, 'SAME') + conv.b
        weights = tf.constant(rng.normal(size=found.shape.as_list()).astype(np.float32))
        sources = [[conv.w, conv.b] + [part for part in parts[1:] if part is not None]]
        sources.append([conv.w, conv.b, together])
        gradients = [
            tf.gradients(tf.reduce_sum(weights * out), inputs)
            for out, inputs in zip((found, expected), sources)
        ]
        bias = conv.b.assign(np.arange(7, dtype=np.float32))
        session.run(tf.global_variables_initializer())
        session.run(bias)
        values = session.run([found, expected])
        ours, reference = session.run(gradients)
    assert [v.shape for v in values] == [(2, 3, 3, 7)] * 2
    np.testing.assert_allclose(*values, atol=1e-5)
    if is_learned.any():
        reference[2] = reference[2][..., is_learned]
    assert len(ours) == 2 + is_learned.any()
    for one, other in zip(ours, reference):
        np.testing.assert_allclose(one, other, atol=1e-4)

"""Both LSTMs compared with a NumPy implementation."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import recurrent
from sc2impala.agents.recurrent import Features

T, B, C, D = 5, 3, 4, 6
HEIGHT, WIDTH = 5, 4


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _reference(input_gates, done, hidden, cell, hidden_to_gates, forget_bias):
    """The gates are in the order candidate, input, forget, output, along the last dimension."""
    outputs = []
    for t in range(T):
        hidden, cell = hidden.copy(), cell.copy()
        hidden[done[t]] = cell[done[t]] = 0
        gates = input_gates[t] + hidden_to_gates(hidden)
        candidate, input_gate, forget_gate, output_gate = np.split(gates, 4, axis=-1)
        cell = cell * _sigmoid(forget_gate + forget_bias)
        cell = cell + _sigmoid(input_gate) * np.tanh(candidate)
        hidden = _sigmoid(output_gate) * np.tanh(cell)
        outputs.append(hidden)
    return np.stack(outputs), hidden, cell


def _convolve(images, w):
    """Computes a 'SAME' convolution of [N, H, W, C] with [3, 3, C, D]."""
    padded = np.pad(images, [(0, 0), (1, 1), (1, 1), (0, 0)], mode='constant')
    height, width = images.shape[1:3]
    out = 0
    for y in range(3):
        for x in range(3):
            out = out + padded[:, y : y + height, x : x + width].dot(w[y, x])
    return out


def make_core(kind):
    return recurrent.LSTM(C) if kind == 'lstm' else recurrent.ConvLSTM(HEIGHT, WIDTH, C)


def _run(core, features, state, done, feed):
    """Returns the outputs of the unrolled core, its last state, and its variables by name."""
    outputs, last_state = core.unroll(features, tf.constant(done), state)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        biases = [v for v in tf.trainable_variables() if v.op.name.endswith('/b')]
        session.run([b.assign(feed.normal(size=b.shape.as_list())).op for b in biases])
        values = {v.op.name: session.run(v) for v in tf.trainable_variables()}
        return session.run(outputs), session.run(last_state), values


def test_lstm():
    rng = np.random.RandomState(0)
    vector = rng.normal(size=[T, B, D]).astype(np.float32)
    state = [rng.normal(size=[B, C]).astype(np.float32) for _ in range(2)]
    done = rng.uniform(size=[T, B]) < 0.3
    with tf.Graph().as_default():
        core = recurrent.LSTM(C, forget_bias=0.7)
        outputs, last_state, values = _run(
            core, Features((), tf.constant(vector)), tuple(map(tf.constant, state)), done, rng
        )
    assert outputs.spatial == ()
    input_gates = vector.dot(values['lstm/input/w']) + values['lstm/input/b']
    expected, hidden, cell = _reference(
        input_gates, done, *state, lambda h: h.dot(values['lstm/hidden/w']), 0.7
    )
    np.testing.assert_allclose(outputs.vector, expected, atol=1e-5)
    np.testing.assert_allclose(last_state, [hidden, cell], atol=1e-5)


def test_conv_lstm():
    rng = np.random.RandomState(1)
    spatial = rng.normal(size=[T, B, HEIGHT, WIDTH, 2]).astype(np.float32)
    vector = rng.normal(size=[T, B, D]).astype(np.float32)
    state = [rng.normal(size=[B, HEIGHT, WIDTH, C]).astype(np.float32) for _ in range(2)]
    done = rng.uniform(size=[T, B]) < 0.3
    with tf.Graph().as_default():
        core = recurrent.ConvLSTM(HEIGHT, WIDTH, C, forget_bias=0.7)
        features = Features(tf.constant(spatial), tf.constant(vector))
        outputs, last_state, values = _run(
            core, features, tuple(map(tf.constant, state)), done, rng
        )
    np.testing.assert_array_equal(outputs.vector, vector)
    projected = spatial.dot(values['conv_lstm/input/w'][0, 0]) + values['conv_lstm/input/b']
    vector_gates = vector.dot(values['conv_lstm/vector/w'])[:, :, np.newaxis, np.newaxis]
    expected, hidden, cell = _reference(
        projected[..., : 4 * C] + vector_gates,
        done,
        *state,
        lambda h: _convolve(h, values['conv_lstm/hidden/w']),
        0.7,
    )
    np.testing.assert_allclose(outputs.spatial, expected + projected[..., 4 * C :], atol=1e-4)
    for found, wanted in zip(last_state, [hidden, cell]):
        np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize('kind', ['lstm', 'conv_lstm'])
def test_a_loop_equals_the_recurrence_that_is_written_out(kind, monkeypatch):
    """Compares outputs, last state, and gradients of variables, features and first state."""
    rng = np.random.RandomState(2)
    state_shape = {'lstm': [B, C], 'conv_lstm': [B, HEIGHT, WIDTH, C]}[kind]
    done = rng.uniform(size=[T, B]) < 0.3

    def array(*shape):
        return tf.constant(rng.normal(size=shape).astype(np.float32))

    with tf.Graph().as_default(), tf.Session() as session:
        core = make_core(kind)
        features = Features(array(T, B, HEIGHT, WIDTH, 2), array(T, B, D))
        state = (array(*state_shape), array(*state_shape))
        weights = (array(T, *state_shape), array(*state_shape), array(*state_shape))
        results = []
        for longest in (T, T - 1):
            monkeypatch.setattr(recurrent, 'LONGEST_WRITTEN_OUT', longest)
            outputs, last = core.unroll(features, tf.constant(done), state)
            outputs = outputs.vector if kind == 'lstm' else outputs.spatial
            assert outputs.shape.as_list() == [T] + state_shape
            values = [outputs, *last]
            loss = tf.add_n([tf.reduce_sum(w * v) for w, v in zip(weights, values)])
            variables = sorted(core.trainable_variables, key=lambda v: v.name)
            sources = variables + [features.vector, *state]
            sources += [features.spatial] if kind == 'conv_lstm' else []
            results.append(values + tf.gradients(loss, sources))
        session.run(tf.global_variables_initializer())
        written_out, loop = session.run(results)
    assert len(loop) == len(written_out) >= 9
    for one, other in zip(loop, written_out):
        assert np.abs(other).max() > 0.01
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize('kind', ['lstm', 'conv_lstm'])
def test_the_graph_of_a_long_recurrence_does_not_grow(kind):
    sizes = []
    for num_steps in (recurrent.LONGEST_WRITTEN_OUT + 1, 10 * recurrent.LONGEST_WRITTEN_OUT):
        with tf.Graph().as_default() as graph:
            core = make_core(kind)
            features = Features(
                tf.placeholder(tf.float32, [num_steps, B, HEIGHT, WIDTH, 2]),
                tf.placeholder(tf.float32, [num_steps, B, D]),
            )
            done = tf.placeholder(tf.bool, [num_steps, B])
            outputs, _ = core.unroll(features, done, core.initial_state(B))
            outputs = outputs.vector if kind == 'lstm' else outputs.spatial
            tf.gradients(outputs, core.trainable_variables)
            sizes.append(len(graph.get_operations()))
    assert sizes[0] == sizes[1]


def test_initial_states_are_zero():
    with tf.Graph().as_default(), tf.Session() as session:
        flat = session.run(recurrent.LSTM(C).initial_state(B))
        images = session.run(recurrent.ConvLSTM(HEIGHT, WIDTH, C).initial_state(tf.constant(B)))
    assert [part.shape for part in flat] == [(B, C)] * 2
    assert [part.shape for part in images] == [(B, HEIGHT, WIDTH, C)] * 2
    assert not np.any(flat) and not np.any(images)

"""Sizes of the map of entities, and of what is made of it."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import entities
from sc2impala.agents.recurrent import Features


@pytest.mark.parametrize(
    'size, sizes',
    [
        ((16, 16), [(16, 16), (8, 8)]),
        ((32, 32), [(32, 32), (16, 16), (8, 8)]),
        ((42, 42), [(42, 42), (21, 21), (11, 11), (6, 6)]),
        ((8, 8), [(8, 8)]),
        ((17, 40), [(17, 40), (9, 20), (5, 10)]),
    ],
)
def test_sizes(size, sizes):
    assert entities.map_sizes(*size) == sizes


@pytest.mark.parametrize('size', [(3, 4), (16, 16), (17, 40)])
def test_the_output_has_the_size_of_the_screen(size):
    sizes = entities.map_sizes(*size)
    with tf.Graph().as_default(), tf.Session() as session:
        core = entities.EntityCore(sizes, lambda images: images)
        spatial = tf.placeholder(tf.float32, (2, None) + sizes[-1] + (7,))
        vector = tf.placeholder(tf.float32, [2, None, 5])
        done = tf.zeros(tf.shape(vector)[:2], tf.bool)
        state = core.initial_state(tf.shape(vector)[1])
        output, state = core.unroll(Features(spatial, vector), done, state)
        assert output.spatial.shape.as_list()[2:] == list(size) + [entities.CHANNELS]
        session.run(tf.global_variables_initializer())
        feed = {spatial: np.ones((2, 3) + sizes[-1] + (7,)), vector: np.ones([2, 3, 5])}
        output, state = session.run([output, state], feed)
    assert output.spatial.shape == (2, 3) + size + (entities.CHANNELS,)
    assert output.vector.shape == (2, 3, entities.HIDDEN_SIZE)
    assert state[0].shape == (3,) + sizes[-1] + (entities.CHANNELS,)

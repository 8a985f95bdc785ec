"""The point head whose features are coarser than the image."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import heads
from sc2impala.agents.recurrent import Features


@pytest.mark.parametrize(
    'rows, columns, height, width', [(3, 4, 3, 4), (3, 4, 6, 8), (3, 4, 8, 11)]
)
def test_each_feature_gives_the_logits_of_its_own_pixels(rows, columns, height, width):
    factor = -(-height // rows)
    with tf.Graph().as_default(), tf.Session() as session:
        head = heads.SubpixelPointHead(width, height, name='screen')
        spatial = tf.placeholder(tf.float32, [None, rows, columns, 5])
        logits = head(Features(spatial, ()))
        assert logits.shape.as_list() == [None, height * width]
        session.run(tf.global_variables_initializer())
        features = np.random.RandomState(0).rand(1, rows, columns, 5)
        before = session.run(logits, {spatial: features}).reshape(height, width)
        assert len(np.unique(before)) == height * width
        features[0, 1, 2] += 1.0
        after = session.run(logits, {spatial: features}).reshape(height, width)
    changed = np.zeros([height, width], bool)
    changed[factor : 2 * factor, 2 * factor : 3 * factor] = True
    np.testing.assert_array_equal(after != before, changed)


def test_an_image_that_does_not_match_the_features_is_resized():
    with tf.Graph().as_default(), tf.Session() as session:
        logits = heads.SubpixelPointHead(3, 2, name='minimap')(Features(tf.ones([2, 4, 4, 5]), ()))
        session.run(tf.global_variables_initializer())
        assert session.run(logits).shape == (2, 6)

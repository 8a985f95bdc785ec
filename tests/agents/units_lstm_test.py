"""Pointers to units: their logits at the pixels that they are at."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import units_lstm
from tests import fakes
from tests.sessions import run


def test_values_at_the_same_place_are_added():
    values = np.random.RandomState(0).normal(size=[2, 4, 3]).astype(np.float32)
    places = np.array([[0, 5, 5, 2], [1, 1, 1, 0]])
    expected = np.zeros([2, 6, 3], np.float32)
    for n in range(2):
        for unit in range(4):
            expected[n, places[n, unit]] += values[n, unit]
    found = run(lambda: units_lstm._scatter(tf.constant(values), tf.constant(places, tf.int32), 6))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_unit_adds_its_logit_to_its_pixel():
    rng = np.random.RandomState(0)
    vector = rng.normal(size=[1, 5]).astype(np.float32)
    keys = rng.normal(size=[1, 3, units_lstm.KEY_SIZE]).astype(np.float32)
    spatial = rng.normal(size=[1, 2, 2, 4]).astype(np.float32)
    patches = rng.normal(size=[1, 2, 2, 2 * 2 * 3]).astype(np.float32)
    place, pointed = np.array([[7, 7, 2]], np.int32), np.array([[1, 1, 0]], np.float32)

    def logits():
        units = units_lstm.Units(tf.constant(keys), None, tf.constant(place), None, pointed)
        head = units_lstm.UnitPointHead(2, 3, 4, 4, name='screen')
        features = units_lstm.Features(
            tf.constant(spatial),
            tf.constant(vector),
            units_lstm.Pixels(tf.constant(patches), units),
        )
        found = head(features)
        of_pixels = head._pixels(features._replace(pixels=features.pixels.patches))
        weights = {v.op.name: v for v in tf.trainable_variables()}
        return found, of_pixels, weights

    found, of_pixels, weights = run(logits)
    query = vector[0] @ weights['screen/query/w'] + weights['screen/query/b']
    products = (keys[0] @ query) / np.sqrt(units_lstm.KEY_SIZE)
    difference = np.zeros([16], np.float32)
    difference[7] = products[0] + products[1]
    np.testing.assert_allclose((found - of_pixels)[0], difference, rtol=1e-4, atol=1e-5)


def test_units_have_to_be_observed():
    observation_spec, action_spec = fakes.make_specs(agent='unet_lstm')
    with pytest.raises(ValueError, match='feature_units among them'):
        units_lstm.make_parts(observation_spec, action_spec, 1)

"""Patches of pixels, and the logits of the pixels in them against NumPy."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import patch_lstm
from sc2impala.agents.recurrent import Features
from sc2impala.envs import specs
from tests import fakes


def slow_patches(images, factor):
    """Pixel by pixel."""
    number, height, width, channels = images.shape
    rows, columns = -(-height // factor), -(-width // factor)
    found = np.zeros([number, rows, columns, factor, factor, channels], np.float32)
    for y in range(height):
        for x in range(width):
            found[:, y // factor, x // factor, y % factor, x % factor] = images[:, y, x]
    return found.reshape([number, rows, columns, -1])


@pytest.mark.parametrize('height, width, factor', [(4, 6, 2), (3, 4, 1), (5, 7, 3), (8, 9, 4)])
def test_pixels_are_arranged_by_patches_and_back(height, width, factor):
    images = np.random.RandomState(0).rand(2, height, width, 3).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        patches = patch_lstm.to_patches(tf.constant(images), factor)
        back = patch_lstm.from_patches(patches, factor)
        patches, back = session.run([patches, back])
    np.testing.assert_array_equal(patches, slow_patches(images, factor))
    np.testing.assert_array_equal(back[:, :height, :width], images)
    assert not back[:, height:].any() and not back[:, :, width:].any()


@pytest.mark.parametrize('size', [(6, 8), (5, 7)])
def test_doubling_gives_each_pixel_the_channels_of_four(size):
    images = np.random.RandomState(0).normal(size=[2, 3, 4, 5]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        doubled = patch_lstm.SubpixelDouble(7, size, name='double')(tf.constant(images))
        session.run(tf.global_variables_initializer())
        w = next(v for v in tf.trainable_variables() if v.op.name.endswith('w'))
        doubled, w = session.run([doubled, w])
    of_four = (images @ w[0, 0]).reshape([2, 3, 4, 2, 2, 7])
    assert doubled.shape == (2,) + size + (7,)
    for y in range(size[0]):
        for x in range(size[1]):
            expected = of_four[:, y // 2, x // 2, y % 2, x % 2]
            np.testing.assert_allclose(doubled[:, y, x], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('factor, height, width', [(1, 3, 4), (2, 6, 8), (3, 8, 11)])
def test_the_logit_of_a_pixel_is_its_product_with_the_query_of_its_patch(factor, height, width):
    rows, columns, size = -(-height // factor), -(-width // factor), 3
    rng = np.random.RandomState(0)
    spatial = rng.normal(size=[2, rows, columns, 5]).astype(np.float32)
    images = rng.normal(size=[2, height, width, size]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        head = patch_lstm.PixelPointHead(factor, size, width, height, name='screen')
        pixels = patch_lstm.to_patches(tf.constant(images), factor)
        logits = head(Features(tf.constant(spatial), (), pixels))
        assert logits.shape.as_list() == [2, height * width]
        weights = {v.op.name.split('/', 1)[1]: v for v in tf.trainable_variables()}
        for variable in weights.values():
            session.run(variable.initializer)
            variable.load(rng.normal(size=variable.shape.as_list()), session)
        logits, weights = session.run([logits, weights])
    query = spatial @ weights['query/w'][0, 0]
    place = spatial @ weights['place/w'][0, 0] + weights['place/b']
    expected = np.zeros([2, height, width])
    for y in range(height):
        for x in range(width):
            patch = (slice(None), y // factor, x // factor)
            in_patch = y % factor * factor + x % factor
            product = (query[patch] * images[:, y, x]).sum(axis=-1)
            expected[:, y, x] = product + place[patch][:, in_patch]
    np.testing.assert_allclose(logits, expected.reshape([2, -1]), rtol=1e-4, atol=1e-5)


def test_a_minimap_of_another_size_is_pointed_at():
    with tf.Graph().as_default(), tf.Session() as session:
        head = patch_lstm.PixelPointHead(2, 3, 5, 5, name='minimap')
        logits = head(Features(tf.ones([2, 4, 4, 5]), (), tf.ones([2, 4, 4, 12])))
        session.run(tf.global_variables_initializer())
        assert session.run(logits).shape == (2, 25)


def outputs_of(screen, observation_spec, action_spec):
    """Features of the torso for one screen, (spatial, pixels), with random weights."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        torso = patch_lstm.make_parts(observation_spec, action_spec, 1)[0]
        observation = tf.nest.map_structure(
            lambda array: tf.constant(np.zeros((1,) + array.shape, array.dtype)),
            observation_spec.structure(),
        )
        observation['screen'] = {name: tf.constant(array) for name, array in screen.items()}
        features = torso(observation, tf.zeros([1, action_spec.heads['function']]))
        session.run(tf.global_variables_initializer())
        return session.run([features.spatial, features.pixels])


def test_a_pixel_changes_its_own_embedding_only():
    side = 2 * patch_lstm.MAX_PATCHES
    layers = ('player_relative', 'unit_hit_points_ratio')
    observation_spec = specs.make_observation_spec((side, side), (4, 4), layers, [], [], 2)
    _, action_spec = fakes.make_specs()
    rng = np.random.RandomState(0)
    screen = {
        layer.name: rng.randint(layer.scale, size=[1, side, side]).astype(layer.dtype)
        for layer in observation_spec.screen_layers
    }
    before, pixels = outputs_of(screen, observation_spec, action_spec)
    np.testing.assert_array_equal(before, pixels)
    screen['player_relative'][0, 5, 8] = (screen['player_relative'][0, 5, 8] + 1) % 5
    screen['unit_hit_points_ratio'][0, 5, 8] ^= 0x80
    after, _ = outputs_of(screen, observation_spec, action_spec)
    changed = np.argwhere(before != after)
    size = patch_lstm.EMBEDDING_SIZE
    assert before.shape[1:] == (side // 2, side // 2, 4 * size)
    assert len(changed) > 0
    assert {tuple(place[1:3]) for place in changed} == {(2, 4)}
    assert {place[3] // size for place in changed} == {2}

"""Channels of feature layers, against their definitions, and what they keep apart."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.agents import preprocessing
from sc2impala.envs import specs
from tests import fakes

LAYERS = ('player_relative', 'unit_hit_points_ratio', 'unit_density')


def run(make):
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = make()
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def make_spec():
    return specs.make_observation_spec((4, 3), (2, 2), LAYERS, ['camera'], [], 2)


def make_specs(agent='fully_conv'):
    """Those of `fakes`, with LAYERS."""
    observation_spec, action_spec = fakes.make_specs(agent=agent)
    return dataclasses.replace(
        observation_spec, screen_layers=make_spec().screen_layers
    ), action_spec


def random_layers(spec):
    rng = np.random.RandomState(0)
    return {
        layer.name: rng.randint(layer.scale, size=[2, 3, 4]).astype(np.uint8)
        for layer in spec.screen_layers
    }


def encode(spec, layers):
    """The channels that need no gradient, float32 [2, 3, 4, C]."""
    encoder = preprocessing.LayerEncoder(spec.screen_layers)
    return run(lambda: encoder(tf.nest.map_structure(tf.constant, layers)).fixed)


def slow_hats(value, scale, bins):
    """Interpolates between the two knots around a value."""
    place = int(value) * bins / (scale - 1)
    below = min(int(place), bins - 1)
    expected = np.zeros(bins + 1)
    expected[below], expected[below + 1] = below + 1 - place, place - below
    return expected


@pytest.mark.parametrize('scale, bins', [(256, 12), (256, 255), (17, 4), (5, 1)])
def test_hats_interpolate_between_knots(scale, bins):
    values = np.arange(scale, dtype=np.uint8).reshape([1, 1, scale])
    found = run(lambda: preprocessing.hats(tf.constant(values), scale, bins))
    expected = [slow_hats(value, scale, bins) for value in range(scale)]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[0, 0], expected, atol=1e-4)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0, atol=1e-4)


def test_a_hit_changes_the_bins_far_more_than_the_logarithm():
    """Health of 140 and 145 out of 145."""
    hit, whole = np.uint8([[[246]]]), np.uint8([[[255]]])

    def channels():
        logs = [preprocessing.log_scaled(tf.constant(x), 256) for x in (hit, whole)]
        bins = [preprocessing.hats(tf.constant(x), 256, 12) for x in (hit, whole)]
        return logs, bins

    logs, bins = run(channels)
    assert abs(logs[1] - logs[0]).max() < 0.01
    assert abs(bins[1] - bins[0]).max() > 0.4


def test_only_layers_of_shares_are_divided():
    spec = preprocessing.with_ratio_bins(make_spec(), 6)
    assert [layer.bins for layer in spec.screen_layers] == [0, 6, 0]
    assert spec.minimap_layers == make_spec().minimap_layers
    assert spec.structure() == make_spec().structure()


def test_every_name_of_a_layer_of_shares_is_one_of_the_screen():
    spec = specs.make_observation_spec((4, 3), (2, 2), preprocessing.RATIO_LAYERS, [], [], 2)
    assert [layer.scale for layer in spec.screen_layers] == [256] * len(preprocessing.RATIO_LAYERS)
    assert not any(layer.categorical for layer in spec.screen_layers)


def test_bins_follow_the_logarithm_of_their_layer():
    spec = make_spec()
    layers = random_layers(spec)
    found = encode(preprocessing.with_ratio_bins(spec, 6), layers)
    expected = [np.eye(5)[layers['player_relative']]]
    health = layers['unit_hit_points_ratio']
    expected.append((np.log1p(health.astype(float)) / np.log(256))[..., np.newaxis])
    expected.append([[[slow_hats(x, 256, 6) for x in row] for row in one] for one in health])
    density = layers['unit_density'].astype(float)
    expected.append((np.log1p(density) / np.log(16))[..., np.newaxis])
    np.testing.assert_allclose(found, np.concatenate(expected, axis=-1), atol=1e-5)


def test_without_bins_there_is_only_the_logarithm():
    spec = make_spec()
    layers = random_layers(spec)
    assert encode(spec, layers).shape[-1] == 5 + 1 + 1


@pytest.mark.long
@pytest.mark.parametrize('name', sorted(agents.AGENTS))
def test_every_agent_has_weights_for_the_bins(name):
    observation_spec, action_spec = make_specs(name)

    def weights(bins):
        with tf.Graph().as_default():
            agent = agents.make_agent(name, observation_spec, action_spec, 2, ratio_bins=bins)
            agent.create_variables(observation_spec)
            return sum(variable.shape.num_elements() for variable in agent.weights)

    difference = weights(4) - weights(0)
    assert difference > 0
    assert difference % 5 == 0


def test_a_copy_of_an_agent_has_the_bins_as_well():
    observation_spec, action_spec = make_specs()
    with tf.Graph().as_default():
        agent = agents.make_agent('fully_conv', observation_spec, action_spec, 2, ratio_bins=4)
        agent.create_variables(observation_spec)
        copy = agent.make_copy('copy')
        assert [v.shape for v in copy.weights] == [v.shape for v in agent.weights]

"""IMPALA's residual torso: its operations, and one section compared with its definition."""

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala import envs
from sc2impala.agents import impala_resnet, resnet
from tests import fakes

N = 2


def _torso_of_frames():
    specs = envs.make_specs('Frames')
    torso, _, _ = impala_resnet.make_parts(specs[0], specs[1], 1)
    observation = tf.nest.map_structure(
        lambda spec: tf.zeros([N] + list(spec.shape), spec.dtype), specs[0].structure()
    )
    return torso(observation, tf.zeros([N, specs[1].num_functions]))


def test_operations_match_the_paper():
    """15 convolutions, and the published 103 million operations for an input of 72 x 96 x 3."""
    with tf.Graph().as_default() as graph:
        features = _torso_of_frames()
        operations = 0
        convolutions = [op for op in graph.get_operations() if op.type == 'Conv2D']
        for op in convolutions:
            height, width, channels, outputs = op.inputs[1].shape.as_list()
            assert (height, width) == (3, 3)
            operations += 2 * np.prod(op.outputs[0].shape.as_list()[1:]) * 9 * channels
        pools = [op for op in graph.get_operations() if op.type == 'MaxPool']
        assert [op.outputs[0].shape.as_list() for op in pools] == [
            [N, 36, 48, 16],
            [N, 18, 24, 32],
            [N, 9, 12, 32],
        ]
    assert len(convolutions) == 15
    assert 100e6 < operations < 105e6
    assert features.spatial == ()
    assert features.vector.shape.as_list() == [N, 256 + 9 + 9]


def test_a_block_adds_its_output_to_its_input():
    """If the weights of the second convolution of each block are 0, the block is the identity."""
    rng = np.random.RandomState(0)
    images = rng.normal(size=[N, 5, 6, 3]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        section = resnet._Section(snt.Conv2D, 4, name='section')
        output = section(tf.constant(images))
        first = tf.nn.conv2d(images, section._first.w, 1, 'SAME') + section._first.b
        pooled = tf.nn.max_pool2d(first, 3, 2, 'SAME')
        second = [block[1] for block in section._blocks]
        session.run(tf.global_variables_initializer())
        different, without = session.run([output, pooled])
        assert different.shape == (N, 3, 3, 4)
        assert np.abs(different - without).max() > 0.01
        session.run([conv.w.assign(tf.zeros_like(conv.w)).op for conv in second])
        np.testing.assert_allclose(*session.run([output, pooled]), atol=1e-6)
        # There is no ReLU after a block.
        assert without.min() < 0


def test_screen_and_minimap_have_separate_sections():
    specs = fakes.make_specs()
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        torso = resnet.ResidualTorso(specs[0], [4, 6], 8)
        observation = fakes.random_observation(specs[0], [N], rng)
        outputs = []
        for group, layer in (('screen', 'player_relative'), ('minimap', 'camera'), (None, None)):
            changed = dict(observation)
            if group:
                other = (observation[group][layer] + 1) % 2
                changed[group] = dict(observation[group], **{layer: other})
            tensors = tf.nest.map_structure(tf.constant, changed)
            outputs.append(torso(tensors, tf.zeros([N, specs[1].num_functions])).vector)
        session.run(tf.global_variables_initializer())
        screen, minimap, plain = session.run(outputs)
    for changed in (screen, minimap):
        assert np.abs(changed[:, :8] - plain[:, :8]).max() > 1e-4
        np.testing.assert_array_equal(changed[:, 8:], plain[:, 8:])

"""The residual torso of IMPALA's deep network: maps an observation to a vector."""

from typing import Mapping, Sequence

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels, preprocessing, torsos
from sc2impala.agents.recurrent import Features
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest


class ResidualTorso(snt.Module):
    """A stack of residual sections for screen and for minimap, then a hidden layer over both.

    A section is a 3 x 3 convolution, a 3 x 3 max pooling with stride 2, and two residual blocks of
    two 3 x 3 convolutions each.
    """

    def __init__(
        self,
        observation_spec: ObservationSpec,
        channels: Sequence[int],
        hidden_size: int,
        name: str = 'resnet_torso',
    ):
        """Args:
        observation_spec: `ObservationSpec`; a group without layers gets no stack.
        channels: number of channels of each section.
        hidden_size: number of units of the hidden layer.
        """
        super().__init__(name=name)
        self._stacks = torsos.make_group_stacks(
            observation_spec,
            lambda group: snt.Sequential(
                [
                    _Section(
                        snt.Conv2D if index else kernels.InputConv,
                        num_channels,
                        name=f'{group}_section_{index}',
                    )
                    for index, num_channels in enumerate(channels)
                ]
            ),
        )
        self._hidden = snt.Linear(hidden_size, name='hidden')

    def __call__(self, observation: Mapping[str, Nest], last_function: tf.Tensor) -> Features:
        """Maps a nested dict of [N, ...] to `Features` with a vector only, [N, hidden_size + D]."""
        maps = [tf.nn.relu(stack(observation[group])) for group, stack in self._stacks]
        flat = tf.concat([snt.flatten(images) for images in maps], axis=-1)
        vector = preprocessing.encode_vector(observation, last_function)
        return Features(
            spatial=(), vector=tf.concat([tf.nn.relu(self._hidden(flat)), vector], axis=-1)
        )


class _Section(snt.Module):
    def __init__(self, first_conv: snt.Module, channels: int, name: str):
        """Args: first_conv: `InputConv` if the input is `Channels`, otherwise `snt.Conv2D`."""
        super().__init__(name=name)
        self._first = first_conv(channels, 3, name='first')
        self._blocks = [
            [snt.Conv2D(channels, 3, name=f'block_{block}_{i}') for i in range(2)]
            for block in range(2)
        ]

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Maps `Channels` or float32 [N, H, W, C] to [N, ceil(H / 2), ceil(W / 2), channels]."""
        images = tf.nn.max_pool2d(self._first(images), ksize=3, strides=2, padding='SAME')
        for first, second in self._blocks:
            images += second(tf.nn.relu(first(tf.nn.relu(images))))
        return images

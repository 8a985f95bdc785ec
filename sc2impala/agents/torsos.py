"""Convolutions from observation to `Features`."""

from typing import Any, Callable, List, Mapping, Sequence, Tuple

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels, preprocessing
from sc2impala.agents.recurrent import Features

ConvSpec = Sequence[Tuple[int, int, int]]
"""One (output channels, kernel size, stride) per layer."""


class ConvTorso(snt.Module):
    """Screen and minimap through a stack of convolutions each, side by side in the channels."""

    def __init__(self, observation_spec: Any, convolutions: ConvSpec, name: str = 'conv_torso'):
        """Args:
        observation_spec: `ObservationSpec`; a group without layers gets no stack.
        convolutions: the stack, the same for screen and minimap.
        """
        super().__init__(name=name)
        self._stacks = stacks_of_groups(
            observation_spec, lambda group: _conv_stack(convolutions, name=group + '_convolutions')
        )

    def __call__(self, observation: Mapping[str, Any], last_function: tf.Tensor) -> Features:
        """Nested dict of [N, ...] -> `Features` of [N, ...].

        Where the two groups differ in size, the minimap is resized to the screen.
        """
        maps = [stack(observation[group]) for group, stack in self._stacks]
        return Features(
            spatial=tf.concat([resize_like(each, maps[0]) for each in maps], axis=-1),
            vector=preprocessing.encode_vector(observation, last_function),
        )


def stacks_of_groups(
    observation_spec: Any, make_stack: Callable[[str], Any]
) -> List[Tuple[str, Any]]:
    """What screen and minimap go through each: an encoder of their layers, and a stack.

    Args:
      observation_spec: `ObservationSpec`; a group without layers gets nothing.
      make_stack: makes a function of `Channels` of [N, H, W] for 'screen' or 'minimap'.

    Returns:
      For each group its name, and a function from its layers to what its stack makes of them.
    """
    groups = [
        ('screen', observation_spec.screen_layers),
        ('minimap', observation_spec.minimap_layers),
    ]
    return [
        (
            group,
            snt.Sequential(
                [preprocessing.LayerEncoder(layers, name=group + '_layers'), make_stack(group)]
            ),
        )
        for group, layers in groups
        if layers
    ]


def resize_like(images: tf.Tensor, reference: tf.Tensor) -> tf.Tensor:
    """float32 [N, h, w, C] -> [N, H, W, C], bilinear, with the size of `reference`."""
    size = reference.shape.as_list()[1:3]
    if images.shape.as_list()[1:3] == size:
        return images
    return tf.image.resize_bilinear(images, size)


def _conv_stack(convolutions, name):
    layers = []
    for index, (channels, kernel_size, stride) in enumerate(convolutions):
        conv = snt.Conv2D if index else kernels.InputConv
        layers += [conv(channels, kernel_size, stride, name=f'{name}_{index}'), tf.nn.relu]
    return snt.Sequential(layers, name=name)

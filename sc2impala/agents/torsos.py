"""Torsos: map an observation to `Features`."""

from typing import Any, Callable, List, Mapping, Sequence, Tuple

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels, preprocessing
from sc2impala.agents.recurrent import Features
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

ConvSpec = Sequence[Tuple[int, int, int]]
"""One (output channels, kernel size, stride) per layer."""


class ConvTorso(snt.Module):
    """A stack of convolutions for screen and for minimap, with the outputs concatenated."""

    def __init__(
        self, observation_spec: ObservationSpec, convolutions: ConvSpec, name: str = 'conv_torso'
    ):
        """Args:
        observation_spec: `ObservationSpec`; a group without layers gets no stack.
        convolutions: the layers of a stack, the same for screen and minimap.
        """
        super().__init__(name=name)
        self._stacks = make_group_stacks(
            observation_spec, lambda group: _conv_stack(convolutions, name=group + '_convolutions')
        )

    def __call__(self, observation: Mapping[str, Nest], last_function: tf.Tensor) -> Features:
        """Maps a nested dict of [N, ...] to `Features` of [N, ...].

        If screen and minimap differ in size, the output for the minimap is resized to that for the
        screen.
        """
        maps = [stack(observation[group]) for group, stack in self._stacks]
        return Features(
            spatial=tf.concat([resize_like(images, maps[0]) for images in maps], axis=-1),
            vector=preprocessing.encode_vector(observation, last_function),
        )


def make_group_stacks(
    observation_spec: ObservationSpec,
    make_stack: Callable[[str], Callable[[kernels.Channels], tf.Tensor]],
) -> List[Tuple[str, Callable[[Mapping[str, tf.Tensor]], tf.Tensor]]]:
    """Constructs a `LayerEncoder` followed by a stack for each group of feature layers.

    Args:
      observation_spec: `ObservationSpec`; a group without layers is skipped.
      make_stack: function of the name of the group, 'screen' or 'minimap'; it returns a function of
        `Channels` of [N, H, W].

    Returns:
      For each group its name, and a function that maps its layers, a dict of unsigned integers
      [N, H, W], to the output of its stack.
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
    """Resizes float32 [N, h, w, C] to the size of `reference`, [N, H, W, ...], bilinearly."""
    size = reference.shape.as_list()[1:3]
    if images.shape.as_list()[1:3] == size:
        return images
    return tf.image.resize_bilinear(images, size)


def _conv_stack(convolutions: ConvSpec, name: str) -> snt.Module:
    layers: List[Any] = []
    for index, (channels, kernel_size, stride) in enumerate(convolutions):
        conv = snt.Conv2D if index else kernels.InputConv
        layers += [conv(channels, kernel_size, stride, name=f'{name}_{index}'), tf.nn.relu]
    return snt.Sequential(layers, name=name)

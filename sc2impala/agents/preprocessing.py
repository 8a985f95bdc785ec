"""Observations as the networks see them: channels for the convolutions, a vector for the rest.

As in the SC2LE paper (Vinyals et al. 2017, section 4.3): categorical layers are embedded, which for
a convolution is the same as one channel per category, and numbers that span orders of magnitude
enter by their logarithm. N stands for one leading dimension, [K] or [T * B].
"""

import math
from typing import Any, Mapping, Sequence

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels

MAX_ONE_HOT = 32
"""Layers with more categories than this (unit types, buffs) are looked up in a learned table."""
EMBEDDING_SIZE = 10


class LayerEncoder(snt.Module):
    """Turns a group of feature layers into channels."""

    def __init__(self, layers: Sequence[Any], name: str = 'layer_encoder'):
        """Args: layers: `LayerSpec`s (name, scale, categorical) of one group."""
        super().__init__(name=name)
        self._layers = tuple(layers)
        self._tables = {
            layer.name: snt.Embed(layer.scale, EMBEDDING_SIZE, name=layer.name)
            for layer in self._layers
            if layer.categorical and layer.scale > MAX_ONE_HOT
        }

    def __call__(self, group: Mapping[str, tf.Tensor]) -> kernels.Channels:
        """Unsigned integers [N, H, W] per layer -> `Channels` of [N, H, W]."""
        channels = [self._channels(layer, group[layer.name]) for layer in self._layers]
        is_learned = [layer.name in self._tables for layer in self._layers]
        fixed, learned = (
            [each for each, its_kind in zip(channels, is_learned) if its_kind == kind]
            for kind in (False, True)
        )
        return kernels.Channels(
            fixed=tf.stop_gradient(tf.concat(fixed, -1)) if fixed else None,
            learned=tf.concat(learned, -1) if learned else None,
            is_learned=np.repeat(is_learned, [each.shape[-1] for each in channels]),
        )

    def _channels(self, layer, values):
        if layer.name in self._tables:
            return self._tables[layer.name](tf.cast(values, tf.int32))
        if layer.categorical:
            return tf.one_hot(tf.cast(values, tf.int32), layer.scale)
        return log_scaled(values, layer.scale)[..., tf.newaxis]


def log_scaled(values: tf.Tensor, scale: int) -> tf.Tensor:
    """log(1 + x) / log(scale): 0 at 0 and 1 at the largest value, scale - 1."""
    return tf.math.log1p(tf.cast(values, tf.float32)) / math.log(scale)


def encode_vector(observation: Mapping[str, Any], last_function: tf.Tensor) -> tf.Tensor:
    """Everything that is no feature layer, as one vector.

    Args:
      observation: nested dict of [N, ...]; the groups 'screen' and 'minimap' are left out.
      last_function: float32 [N, F], one-hot, all zero on the first step of an episode.

    Returns:
      float32 [N, features]. The order is that of the sorted names, never that of the dictionary.
    """
    features = [last_function]
    for name in sorted(observation):
        if name == 'available_actions':
            features.append(tf.cast(observation[name], tf.float32))
        elif name not in ('screen', 'minimap'):
            features.append(_signed_log(snt.flatten(tf.cast(observation[name], tf.float32))))
    return tf.concat(features, axis=-1)


def _signed_log(values):
    return tf.sign(values) * tf.math.log1p(tf.abs(values))

"""Preprocessing of observations: feature layers to channels, everything else to one vector.

As in the SC2LE paper (Vinyals et al. 2017, section 4.3): categorical layers are embedded, which
before a convolution is equivalent to one channel per category, and numbers that span orders of
magnitude are replaced by their logarithm. N stands for one leading dimension, [K] or [T * B].
"""

import math
from typing import Any, Mapping, Sequence

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels

MAX_ONE_HOT = 32
"""Layers with more categories than this (unit types, buffs) get a learned embedding."""

EMBEDDING_SIZE = 10


class LayerEncoder(snt.Module):
    """Encodes a group of feature layers as channels."""

    def __init__(self, layers: Sequence[Any], name: str = 'layer_encoder'):
        """Args: layers: `LayerSpec`s (name, scale, categorical) of the group."""
        super().__init__(name=name)
        self._layers = tuple(layers)
        self._tables = {
            layer.name: snt.Embed(layer.scale, EMBEDDING_SIZE, name=layer.name)
            for layer in self._layers
            if layer.categorical and layer.scale > MAX_ONE_HOT
        }

    def __call__(self, group: Mapping[str, tf.Tensor]) -> kernels.Channels:
        """Maps unsigned integers [N, H, W] for each layer to `Channels` of [N, H, W]."""
        channels = [self._channels(layer, group[layer.name]) for layer in self._layers]
        is_learned = [layer.name in self._tables for layer in self._layers]
        fixed, learned = (
            [encoded for encoded, flag in zip(channels, is_learned) if flag == wanted]
            for wanted in (False, True)
        )
        return kernels.Channels(
            fixed=tf.stop_gradient(tf.concat(fixed, -1)) if fixed else None,
            learned=tf.concat(learned, -1) if learned else None,
            is_learned=np.repeat(is_learned, [encoded.shape[-1] for encoded in channels]),
        )

    def _channels(self, layer: Any, values: tf.Tensor) -> tf.Tensor:
        """Encodes one layer, [N, H, W], as float32 [N, H, W, channels]."""
        if layer.name in self._tables:
            return self._tables[layer.name](tf.cast(values, tf.int32))
        if layer.categorical:
            return tf.one_hot(tf.cast(values, tf.int32), layer.scale)
        return log_scaled(values, layer.scale)[..., tf.newaxis]


def log_scaled(values: tf.Tensor, scale: int) -> tf.Tensor:
    """Returns log(1 + x) / log(scale), float32: 0 for 0 and 1 for the largest value, scale - 1."""
    return tf.math.log1p(tf.cast(values, tf.float32)) / math.log(scale)


def encode_vector(observation: Mapping[str, Any], last_function: tf.Tensor) -> tf.Tensor:
    """Concatenates all of the observation except its feature layers, and the last function.

    Args:
      observation: nested dict of [N, ...]; the groups 'screen' and 'minimap' are skipped.
      last_function: float32 [N, F], one-hot; all zeros on the first step of an episode.

    Returns:
      float32 [N, features]: `last_function`, then the entries of the observation, sorted by name.
    """
    features = [last_function]
    for name in sorted(observation):
        if name == 'available_actions':
            features.append(tf.cast(observation[name], tf.float32))
        elif name not in ('screen', 'minimap'):
            features.append(_signed_log(snt.flatten(tf.cast(observation[name], tf.float32))))
    return tf.concat(features, axis=-1)


def _signed_log(values: tf.Tensor) -> tf.Tensor:
    return tf.sign(values) * tf.math.log1p(tf.abs(values))

"""Preprocessing of observations: feature layers to channels, everything else to one vector.

As in the SC2LE paper (Vinyals et al. 2017, section 4.3): categorical layers are embedded, which
before a convolution is equivalent to one channel per category, and numbers that span orders of
magnitude are replaced by their logarithm. N stands for one leading dimension, [K] or [T * B].

Health does not span orders of magnitude, and its logarithm hides which of two roaches has been
hit: 140 and 145 out of 145 are 246 and 255 in the layer, and 0.994 and 1.0 as its logarithm. So
layers that show a fraction can also have channels for parts of their range.
"""

import dataclasses
import math
from typing import Mapping, Sequence

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels
from sc2impala.envs.specs import LayerSpec, ObservationSpec
from sc2impala.structs import Nest

MAX_ONE_HOT = 32
"""Layers with more categories than this (unit types, buffs) get a learned embedding."""

EMBEDDING_SIZE = 10

RATIO_LAYERS = (
    'build_progress',
    'unit_energy_ratio',
    'unit_hit_points_ratio',
    'unit_shields_ratio',
)
"""Layers of the screen whose values are fractions, 0..255."""


def with_ratio_bins(observation_spec: ObservationSpec, bins: int) -> ObservationSpec:
    """Returns an `ObservationSpec` with `RATIO_LAYERS` divided into `bins` parts, see `hats`."""
    layers = tuple(
        dataclasses.replace(layer, bins=bins) if layer.name in RATIO_LAYERS else layer
        for layer in observation_spec.screen_layers
    )
    return dataclasses.replace(observation_spec, screen_layers=layers)


class LayerEncoder(snt.Module):
    """Encodes a group of feature layers as channels."""

    def __init__(self, layers: Sequence[LayerSpec], name: str = 'layer_encoder'):
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

    def _channels(self, layer: LayerSpec, values: tf.Tensor) -> tf.Tensor:
        """Encodes one layer, [N, H, W], as float32 [N, H, W, channels]."""
        if layer.name in self._tables:
            return self._tables[layer.name](tf.cast(values, tf.int32))
        if layer.categorical:
            return tf.one_hot(tf.cast(values, tf.int32), layer.scale)
        if not layer.bins or layer.dtype != np.uint8:
            return _amounts(layer, values)
        # Looking up many channels is faster than computing them for each pixel; TensorFlow
        # computes the table once.
        table = _amounts(layer, tf.cast(tf.range(256), tf.uint8))
        return tf.gather(table, tf.cast(values, tf.int32))


def _amounts(layer: LayerSpec, values: tf.Tensor) -> tf.Tensor:
    """Encodes the values of a layer of amounts, [...], as float32 [..., 1 + hats]."""
    scaled = log_scaled(values, layer.scale)[..., tf.newaxis]
    if not layer.bins:
        return scaled
    return tf.concat([scaled, hats(values, layer.scale, layer.bins)], axis=-1)


def log_scaled(values: tf.Tensor, scale: int) -> tf.Tensor:
    """Returns log(1 + x) / log(scale), float32: 0 for 0 and 1 for the largest value, scale - 1."""
    return tf.math.log1p(tf.cast(values, tf.float32)) / math.log(scale)


def hats(values: tf.Tensor, scale: int, bins: int) -> tf.Tensor:
    """Linear B-splines of evenly spaced knots: a linear layer of them is piecewise linear.

        hat_k(x) = max(0, 1 - |bins x / (scale - 1) - k|),  k = 0 .. bins

    A value has at most two nonzero hats, and their sum is 1.

    Args:
      values: unsigned integers [...], 0 to scale - 1.
      scale: number of values.
      bins: number of pieces.

    Returns:
      float32 [..., bins + 1].
    """
    place = tf.cast(values, tf.float32)[..., tf.newaxis] * (bins / (scale - 1))
    return tf.nn.relu(1.0 - tf.abs(place - np.arange(bins + 1, dtype=np.float32)))


def encode_vector(observation: Mapping[str, Nest], last_function: tf.Tensor) -> tf.Tensor:
    """Concatenates all vectors of the observation and the last function.

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

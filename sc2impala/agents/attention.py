"""Self-attention between entities, and the convolutions that it is compared with.

An entity is a pixel of a small map with C channels. N stands for one leading dimension; the number
of entities is n = H * W.
"""

import math
from typing import Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf


class RelationalModule(snt.Module):
    """Blocks of self-attention over all pixels of a map (Zambaldi et al. 2018, section 2.2).

    The coordinates of the pixels are appended once, at the start.
    """

    def __init__(
        self,
        num_blocks: int,
        num_heads: int,
        head_size: int,
        channels: int,
        name: str = 'relational_module',
    ):
        """Args:
        num_blocks: how often entities exchange information; blocks do not share weights.
        num_heads: attentions of a block that are computed side by side.
        head_size: size of queries, keys and values.
        channels: C of the output.
        """
        super().__init__(name=name)
        self._embed = snt.Linear(channels, name='entities')
        self._blocks = [
            AttentionBlock(num_heads, head_size, channels, name=f'block_{index}')
            for index in range(num_blocks)
        ]

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Maps float32 [N, H, W, any] to [N, H, W, C]."""
        height, width, channels = images.shape.as_list()[1:]
        entities = tf.reshape(images, [-1, height * width, channels])
        coordinates = tf.constant(_coordinates(height, width))[tf.newaxis]
        coordinates = tf.tile(coordinates, [tf.shape(entities)[0], 1, 1])
        entities = self._embed(tf.concat([entities, coordinates], axis=-1))
        for block in self._blocks:
            entities = block(entities)
        return tf.reshape(entities, [-1, height, width, entities.shape[-1]])


class AttentionBlock(snt.Module):
    """Multi-head dot-product attention, then a perceptron for each entity, with a residual.

    The input is normalised, and not queries, keys and values: they are several times as large.
    """

    def __init__(self, num_heads: int, head_size: int, channels: int, name: str):
        """Args: num_heads, head_size, channels: see `RelationalModule`."""
        super().__init__(name=name)
        self._num_heads = num_heads
        self._head_size = head_size
        self._projection = snt.Linear(3 * num_heads * head_size, with_bias=False, name='projection')
        self._normalise = _layer_norm('input_norm')
        self._perceptron = snt.nets.MLP([2 * channels, channels], name='perceptron')

    def __call__(self, entities: tf.Tensor) -> tf.Tensor:
        """Maps float32 [N, n, C] to [N, n, C]."""
        weights, values = self.attend(entities)
        # [N, heads, n, size] -> [N, n, heads * size].
        attended = tf.transpose(tf.matmul(weights, values), [0, 2, 1, 3])
        num_entities = entities.shape.as_list()[1]
        attended = tf.reshape(attended, [-1, num_entities, self._num_heads * self._head_size])
        return entities + self._perceptron(attended)

    def attend(self, entities: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        """Returns attention weights between entities, and the values they attend to.

        Args:
          entities: float32 [N, n, C].

        Returns:
          Weights, float32 [N, heads, n, n], whose rows sum to 1, and values, [N, heads, n, size].
        """
        projected = self._projection(self._normalise(entities))
        shape = [-1, entities.shape.as_list()[1], 3, self._num_heads, self._head_size]
        # [N, n, 3, heads, size] -> [3, N, heads, n, size].
        parts = tf.transpose(tf.reshape(projected, shape), [2, 0, 3, 1, 4])
        queries, keys, values = tf.unstack(parts, num=3)
        products = tf.matmul(queries, keys, transpose_b=True)
        return tf.nn.softmax(products / math.sqrt(self._head_size)), values


class ResidualModule(snt.Module):
    """Residual blocks of two 3 x 3 convolutions, instead of a `RelationalModule`."""

    def __init__(self, num_blocks: int, channels: int, name: str = 'residual_module'):
        """Args:
        num_blocks: number of residual blocks.
        channels: C of the output.
        """
        super().__init__(name=name)
        self._first = snt.Conv2D(channels, 1, name='first')
        self._blocks = [
            [snt.Conv2D(channels, 3, name=f'block_{block}_{i}') for i in range(2)]
            for block in range(num_blocks)
        ]

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Maps float32 [N, H, W, any] to [N, H, W, C]."""
        images = self._first(images)
        for first, second in self._blocks:
            images += second(tf.nn.relu(first(tf.nn.relu(images))))
        return images


def _layer_norm(name: str) -> snt.LayerNorm:
    return snt.LayerNorm(axis=-1, create_scale=True, create_offset=True, name=name)


def _coordinates(height: int, width: int) -> np.ndarray:
    """y and x of every pixel, from -1 to 1, float32 [H * W, 2]."""
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing='ij')
    return np.stack([y.ravel(), x.ravel()], axis=-1).astype(np.float32)

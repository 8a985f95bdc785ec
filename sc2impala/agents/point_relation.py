"""Logits of a point that depend on another one, by direction and distance.

Where a marine goes depends on where it is: away from the enemy next to it, to the shard nearest to
it. The logit of each pixel gets

    sum_k w_k f_k(dx, dy),

where (dx, dy) is its offset from the point that was chosen before. The f_k are fixed, of a distance
and a direction each, piecewise linear in both; the w_k are a linear function of the hidden layer,
on which features of the chosen point act before, and are zero at first.
"""

from typing import Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

DISTANCES = np.array([0.0, 1.5, 3.0, 4.5, 6.0, 9.0, 12.0, 16.0, 24.0]) / 24.0
"""Of the f_k, as fractions of the shorter side: in cells on the screen of a mini-game, times 24."""

NUM_DIRECTIONS = 8


class PointRelation(snt.Module):
    """Adds to the logits of a point, given another point on the same pixels."""

    def __init__(self, size: Tuple[int, int], name: str = 'point_relation'):
        """Args: size: (width, height) in pixels."""
        super().__init__(name=name)
        self._width, self._height = size
        functions = _functions(*size)
        self._table = functions.reshape(len(functions), -1)
        self._weights = snt.Linear(
            len(functions), with_bias=False, w_init=snt.initializers.Zeros(), name='weights'
        )

    def __call__(self, context: tf.Tensor, point: tf.Tensor) -> tf.Tensor:
        """Returns what is added to the logits, float32 [N, H * W].

        Args:
          context: float32 [N, any].
          point: int32 [N], the pixel that was chosen, y * W + x.
        """
        width, height = self._width, self._height
        every_offset = tf.matmul(self._weights(context), tf.constant(self._table))
        every_offset = tf.reshape(every_offset, [-1, 2 * height - 1, 2 * width - 1])
        # A product with one-hot rows instead of a gather, whose gradient is not dense.
        rows = _window(point // width, height)
        columns = tf.transpose(_window(point % width, width), [0, 2, 1])
        return tf.reshape(tf.matmul(tf.matmul(rows, every_offset), columns), [-1, height * width])


def at_point(images: tf.Tensor, point: tf.Tensor, size: Tuple[int, int]) -> tf.Tensor:
    """Returns the features of one pixel, float32 [N, C].

    Args:
      images: float32 [N, h, w, C]; may cover several pixels each.
      point: int32 [N], the pixel y * W + x.
      size: (W, H) of the pixels.
    """
    width, height = size
    rows, columns, channels = images.shape.as_list()[1:]
    place = point // width // -(-height // rows) * columns + point % width // -(-width // columns)
    one_hot = tf.one_hot(place, rows * columns)[:, tf.newaxis]
    return tf.matmul(one_hot, tf.reshape(images, [-1, rows * columns, channels]))[:, 0]


def _window(index: tf.Tensor, size: int) -> tf.Tensor:
    """Matrices that choose the offsets of all pixels of a row: int32 [N] -> [N, size, 2 size - 1].

    The offset of pixel i is i - index; its place in a table of all offsets has `size - 1` more.
    """
    return tf.one_hot(tf.range(size) - index[:, tf.newaxis] + size - 1, 2 * size - 1)


def _functions(width: int, height: int) -> np.ndarray:
    """Returns the f_k of all offsets, float32 [K, 2 height - 1, 2 width - 1]."""
    dy, dx = np.mgrid[1 - height : height, 1 - width : width] / min(width, height)
    distance, turn = np.hypot(dx, dy), np.arctan2(dy, dx) / (2 * np.pi)
    places = np.arange(len(DISTANCES))
    at = np.interp(distance, DISTANCES, places)
    rings = np.maximum(1 - np.abs(at - places[:, np.newaxis, np.newaxis]), 0)
    sectors = np.arange(NUM_DIRECTIONS)[:, np.newaxis, np.newaxis] / NUM_DIRECTIONS
    apart = np.abs((turn - sectors + 0.5) % 1.0 - 0.5) * NUM_DIRECTIONS
    sectors = np.maximum(1 - apart, 0)
    # The point itself has no direction.
    around = (rings[1:, np.newaxis] * sectors).reshape(-1, *distance.shape)
    return np.concatenate([rings[:1], around]).astype(np.float32)

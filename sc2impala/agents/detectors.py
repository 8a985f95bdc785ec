"""Detectors: the largest output of each channel of a convolution over all pixels of an image.

N stands for one leading dimension.
"""

from typing import Callable, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels


class Detectors(kernels.Kernel):
    """A 1 x 1 convolution with bias, a ReLU, and the maximum over all pixels.

    Only the pixel with the maximum has a gradient, so only these pixels take part in the backward
    pass: over all pixels the detectors took a third of an update of `unet_lstm`. Of several pixels
    with the same maximum the first one has the gradient. Second derivatives are not supported.
    """

    def __init__(self, number: int):
        """Args: number: number of detectors, D."""
        super().__init__([1, 1], number, name='detectors')

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        """Maps float32 [N, H, W, C], with H, W and C known, to [N, D]."""
        self.create(images.shape[-1])
        # Bias and ReLU keep the order of the outputs, also when they are rounded.
        return tf.nn.relu(_largest(images, tf.convert_to_tensor(self.w)) + self.b)


@tf.custom_gradient
def _largest(images: tf.Tensor, w: tf.Tensor) -> Tuple[tf.Tensor, Callable]:
    """Applies w, float32 [1, 1, C, D], and returns the maxima over all pixels, float32 [N, D]."""
    outputs = kernels.apply(images, w)
    of_rows = tf.reduce_max(outputs, axis=2)

    def gradient(d_largest: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        channels, number = w.shape.as_list()[2:]
        pixels = _first_largest(outputs, of_rows)
        d_largest = d_largest[:, :, tf.newaxis]
        flat = tf.reshape(images, [-1, channels])
        d_w = tf.reduce_sum(d_largest * tf.gather(flat, pixels), axis=0)
        d_pixels = d_largest * tf.transpose(tf.reshape(w, [channels, number]))
        d_images = tf.unsorted_segment_sum(d_pixels, pixels, tf.shape(flat)[0])
        return (
            tf.reshape(d_images, tf.shape(images)),
            tf.reshape(tf.transpose(d_w), [1, 1, channels, number]),
        )

    return tf.reduce_max(of_rows, axis=1), gradient


def _first_largest(outputs: tf.Tensor, of_rows: tf.Tensor) -> tf.Tensor:
    """Finds the first pixel with the largest output.

    The row comes first: `tf.argmax` takes longer than `tf.reduce_max`, so it is applied to rows,
    and to the pixels of a single row for each channel.

    Args:
      outputs: float32 [N, H, W, D].
      of_rows: float32 [N, H, D], the largest output in each row.

    Returns:
      int64 [N, D], indices into the pixels of all images, [N * H * W].
    """
    height, width, number = outputs.shape.as_list()[1:]
    image = tf.range(tf.shape(outputs, out_type=tf.int64)[0])[:, tf.newaxis]
    start = (image * height + tf.argmax(of_rows, axis=1)) * width
    pixels = start[:, :, tf.newaxis] + tf.range(width, dtype=tf.int64)
    channel = tf.range(number, dtype=tf.int64)[:, tf.newaxis]
    row = tf.gather(tf.reshape(outputs, [-1]), pixels * number + channel)
    return start + tf.argmax(row, axis=2)

"""Weights that are applied in parts or over time, in fewer and larger operations.

N stands for one leading dimension.
"""

import collections
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

Channels = collections.namedtuple('Channels', ['fixed', 'learned', 'is_learned'])
"""Channels for a convolution. fixed: float32 [N, H, W, F], to which no gradient flows, or None;
learned: float32 [N, H, W, L], or None; is_learned: NumPy bool [F + L], the order of both together.
"""


class Kernel(snt.Module):
    """The variables of a `snt.Conv2D` or `snt.Linear`, by the same names, for who applies them."""

    def __init__(self, size: Sequence[int], channels: int, with_bias: bool = True, name: str = ''):
        """Args:
        size: of the kernel in pixels; empty for a matrix.
        channels: of the output.
        with_bias: whether there is a bias, zero at first.
        name: prefix of the variables `w` and `b`.
        """
        super().__init__(name=name)
        self._size = list(size)
        self._channels = channels
        self._with_bias = with_bias

    @snt.once
    def create(self, input_channels: int) -> None:
        """Makes the variables, initialised as Sonnet does, when called for the first time."""
        shape = self._size + [int(input_channels), self._channels]
        initializer = snt.initializers.TruncatedNormal(stddev=1 / np.sqrt(np.prod(shape[:-1])))
        self.w = tf.Variable(initializer(shape, tf.float32), name='w')
        if self._with_bias:
            self.b = tf.Variable(tf.zeros([self._channels]), name='b')

    def split(self, channels: Sequence[int]) -> List[Callable[[tf.Tensor], tf.Tensor]]:
        """Cuts a kernel into several with so many outputs each.

        To split a large output costs a copy, and its gradient another one.

        Returns:
          A function from [N, H, W, C] to [N, H, W, its channels] for each of them.
        """

        def part(w, b):
            return lambda inputs: tf.nn.bias_add(apply(inputs, w), b)

        return [
            part(w, b)
            for w, b in zip(tf.split(self.w, channels, axis=-1), tf.split(self.b, channels))
        ]


class InputConv(Kernel):
    """A `snt.Conv2D` of channels of which only some depend on variables.

    Only to these a gradient flows: to all of them it costs as much as the convolution itself, and
    is thrown away.
    """

    def __init__(self, channels: int, kernel_size: int, stride: int = 1, name: str = ''):
        """Args: channels, kernel_size, stride, name: as of `snt.Conv2D`, with a bias."""
        super().__init__([kernel_size] * 2, channels, name=name)
        self._stride = stride

    def __call__(self, inputs: Channels) -> tf.Tensor:
        """`Channels` of [N, H, W] -> float32 [N, H / stride, W / stride, channels], rounded up."""
        self.create(len(inputs.is_learned))
        parts = []
        for part, of_part in (
            (inputs.fixed, ~inputs.is_learned),
            (inputs.learned, inputs.is_learned),
        ):
            if of_part.any():
                w = self.w if of_part.all() else tf.gather(self.w, np.flatnonzero(of_part), axis=2)
                parts.append(apply(part, w, self._stride))
        parts[0] = tf.nn.bias_add(parts[0], self.b)
        return sum(parts[1:], parts[0])


def apply(inputs: tf.Tensor, w: tf.Tensor, stride: int = 1) -> tf.Tensor:
    """The convolution, or for a matrix the product: float32 [N, ..., C] -> [N, ..., channels]."""
    if len(w.shape) == 2:
        return tf.matmul(inputs, w)
    return tf.nn.conv2d(inputs, w, strides=stride, padding='SAME')


def with_gradient_at_once(
    kernel: Kernel, sums: tf.Tensor
) -> Tuple[tf.Tensor, Callable[[tf.Tensor, tf.Tensor], tf.Tensor]]:
    """For weights that are used at each of T steps: their gradient in one operation after the last.

    Args:
      kernel: `Kernel` without bias, which exists.
      sums: float32 [T, B, ..., channels], to be unstacked; at each step something is added to them.

    Returns:
      `sums` as they are, and `add(sum_t, inputs_t)`, to be called once for each step and in order:
      it returns sum_t + kernel(inputs_t), [B, ..., channels]. The gradient to the weights takes
      its way through the returned sums: it is computed from all steps together, instead of one by
      one and then added up. It can be taken once, not twice.
    """
    all_inputs = []

    @tf.custom_gradient
    def through_weights(sums, w):
        def gradient(d_sums):
            inputs = tf.concat(all_inputs, axis=0)
            d_sums_flat = tf.reshape(d_sums, [-1] + sums.shape.as_list()[2:])
            return d_sums, _weight_gradient(inputs, w.shape.as_list(), d_sums_flat)

        return tf.identity(sums), gradient

    w = tf.convert_to_tensor(kernel.w)
    constant_w = tf.stop_gradient(w)

    def add(sum_t, inputs):
        all_inputs.append(inputs)
        return sum_t + apply(inputs, constant_w)

    return through_weights(sums, w), add


def _weight_gradient(inputs: tf.Tensor, shape: Sequence[int], d_outputs: tf.Tensor) -> Any:
    if len(shape) == 2:
        return tf.matmul(inputs, d_outputs, transpose_a=True)
    return tf.nn.conv2d_backprop_filter(
        inputs, shape, d_outputs, strides=[1, 1, 1, 1], padding='SAME'
    )

"""Convolution kernels and weight matrices, applied in fewer and larger operations than in Sonnet.

N stands for one leading dimension.
"""

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf


class Channels(NamedTuple):
    """The input channels of a convolution, split by whether they depend on variables.

    fixed: float32 [N, H, W, F], to which no gradient flows, or None.
    learned: float32 [N, H, W, L], or None.
    is_learned: NumPy bool [F + L], for each input channel whether it is the next one of `learned`.
    """

    fixed: Optional[tf.Tensor]
    learned: Optional[tf.Tensor]
    is_learned: np.ndarray


class Kernel(snt.Module):
    """The variables of an `snt.Conv2D` or `snt.Linear` with the same names, not the operation."""

    def __init__(self, size: Sequence[int], channels: int, with_bias: bool = True, name: str = ''):
        """Args:
        size: size of the kernel in pixels; empty for a matrix.
        channels: number of output channels.
        with_bias: whether there is a bias; it is initialised with zeros.
        name: prefix of the variables `w` and `b`.
        """
        super().__init__(name=name)
        self._size = list(size)
        self._channels = channels
        self._with_bias = with_bias

    @snt.once
    def create(self, input_channels: int) -> None:
        """Creates the variables, initialised as in Sonnet; has no effect after the first call."""
        shape = self._size + [int(input_channels), self._channels]
        initializer = snt.initializers.TruncatedNormal(stddev=1 / np.sqrt(np.prod(shape[:-1])))
        self.w = tf.Variable(initializer(shape, tf.float32), name='w')
        if self._with_bias:
            self.b = tf.Variable(tf.zeros([self._channels]), name='b')

    def split(self, channels: Sequence[int]) -> List[Callable[[tf.Tensor], tf.Tensor]]:
        """Splits the kernel along its output channels.

        Splitting a large output instead would cost one copy in the forward pass and one in the
        backward pass.

        Args:
          channels: number of output channels of each part.

        Returns:
          For each part a function from float32 [N, H, W, C] to float32 [N, H, W, its channels].
        """

        def part(w: tf.Tensor, b: tf.Tensor) -> Callable[[tf.Tensor], tf.Tensor]:
            return lambda inputs: tf.nn.bias_add(apply(inputs, w), b)

        return [
            part(w, b)
            for w, b in zip(tf.split(self.w, channels, axis=-1), tf.split(self.b, channels))
        ]


class InputConv(Kernel):
    """An `snt.Conv2D` over channels of which only some depend on variables.

    The gradient is computed for these channels only: the gradient of all input channels costs as
    much as the convolution itself, and most of it would not be used.
    """

    def __init__(self, channels: int, kernel_size: int, stride: int = 1, name: str = ''):
        """Args: channels, kernel_size, stride, name: as in `snt.Conv2D`. There is always a bias."""
        super().__init__([kernel_size] * 2, channels, name=name)
        self._stride = stride

    def __call__(self, inputs: Channels) -> tf.Tensor:
        """Maps `Channels` of [N, H, W] to float32 [N, H / stride, W / stride, C], rounded up."""
        self.create(len(inputs.is_learned))
        parts = []
        for part, in_part in (
            (inputs.fixed, ~inputs.is_learned),
            (inputs.learned, inputs.is_learned),
        ):
            if in_part.any():
                w = self.w if in_part.all() else tf.gather(self.w, np.flatnonzero(in_part), axis=2)
                parts.append(apply(part, w, self._stride))
        parts[0] = tf.nn.bias_add(parts[0], self.b)
        return sum(parts[1:], parts[0])


def apply(inputs: tf.Tensor, w: tf.Tensor, stride: int = 1) -> tf.Tensor:
    """Applies a kernel: a 'SAME' convolution, or a matrix product if `w` is a matrix.

    Args:
      inputs: float32 [N, H, W, C], or [N, C] for a matrix.
      w: float32 [height, width, C, channels], or [C, channels].
      stride: stride of the convolution.

    Returns:
      float32 [N, H / stride, W / stride, channels], rounded up, or [N, channels].
    """
    if len(w.shape) == 2:
        return tf.matmul(inputs, w)
    return tf.nn.conv2d(inputs, w, strides=stride, padding='SAME')


def fuse_weight_gradient(kernel: Kernel, sums: tf.Tensor) -> Tuple[tf.Tensor, Callable, Callable]:
    """Applies a kernel at each of T steps, with the gradient of its weights in one operation.

    The gradient of the weights is attached to the returned sums. It is computed from the inputs of
    all steps at once, instead of once for each step and then summed. Second derivatives are not
    supported.

    Args:
      kernel: `Kernel` without bias; its variables must exist.
      sums: float32 [T, B, ..., channels], the terms to which the kernel's outputs are added.

    Returns:
      sums: float32 [T, B, ..., channels], with the values of `sums`. The caller unstacks it.
      add: function of (sum_t, inputs_t) that returns sum_t + kernel(inputs_t), float32
        [B, ..., channels], for use at each step, also inside of a loop.
      set_inputs: function of the inputs of all steps in order, T float32 [B, ..., C] or one
        [T, B, ..., C], to be called once, before gradients are built.
    """
    all_inputs: List[Any] = []

    @tf.custom_gradient
    def through_weights(sums: tf.Tensor, w: tf.Tensor) -> Tuple[tf.Tensor, Callable]:
        def gradient(d_sums: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
            shape, size = sums.shape.as_list()[2:], w.shape.as_list()
            inputs = tf.reshape(all_inputs[0], [-1] + shape[:-1] + size[-2:-1])
            return d_sums, _weight_gradient(inputs, size, tf.reshape(d_sums, [-1] + shape))

        return tf.identity(sums), gradient

    w = tf.convert_to_tensor(kernel.w)

    def add(sum_t: tf.Tensor, inputs: tf.Tensor) -> tf.Tensor:
        # Stopped inside, since a loop would compute gradients of captured tensors.
        return sum_t + apply(inputs, tf.stop_gradient(w))

    return through_weights(sums, w), add, all_inputs.append


def _weight_gradient(inputs: tf.Tensor, shape: Sequence[int], d_outputs: tf.Tensor) -> tf.Tensor:
    if len(shape) == 2:
        return tf.matmul(inputs, d_outputs, transpose_a=True)
    return tf.nn.conv2d_backprop_filter(
        inputs, shape, d_outputs, strides=[1, 1, 1, 1], padding='SAME'
    )

"""The linear recurrence behind V-trace, discounted returns and generalised advantages.

A scan takes T sequential steps. But two steps of a linear recurrence are again one step of a linear
recurrence, so the distance that a step covers can be doubled repeatedly: ceil(log2 T) rounds of
whole-array arithmetic are sufficient (Hillis and Steele, 'Data parallel algorithms', 1986).
"""

from typing import Tuple, Union

import tensorflow.compat.v1 as tf


def reverse_linear_recurrence(a: tf.Tensor, b: tf.Tensor, initial: tf.Tensor) -> tf.Tensor:
    """Solves x_t = b_t + a_t * x_{t+1} for t = T-1, ..., 0, where x_T = `initial`.

    It is differentiable with respect to all three arguments. T and all other dimensions may be
    unknown until the graph runs.

    Args:
      a: float tensor [T, ...], the weight of x_{t+1}. Trailing dimensions may be 1 where those
        of `b` are not.
      b: float tensor [T, ...] of the same rank, the term of each step.
      initial: float tensor with the shape of `b` without its time dimension.

    Returns:
      Tensor with the shape and dtype of `b`: x_0, ..., x_{T-1}.
    """
    b = tf.concat([b[:-1], b[-1:] + a[-1:] * initial], axis=0)
    if b.shape[:1].is_fully_defined():
        shift = 1
        while shift < b.shape[0]:
            a, b = _doubled(a, b, shift)
            shift *= 2
        return b
    return _doubled_in_loop(a, b)


def _doubled(
    a: tf.Tensor, b: tf.Tensor, shift: Union[int, tf.Tensor]
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Transforms x_t = b_t + a_t x_{t+shift}, with x_t = 0 for t >= T, to twice the shift."""

    def later(tensor: tf.Tensor) -> tf.Tensor:
        return tf.concat([tensor[shift:], tf.zeros_like(tensor[:shift])], axis=0)

    return a * later(a), b + a * later(b)


def _doubled_in_loop(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    length = tf.shape(b)[0]

    def body(shift: tf.Tensor, a: tf.Tensor, b: tf.Tensor) -> Tuple[tf.Tensor, ...]:
        return (2 * shift,) + _doubled(a, b, shift)

    _, _, x = tf.while_loop(
        cond=lambda shift, a, b: shift < length,
        body=body,
        loop_vars=(tf.constant(1), a, b),
        shape_invariants=(tf.TensorShape([]), _any_length(a.shape), _any_length(b.shape)),
    )
    return x


def _any_length(shape: tf.TensorShape) -> tf.TensorShape:
    return shape if shape.rank is None else tf.TensorShape([None]).concatenate(shape[1:])

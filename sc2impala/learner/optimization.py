"""Schedules over environment frames, and the step of the optimizer."""

from typing import Any, Sequence, Tuple

import tensorflow.compat.v1 as tf

NOT_FINITE = 'the gradient is not finite'


def linear_schedule(start: float, end: float, global_step: tf.Tensor, frames: float) -> tf.Tensor:
    """From `start` at frame 0 to `end` at `frames` and beyond, float32 []."""
    return tf.train.polynomial_decay(start, global_step, int(frames), end)


def minimize(
    optimizer: Any, loss: tf.Tensor, variables: Sequence[Any], clip_grad_norm: float
) -> Tuple[tf.Operation, tf.Tensor]:
    """One step down the gradient, clipped by its global norm unless `clip_grad_norm` is 0.

    Variables that the loss does not depend on are left alone. If the gradient is not finite, the
    operation fails with an InvalidArgumentError that says NOT_FINITE, and changes nothing.

    Returns:
      The operation, and the norm before clipping, float32 [].
    """
    gradients = tf.gradients(loss, variables)
    pairs = [(g, v) for g, v in zip(gradients, variables) if g is not None]
    gradients, variables = zip(*pairs)
    norm = tf.check_numerics(tf.global_norm(gradients), NOT_FINITE)
    if clip_grad_norm:
        gradients, _ = tf.clip_by_global_norm(gradients, clip_grad_norm, use_norm=norm)
    with tf.control_dependencies([norm]):
        return optimizer.apply_gradients(zip(gradients, variables)), norm

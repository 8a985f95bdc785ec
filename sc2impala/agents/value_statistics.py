"""The scale of an agent's baseline, for PopArt (van Hasselt et al. 2016, arXiv 1602.07714).

The network predicts the normalised return n(x); the baseline is V(x) = mean + scale * n(x), a
return in the units of the rewards. So only agent and update use normalised values. On several maps
each has its own mean, scale and output n (Hessel et al. 2018, arXiv 1809.04474).
"""

from typing import Any

import sonnet as snt
import tensorflow.compat.v1 as tf

MIN_SCALE = 0.01
"""Smallest scale. Where rewards are rare all returns of the first batches are alike."""


class ValueStatistics(snt.Module):
    """Mean and variance of the returns. `learner.value_normalisation` updates them."""

    def __init__(self, layer: snt.Linear, num_tasks: int = 0, name: str = 'value_statistics'):
        """Args:
        layer: the last layer of the baseline, whose outputs are normalised returns.
        num_tasks: number of maps with a normalised return each; 0 for a single one.
        """
        super().__init__(name=name)
        self.layer = layer
        self.num_tasks = num_tasks

    @snt.once
    def create(self) -> None:
        """Creates the variables; has no effect after the first call.

        They are trainable, so they are saved, copied and loaded with the weights
        of the agent; but no gradient reaches them.
        """
        self.mean = self._filled(0.0, 'mean')
        self.variance = self._filled(1.0, 'variance')
        # The initial statistics count as one batch.
        self.num_batches = self._filled(1.0, 'num_batches')

    @property
    def scale(self) -> tf.Tensor:
        """The current scale, float32 [], or [number of maps]."""
        return self.scale_for(self.variance)

    def scale_for(self, variance: tf.Tensor) -> tf.Tensor:
        """Standard deviation for a variance, of any shape; at least MIN_SCALE. No gradient."""
        return tf.stop_gradient(tf.sqrt(tf.maximum(tf.convert_to_tensor(variance), MIN_SCALE**2)))

    def unnormalised(self, values: tf.Tensor) -> tf.Tensor:
        """mean + scale * values; the gradient reaches `values` only.

        Args:
          values: float32 of any shape; with several maps their last dimension.
        """
        self.create()
        return tf.stop_gradient(tf.convert_to_tensor(self.mean)) + self.scale * values

    def _filled(self, value: float, name: str) -> tf.Variable:
        initial: Any = [value] * self.num_tasks if self.num_tasks else value
        return tf.Variable(initial, name=name)

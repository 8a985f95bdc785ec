"""The scale of an agent's baseline, for PopArt (van Hasselt et al. 2016, arXiv 1602.07714).

The network predicts the normalised return n(x); the baseline is V(x) = mean + scale * n(x), a
return in the units of the rewards. So only agent and update use normalised values.
"""

import sonnet as snt
import tensorflow.compat.v1 as tf

MIN_SCALE = 0.01
"""Smallest scale. Where rewards are rare all returns of the first batches are alike."""


class ValueStatistics(snt.Module):
    """Mean and variance of the returns. `learner.value_normalisation` updates them."""

    def __init__(self, layer: snt.Linear, name: str = 'value_statistics'):
        """Args: layer: the last layer of the baseline, with one output: the normalised return."""
        super().__init__(name=name)
        self.layer = layer

    @snt.once
    def create(self) -> None:
        """Creates the variables; has no effect after the first call.

        They are trainable, so they are saved, copied and loaded with the weights
        of the agent; but no gradient reaches them.
        """
        self.mean = tf.Variable(0.0, name='mean')
        self.variance = tf.Variable(1.0, name='variance')
        # The initial statistics count as one batch.
        self.num_batches = tf.Variable(1.0, name='num_batches')

    @property
    def scale(self) -> tf.Tensor:
        """The current scale, float32 []."""
        return self.scale_for(self.variance)

    def scale_for(self, variance: tf.Tensor) -> tf.Tensor:
        """Standard deviation for a variance, both float32 []; at least MIN_SCALE. No gradient."""
        return tf.stop_gradient(tf.sqrt(tf.maximum(tf.convert_to_tensor(variance), MIN_SCALE**2)))

    def unnormalised(self, values: tf.Tensor) -> tf.Tensor:
        """mean + scale * values, of any shape; the gradient reaches `values` only."""
        self.create()
        return tf.stop_gradient(tf.convert_to_tensor(self.mean)) + self.scale * values

"""Memory between torso and heads, unrolled over time with resets at episode ends.

T is the unroll length plus one, B the batch. A core has `initial_state(batch_size)` and
`unroll(features, done, state)`; `done[t]` says that the observation at t is the first of an
episode, so the state is reset before step t.
"""

import collections
from typing import Any, Tuple

import sonnet as snt
import tensorflow.compat.v1 as tf

Features = collections.namedtuple('Features', ['spatial', 'vector'])
"""What a torso makes of an observation. spatial: float32 [N, H, W, C]. vector: float32 [N, D]."""


class NoMemory(snt.Module):
    """The core of a feed-forward agent."""

    def initial_state(self, batch_size: Any) -> Tuple:
        """An empty state."""
        return ()

    def unroll(self, features: Features, done: tf.Tensor, state: Tuple) -> Tuple[Features, Tuple]:
        """Returns what it was given."""
        return features, state


class ConvLSTM(snt.Module):
    """Convolutional LSTM (Shi et al. 2015, arXiv 1506.04214, without peepholes).

    The convolution of the inputs does not depend on the state, so it runs once for all time steps.
    The vector enters every gate through a linear layer, which away from the border is the same as
    convolving the vector broadcast over the screen, and much cheaper.

    What comes out is the hidden state plus a linear map of the inputs: what can be told from the
    present alone need not pass through the gates. Without that path learning is far slower.
    """

    def __init__(
        self,
        height: int,
        width: int,
        channels: int,
        kernel_size: int = 3,
        input_kernel_size: int = 1,
        forget_bias: float = 1.0,
        name: str = 'conv_lstm',
    ):
        """Builds the layers.

        Args:
          height, width: of the state in pixels.
          channels: of hidden and cell state.
          kernel_size: of the convolution of the hidden state.
          input_kernel_size: of the convolution of the inputs. Their torso has looked around
            already, so that one pixel does, at a fraction of the arithmetic.
          forget_bias: added to the forget gate, so that memory is kept at first.
        """
        super().__init__(name=name)
        self._state_shape = [height, width, channels]
        self._forget_bias = forget_bias
        gates = 4 * channels
        self._channels = channels
        self._input_conv = snt.Conv2D(gates + channels, input_kernel_size, name='input')
        self._vector_linear = snt.Linear(gates, with_bias=False, name='vector')
        self._hidden_conv = snt.Conv2D(gates, kernel_size, with_bias=False, name='hidden')

    def initial_state(self, batch_size: Any) -> Tuple[tf.Tensor, tf.Tensor]:
        """Hidden and cell state, zeros: two float32 [batch_size, H, W, channels]."""
        zeros = tf.zeros(tf.concat([[batch_size], self._state_shape], axis=0))
        zeros = tf.ensure_shape(zeros, [None] + self._state_shape)
        return zeros, zeros

    def unroll(
        self, features: Features, done: tf.Tensor, state: Tuple[tf.Tensor, tf.Tensor]
    ) -> Tuple[Features, Tuple[tf.Tensor, tf.Tensor]]:
        """Advances the state over time.

        Args:
          features: `Features` of [T, B, ...].
          done: bool [T, B].
          state: as `initial_state` returns it, before the first step.

        Returns:
          `Features` of [T, B, H, W, channels] with the vector passed on, and the state after the
          last step.
        """
        # [T, B, H, W, C] -> [T, B, H, W, 4 * channels] and [T, B, H, W, channels].
        projected = snt.BatchApply(self._input_conv)(features.spatial)
        gates, bypass = tf.split(projected, [4 * self._channels, self._channels], axis=-1)
        vector_gates = snt.BatchApply(self._vector_linear)(features.vector)
        gates += vector_gates[:, :, tf.newaxis, tf.newaxis, :]
        hidden = []
        for gates_t, done_t in zip(tf.unstack(gates), tf.unstack(done)):
            # In TF1 a rank-1 condition picks rows.
            state = tuple(tf.where(done_t, tf.zeros_like(part), part) for part in state)
            state = self._step(gates_t, state)
            hidden.append(state[0])
        return Features(tf.stack(hidden) + bypass, features.vector), state

    def _step(self, input_gates, state):
        hidden, cell = state
        gates = input_gates + self._hidden_conv(hidden)
        candidate, input_gate, forget_gate, output_gate = tf.split(gates, 4, axis=-1)
        cell = tf.sigmoid(forget_gate + self._forget_bias) * cell
        cell += tf.sigmoid(input_gate) * tf.tanh(candidate)
        return tf.sigmoid(output_gate) * tf.tanh(cell), cell

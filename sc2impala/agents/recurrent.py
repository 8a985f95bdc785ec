"""Memory between torso and heads, unrolled over time with resets at episode ends.

T is the unroll length plus one, B the batch. A core has `initial_state(batch_size)` and
`unroll(features, done, state)`; `done[t]` says that the observation at t is the first of an
episode, so the state is reset before step t.
"""

import collections
from typing import Any, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels

Features = collections.namedtuple('Features', ['spatial', 'vector'])
"""What a torso makes of an observation. spatial: float32 [N, H, W, C], or () if all that is spatial
was given up. vector: float32 [N, D]."""


class NoMemory(snt.Module):
    """The core of a feed-forward agent."""

    def initial_state(self, batch_size: Any) -> Tuple:
        """An empty state."""
        return ()

    def unroll(self, features: Features, done: tf.Tensor, state: Tuple) -> Tuple[Features, Tuple]:
        """Returns what it was given."""
        return features, state


class LSTM(snt.Module):
    """LSTM (Hochreiter & Schmidhuber 1997, with a forget gate) over the vector.

    The product with the inputs does not depend on the state, so it is one for all time steps.
    """

    def __init__(self, size: int, forget_bias: float = 1.0, name: str = 'lstm'):
        """Args:
        size: units of hidden and cell state.
        forget_bias: added to the forget gate, so that memory is kept at first.
        """
        super().__init__(name=name)
        self._size = size
        self._forget_bias = forget_bias
        self._input_linear = snt.Linear(4 * size, name='input')
        self._hidden_weights = kernels.Kernel([], 4 * size, with_bias=False, name='hidden')

    def initial_state(self, batch_size: Any) -> Tuple[tf.Tensor, tf.Tensor]:
        """Hidden and cell state, zeros: two float32 [batch_size, size]."""
        return _zero_state(batch_size, [self._size])

    def unroll(
        self, features: Features, done: tf.Tensor, state: Tuple[tf.Tensor, tf.Tensor]
    ) -> Tuple[Features, Tuple[tf.Tensor, tf.Tensor]]:
        """Advances the state over time.

        Args:
          features: `Features` of [T, B, ...].
          done: bool [T, B].
          state: as `initial_state` returns it, before the first step.

        Returns:
          `Features` with the hidden states as vector, [T, B, size], and what was spatial passed on;
          the state after the last step.
        """
        gates = snt.BatchApply(self._input_linear)(features.vector)
        gates += _only_forget_gate(self._size, self._forget_bias)
        hidden, state = _unroll_gates(gates, done, state, self._hidden_weights)
        return Features(features.spatial, hidden), state


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
        self._input_kernel = kernels.Kernel([input_kernel_size] * 2, gates + channels, name='input')
        self._vector_linear = snt.Linear(gates, with_bias=False, name='vector')
        self._hidden_kernel = kernels.Kernel(
            [kernel_size] * 2, gates, with_bias=False, name='hidden'
        )

    def initial_state(self, batch_size: Any) -> Tuple[tf.Tensor, tf.Tensor]:
        """Hidden and cell state, zeros: two float32 [batch_size, H, W, channels]."""
        return _zero_state(batch_size, self._state_shape)

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
        self._input_kernel.create(features.spatial.shape[-1])
        gates, bypass = (
            snt.BatchApply(part)(features.spatial)
            for part in self._input_kernel.split([4 * self._channels, self._channels])
        )
        vector_gates = snt.BatchApply(self._vector_linear)(features.vector)
        vector_gates += _only_forget_gate(self._channels, self._forget_bias)
        gates += vector_gates[:, :, tf.newaxis, tf.newaxis, :]
        hidden, state = _unroll_gates(gates, done, state, self._hidden_kernel)
        return Features(hidden + bypass, features.vector), state


def _zero_state(batch_size, shape):
    zeros = tf.zeros(tf.concat([[batch_size], shape], axis=0))
    zeros = tf.ensure_shape(zeros, [None] + shape)
    return zeros, zeros


def _only_forget_gate(size, value):
    """`value` in the place of the forget gate among all gates, float32 [4 * size]."""
    return tf.constant(np.repeat(np.array([0.0, 0.0, value, 0.0], np.float32), size))


def _unroll_gates(input_gates, done, state, hidden_kernel):
    """The recurrence that both kinds share.

    Args:
      input_gates: float32 [T, B, ..., 4 * size], what the inputs add to the gates.
      done: bool [T, B].
      state: hidden and cell, [B, ..., size].
      hidden_kernel: `Kernel` from a hidden state [B, ..., size] to what it adds to the gates.

    Returns:
      Hidden states, [T, B, ..., size], and the last state.
    """
    hidden_kernel.create(state[0].shape[-1])
    input_gates, add_hidden = kernels.with_gradient_at_once(hidden_kernel, input_gates)
    hidden = []
    for gates_t, done_t in zip(tf.unstack(input_gates), tf.unstack(done)):
        # In TF1 a rank-1 condition picks rows.
        state = tuple(tf.where(done_t, tf.zeros_like(part), part) for part in state)
        state = _lstm_step(add_hidden(gates_t, state[0]), state[1])
        hidden.append(state[0])
    return tf.stack(hidden), state


def _lstm_step(gates, cell):
    candidate, input_gate, forget_gate, output_gate = tf.split(gates, 4, axis=-1)
    cell = tf.sigmoid(forget_gate) * cell + tf.sigmoid(input_gate) * tf.tanh(candidate)
    return tf.sigmoid(output_gate) * tf.tanh(cell), cell

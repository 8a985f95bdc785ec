"""Recurrent cores between torso and heads, unrolled over time, with resets at episode boundaries.

T is the unroll length plus one, B the batch size. A core has the methods
`initial_state(batch_size)` and `unroll(features, done, state)`. Where `done[t]` is set, the
observation at step t is the first of an episode, so the state is reset before step t.
"""

from typing import Any, Callable, List, NamedTuple, Tuple, Union

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala.agents import kernels

LONGEST_WRITTEN_OUT = 64
"""A recurrence over more steps is a loop in the graph.

Written out step by step it is faster, but the graph, and the time until the first update, grow with
each step.
"""


class Features(NamedTuple):
    """The output of a torso.

    spatial: float32 [N, H, W, C], or () if the torso has no spatial output.
    vector: float32 [N, D].
    pixels: embeddings of single pixels for point heads that compare pixels, see
      `patch_lstm.PixelPointHead`; or ().
    """

    spatial: Any
    vector: tf.Tensor
    pixels: Any = ()


State = Tuple[tf.Tensor, tf.Tensor]
"""Hidden and cell state, float32 [B, ..., size] each."""


class FeedForwardCore(snt.Module):
    """The core of a feed-forward agent: it has no state and returns its input."""

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Tuple:
        """Returns the empty state."""
        return ()

    def unroll(self, features: Features, done: tf.Tensor, state: Tuple) -> Tuple[Features, Tuple]:
        """Returns `features` and `state` unchanged."""
        return features, state


class LSTM(snt.Module):
    """An LSTM (Hochreiter & Schmidhuber 1997, with a forget gate) over the vector.

    The product of inputs and weights does not depend on the state, so it is computed once for all
    time steps.
    """

    def __init__(self, size: int, forget_bias: float = 1.0, name: str = 'lstm'):
        """Args:
        size: number of units of hidden and cell state.
        forget_bias: constant added to the forget gate, so that an untrained core keeps its state.
        """
        super().__init__(name=name)
        self._size = size
        self._forget_bias = forget_bias
        self._input_linear = snt.Linear(4 * size, name='input')
        self._hidden_weights = kernels.Kernel([], 4 * size, with_bias=False, name='hidden')

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> State:
        """Returns hidden and cell state, two float32 [batch_size, size] of zeros."""
        return _zero_state(batch_size, [self._size])

    def unroll(self, features: Features, done: tf.Tensor, state: State) -> Tuple[Features, State]:
        """Advances the state over time.

        Args:
          features: `Features` of [T, B, ...].
          done: bool [T, B].
          state: state before the first step, as `initial_state` returns it.

        Returns:
          `Features` with the hidden states as vector, [T, B, size], and `spatial` unchanged.
          The state after the last step.
        """
        gates = snt.BatchApply(self._input_linear)(features.vector)
        gates += _forget_gate_bias(self._size, self._forget_bias)
        hidden, state = _unroll_gates(gates, done, state, self._hidden_weights)
        return features._replace(vector=hidden), state


class ConvLSTM(snt.Module):
    """A convolutional LSTM (Shi et al. 2015, arXiv 1506.04214, without peepholes).

    The convolution of the inputs does not depend on the state, so it is computed once for all time
    steps. The vector enters every gate through a linear layer. Away from the border this is
    equivalent to a convolution of the vector broadcast over the screen, and much cheaper.

    The output is the hidden state plus a linear map of the inputs, which bypasses the gates.
    Without this bypass learning is far slower.
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
        """Constructs the layers.

        Args:
          height, width: size of the state in pixels.
          channels: number of channels of hidden and cell state.
          kernel_size: kernel size of the convolution of the hidden state.
          input_kernel_size: kernel size of the convolution of the inputs. The torso has aggregated
            over the neighbourhood already, so 1 is sufficient, and much cheaper.
          forget_bias: constant added to the forget gate, so that an untrained core keeps its state.
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

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> State:
        """Returns hidden and cell state, two float32 [batch_size, H, W, channels] of zeros."""
        return _zero_state(batch_size, self._state_shape)

    def unroll(self, features: Features, done: tf.Tensor, state: State) -> Tuple[Features, State]:
        """Advances the state over time.

        Args:
          features: `Features` of [T, B, ...].
          done: bool [T, B].
          state: state before the first step, as `initial_state` returns it.

        Returns:
          `Features` with the output as spatial, [T, B, H, W, channels], and `vector` unchanged.
          The state after the last step.
        """
        # [T, B, H, W, C] -> [T, B, H, W, 4 * channels] and [T, B, H, W, channels].
        self._input_kernel.create(features.spatial.shape[-1])
        gates, bypass = (
            snt.BatchApply(part)(features.spatial)
            for part in self._input_kernel.split([4 * self._channels, self._channels])
        )
        vector_gates = snt.BatchApply(self._vector_linear)(features.vector)
        vector_gates += _forget_gate_bias(self._channels, self._forget_bias)
        gates += vector_gates[:, :, tf.newaxis, tf.newaxis, :]
        hidden, state = _unroll_gates(gates, done, state, self._hidden_kernel)
        return features._replace(spatial=hidden + bypass), state


def _zero_state(batch_size: Union[int, tf.Tensor], shape: List[int]) -> State:
    zeros = tf.zeros(tf.concat([[batch_size], shape], axis=0))
    zeros = tf.ensure_shape(zeros, [None] + shape)
    return zeros, zeros


def _forget_gate_bias(size: int, value: float) -> tf.Tensor:
    """Returns `value` for the forget gate and 0 for all other gates, float32 [4 * size]."""
    return tf.constant(np.repeat(np.array([0.0, 0.0, value, 0.0], np.float32), size))


def _unroll_gates(
    input_gates: tf.Tensor,
    done: tf.Tensor,
    state: State,
    hidden_kernel: kernels.Kernel,
) -> Tuple[tf.Tensor, State]:
    """Runs the recurrence that `LSTM` and `ConvLSTM` share.

    Args:
      input_gates: float32 [T, B, ..., 4 * size], the contribution of the inputs to the gates.
      done: bool [T, B].
      state: hidden and cell state, float32 [B, ..., size] each.
      hidden_kernel: `Kernel` that maps a hidden state, [B, ..., size], to its contribution to the
        gates, [B, ..., 4 * size].

    Returns:
      The hidden states, float32 [T, B, ..., size], and the state after the last step.
    """
    hidden_kernel.create(state[0].shape[-1])
    input_gates, add_hidden, set_inputs = kernels.fuse_weight_gradient(hidden_kernel, input_gates)

    def step(gates: tf.Tensor, done: tf.Tensor, state: State) -> Tuple[tf.Tensor, State]:
        """Returns the hidden state that enters the gates, and the next state."""
        # In TF1 a condition of rank 1 selects along the first dimension.
        hidden, cell = (tf.where(done, tf.zeros_like(part), part) for part in state)
        return hidden, _lstm_step(add_hidden(gates, hidden), cell)

    is_short = input_gates.shape[0] <= LONGEST_WRITTEN_OUT
    recur = _recur_written_out if is_short else _recur_in_loop
    inputs, hidden, state = recur(step, input_gates, done, state)
    set_inputs(inputs)
    return hidden, state


def _recur_written_out(
    step: Callable, input_gates: tf.Tensor, done: tf.Tensor, state: State
) -> Tuple[List[tf.Tensor], tf.Tensor, State]:
    """Applies `step` T times, unrolled in the graph.

    Returns:
      Hidden states that entered the gates, T float32 [B, ..., size], output states, float32
      [T, B, ..., size], and the state after the last step.
    """
    inputs, outputs = [], []
    for gates_t, done_t in zip(tf.unstack(input_gates), tf.unstack(done)):
        hidden, state = step(gates_t, done_t, state)
        inputs.append(hidden)
        outputs.append(state[0])
    return inputs, tf.stack(outputs), state


def _recur_in_loop(
    step: Callable, input_gates: tf.Tensor, done: tf.Tensor, state: State
) -> Tuple[tf.Tensor, tf.Tensor, State]:
    """Equals `_recur_written_out`, as a loop; both kinds of hidden states are stacked."""
    num_steps = input_gates.shape.as_list()[0]
    gates, is_done = (
        tf.TensorArray(t.dtype, num_steps, element_shape=t.shape[1:]).unstack(t)
        for t in (input_gates, done)
    )
    shape = state[0].shape

    def body(t: tf.Tensor, state: State, history: Tuple) -> Tuple:
        hidden, state = step(gates.read(t), is_done.read(t), state)
        state = tuple(tf.ensure_shape(part, shape) for part in state)
        new = (hidden, state[0])
        return t + 1, state, tuple(array.write(t, part) for array, part in zip(history, new))

    history = tuple(
        tf.TensorArray(input_gates.dtype, num_steps, element_shape=shape) for _ in range(2)
    )
    _, state, history = tf.while_loop(
        lambda t, *unused: t < num_steps, body, (tf.constant(0), tuple(state), history)
    )
    inputs, outputs = (array.stack() for array in history)
    for stacked in (inputs, outputs):
        # TensorFlow 1.15 loses the static number of steps.
        stacked.set_shape([num_steps] + shape.as_list())
    return inputs, outputs, state


def _lstm_step(gates: tf.Tensor, cell: tf.Tensor) -> State:
    """Returns the next hidden and cell state, float32 [B, ..., size] each."""
    candidate, input_gate, forget_gate, output_gate = tf.split(gates, 4, axis=-1)
    cell = tf.sigmoid(forget_gate) * cell + tf.sigmoid(input_gate) * tf.tanh(candidate)
    return tf.sigmoid(output_gate) * tf.tanh(cell), cell

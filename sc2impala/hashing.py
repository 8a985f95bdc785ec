"""Random numbers that are a function of integers: stateless and reproducible.

TensorFlow's stateless operations take one seed for a whole tensor, these one for each element.
"""

from typing import Sequence

import tensorflow.compat.v1 as tf

_LOW_WORD = 0xFFFFFFFF
_GOLDEN_RATIO = 0x9E3779B9
_SHIFTS_AND_FACTORS = ((16, 0x21F0AAAD), (15, 0x735A2D97), (15, 1))
"""Factors of a 32-bit mixing function from Wellons' hash-prospector. Both are below 2^31: no
product overflows int64."""


def uniform(integers: Sequence[tf.Tensor]) -> tf.Tensor:
    """Returns a number in [0, 1) for each tuple of integers.

    Args:
      integers: one or more int64 tensors, of broadcastable shapes.

    Returns:
      float32 of the broadcast shape, multiples of 2^-24.
    """
    state = tf.zeros([], tf.int64)
    for integer in integers:
        integer = tf.convert_to_tensor(integer, tf.int64)
        for word in (integer, tf.bitwise.right_shift(integer, _constant(32))):
            state = _mix(state + _GOLDEN_RATIO, word)
    return tf.cast(tf.bitwise.right_shift(state, _constant(8)), tf.float32) * 2.0**-24


def _mix(state: tf.Tensor, word: tf.Tensor) -> tf.Tensor:
    """The next state, from the lower 32 bits of both: int64 in 0..2^32 - 1."""
    state = tf.bitwise.bitwise_and(_xor(state, word), _constant(_LOW_WORD))
    for shift, factor in _SHIFTS_AND_FACTORS:
        state = _xor(state, tf.bitwise.right_shift(state, _constant(shift)))
        state = tf.bitwise.bitwise_and(state * factor, _constant(_LOW_WORD))
    return state


def _xor(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.bitwise.bitwise_xor(a, b)


def _constant(value: int) -> tf.Tensor:
    return tf.constant(value, tf.int64)

"""Sequences that overlap by more than the one step that each shares with the one before it.

A moment is a tuple: what a step consists of, and last the recurrent state of the agent with which
its observation was acted on. With an overlap of O the first O + 1 steps of a sequence are the last
O + 1 of the sequence before it, and its first recurrent state is that with which the first of these
was played: R2D2 (Kapturowski et al. 2019) needs that for its burn-in. K is the number of
environments.
"""

from typing import Any, Tuple

import tensorflow.compat.v1 as tf


def first_past(moment: Any, overlap: int) -> Any:
    """Returns copies of the first moment, which stand before the first step of an actor.

    All of them start an episode, so that the recurrent state after them is that at its start.

    Args:
      moment: nest of [K, ...].
      overlap: O.

    Returns:
      Nest of [K, O, ...].
    """
    return tf.nest.map_structure(lambda t: tf.stack([t] * overlap, axis=1), moment)


def extend(past: Any, moments: Any) -> Tuple[Any, Any]:
    """Puts the past before the moments of an unroll, and keeps that of the next unroll.

    Args:
      past: moments of local variables [K, O, ...], those before the first of `moments`.
      moments: of [K, n + 1, ...], with the last of which the next unroll begins.

    Returns:
      The recurrent state of the first moment, nest of [K, ...], and the steps, of
      [K, O + n + 1, ...]. They are there when the variables have their new values.
    """
    whole = tf.nest.map_structure(
        lambda variable, t: tf.concat([variable.read_value(), t], axis=1), past, moments
    )
    kept = tf.nest.map_structure(
        lambda variable, t: variable.assign(t[:, -1 - variable.shape[1] : -1]).op, past, whole
    )
    with tf.control_dependencies(tf.nest.flatten(kept)):
        *steps, states = tf.nest.map_structure(tf.identity, whole)
        return tf.nest.map_structure(lambda t: t[:, 0], states), tuple(steps)

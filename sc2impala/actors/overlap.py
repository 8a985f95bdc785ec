"""Consecutive sequences that overlap by more than one step.

A moment is a tuple: the components of a step, and last the recurrent state of the agent with which
its observation was acted on. With an overlap of O the first O + 1 steps of a sequence are the last
O + 1 of the sequence before it, and its first recurrent state is the one before the first of these
steps: R2D2 (Kapturowski et al. 2019) needs this for its burn-in. K is the number of
environments.
"""

from typing import Tuple

import tensorflow.compat.v1 as tf

from sc2impala.structs import Nest


def first_past(moment: Tuple, overlap: int) -> Nest:
    """Returns copies of the first moment, as the past of the first step of an actor.

    All of them start an episode, so the recurrent state is the initial one after them.

    Args:
      moment: nest of [K, ...].
      overlap: O.

    Returns:
      Nest of [K, O, ...].
    """
    return tf.nest.map_structure(lambda t: tf.stack([t] * overlap, axis=1), moment)


def extend(past: Nest, moments: Tuple) -> Tuple[Nest, Tuple]:
    """Prepends the past to the moments of an unroll, and keeps the past of the next unroll.

    Args:
      past: local variables [K, O, ...] with the O moments before `moments`.
      moments: moments of [K, n + 1, ...]; the next unroll begins with the last one.

    Returns:
      The recurrent state of the first moment, nest of [K, ...], and the steps, of
      [K, O + n + 1, ...]. They depend on the assignments to the variables.
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

"""Sessions of small graphs."""

from typing import Any, Callable

import tensorflow.compat.v1 as tf


def run(function: Callable[[], Any]) -> Any:
    """Returns the values of the tensors that a function makes in a graph of its own.

    Args:
      function: returns a nest of tensors.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        tensors = function()
        session.run(tf.global_variables_initializer())
        return session.run(tensors)

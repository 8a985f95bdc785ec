"""Switches TensorFlow 1.15 and 2.x to the mode in which the package trains.

Graphs are built explicitly inside `tf.Graph().as_default()`; control flow, tensor shapes and
variables are those of TensorFlow 2 on both versions. The switches act on the whole process, so no
module makes them by being imported: a program calls `enable` before it builds an agent.
`sc2impala.vtrace` works in any mode.
"""

import functools
import os


@functools.lru_cache(maxsize=None)
def enable() -> None:
    """Imports TensorFlow, silences it, and switches it to the behaviour of TensorFlow 2.

    It must be called before the first graph of the process is built. Later calls have no effect.
    """
    # Hides messages about the build of TensorFlow and the deprecation of this API.
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')

    import sonnet as snt
    import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.enable_v2_behavior()
    # Sonnet 2 checks for eager mode only when the first module of a process is constructed.
    snt.Module()

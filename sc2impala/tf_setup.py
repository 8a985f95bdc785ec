"""Switches TensorFlow 1.15 and 2.x to the mode that the package requires, on first import.

Graphs are built explicitly inside `tf.Graph().as_default()`; control flow, tensor shapes and
variables are those of TensorFlow 2 on both versions.
"""

import os

# Hides messages about the build of TensorFlow and the deprecation of this API.
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')

import sonnet as snt  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.logging.set_verbosity(tf.logging.ERROR)
tf.enable_v2_behavior()
# Sonnet 2 checks for eager mode only when the first module of a process is constructed.
snt.Module()

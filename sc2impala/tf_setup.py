"""Puts TensorFlow 1.15 and 2.x into the one mode that the package runs in, once.

Graphs are built explicitly inside `tf.Graph().as_default()`; control flow, tensor shapes and
variables are those of TensorFlow 2 on both versions.
"""

import os

# What TensorFlow says about its build and about the age of this API is no news to the user.
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')

import sonnet as snt  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.logging.set_verbosity(tf.logging.ERROR)
tf.enable_v2_behavior()
# Sonnet 2 insists on eager mode when the first module of a process is made, and never asks again.
snt.Module()

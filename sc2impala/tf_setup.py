"""Switches TensorFlow 1.15 and 2.x to the mode of the package.

Graphs are built explicitly inside `tf.Graph().as_default()`; control flow, tensor shapes and
variables follow TensorFlow 2 on both versions. The switches affect the whole process, so no
import sets them: a program calls `enable` before it builds an agent.
`sc2impala.vtrace` works in any mode.
"""

import contextlib
import functools
import os
import sys
import tempfile
from typing import Iterator

_LEGACY_KERAS = 'TF_USE_LEGACY_KERAS'
_NOISE = (b'WARNING: All log messages before absl::InitializeLog()', b'I0000 ')
"""Beginnings of lines that TensorFlow 2.20 and later print on import."""


@functools.lru_cache(maxsize=None)
def enable() -> None:
    """Imports TensorFlow, silences it, and switches it to the behaviour of TensorFlow 2.

    Convolutions are those of oneDNN, see `set_environment`. It must be called before the first
    graph of the process is built. Later calls have no effect.
    """
    set_environment()
    with _without_noise(), _without_keras():
        import sonnet as snt
        import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.enable_v2_behavior()
    # Sonnet 2 checks for eager mode only when the first module of a process is constructed.
    snt.Module()


def set_environment() -> None:
    """Sets variables of the environment that TensorFlow reads on import; those of the user remain.

    A program that imports TensorFlow before it calls `enable` calls this first.
    """
    # Hides messages about the build of TensorFlow and the hardware, and about graphs that it could
    # not make faster. Errors for the caller are exceptions.
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    # Convolutions with the kernels of oneDNN. TensorFlow uses them by itself only on processors
    # with instructions for neural networks.
    os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '1')


@contextlib.contextmanager
def _without_keras() -> Iterator[None]:
    """Keeps TensorFlow 2 from importing Keras, which takes a quarter of the time of its own import.

    With this variable it looks for the legacy package instead, which need not be installed. The
    value is read again at the first use of `tf.keras`.
    """
    before = os.environ.get(_LEGACY_KERAS)
    os.environ[_LEGACY_KERAS] = '1'
    try:
        yield
    finally:
        del os.environ[_LEGACY_KERAS]
        if before is not None:
            os.environ[_LEGACY_KERAS] = before


@contextlib.contextmanager
def _without_noise() -> Iterator[None]:
    """Filters noise of TensorFlow from the process's standard error.

    No variable of the environment silences it, and it does not use `sys.stderr`.
    """
    try:
        stderr = os.dup(2)
    except OSError:  # It is closed.
        yield
        return
    sys.stderr.flush()
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(stderr, 2)
            os.close(stderr)
            held.seek(0)
            for line in held:
                if not line.startswith(_NOISE):
                    os.write(2, line)

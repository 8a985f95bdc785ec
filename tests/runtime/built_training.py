"""A training that is built, but does not run."""

import contextlib

import tensorflow.compat.v1 as tf

from sc2impala.runtime import demonstrations, graph, training_graph
from tests.runtime import tiny


@contextlib.contextmanager
def built_training(logdir, *flags):
    """Settings, specs and the `Training` of the first start of `tiny.main` with these flags."""
    settings = tiny.read_settings(logdir, *flags)
    specs = demonstrations.labelled_specs(
        settings.demonstrations, graph.make_specs(settings.environment)
    )
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        yield settings, specs, training_graph.build(settings, specs, 0, stack)

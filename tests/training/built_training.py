"""A training that is built, but does not run."""

import contextlib

import tensorflow.compat.v1 as tf

from sc2impala.factories import environments
from sc2impala.training import build
from sc2impala.training.local_actors import LocalActors
from tests.runtime import tiny


@contextlib.contextmanager
def built_training(logdir, *flags):
    """Settings, specs and the `Graph` of the first start of `tiny.main` with these flags.

    Its graph is the default one.
    """
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        yield _build(logdir, stack, flags)


@contextlib.contextmanager
def kept_training(logdir, *flags):
    """The same for many tests that only look at it, without a change of the default graph."""
    with contextlib.ExitStack() as stack:
        with tf.Graph().as_default():
            built = _build(logdir, stack, flags)
        yield built


def _build(logdir, stack, flags):
    settings = tiny.read_settings(logdir, *flags)
    specs = environments.labelled_specs(
        settings.demonstrations, environments.make_specs(settings.environment)
    )
    return settings, specs, build.build_graph(settings, specs, LocalActors(settings, stack))

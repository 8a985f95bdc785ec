"""Whether TensorFlow rewrites graphs before it runs them.

Its optimizer, Grappler, takes a quarter of the time of a tiny training and most of that of a graph
that runs once, to save microseconds. Tests run their graphs as they were built. Where the rewritten
graph is part of what is tested, `switched_on` makes sessions those of a program.
"""

import contextlib
from unittest import mock

import tensorflow.compat.v1 as tf

from sc2impala.runtime import sessions

_session_config = sessions.session_config


def _without_rewriting(deterministic, in_bfloat16=False):
    """`sessions.session_config`; bfloat16 is a rewriting."""
    config = _session_config(deterministic, in_bfloat16)
    config.graph_options.rewrite_options.disable_meta_optimizer = not in_bfloat16
    return config


def switch_off():
    """For the sessions of runs, and on TensorFlow 2 for those without a configuration."""
    sessions.session_config = _without_rewriting
    tf.config.optimizer.set_experimental_options({'disable_meta_optimizer': True})


@contextlib.contextmanager
def switched_on():
    """Runs within the context open the sessions that users have."""
    with mock.patch.object(sessions, 'session_config', _session_config):
        yield

"""Processes for runs that are killed, interrupted and started again."""

import multiprocessing

import pytest


@pytest.fixture(scope='session')
def processes():
    """Starts processes that need not import TensorFlow again, which takes seconds."""
    context = multiprocessing.get_context('forkserver')
    context.set_forkserver_preload(['tests.runtime.tiny'])
    return context

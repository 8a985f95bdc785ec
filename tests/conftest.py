"""TensorFlow's mode and sessions, and a small finished run for all tests that only read one."""

import shutil

import pytest

from sc2impala import tf_setup

tf_setup.enable()

from tests import rewriting  # noqa: E402
from tests.runtime import tiny  # noqa: E402

rewriting.switch_off()


@pytest.fixture(scope='session')
def finished_run(tmp_path_factory):
    """Returns the folder of a run of `tiny.NUM_UPDATES` updates; tests must not change it."""
    logdir = tmp_path_factory.mktemp('run') / 'logs'
    with rewriting.switched_on():
        tiny.train(logdir, tiny.NUM_UPDATES, *tiny.REPLAY)
    return logdir


@pytest.fixture
def run(finished_run, tmp_path):
    """Returns a copy of the finished run, which the test may change."""
    return shutil.copytree(str(finished_run), str(tmp_path / 'run'))

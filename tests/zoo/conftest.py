"""A zoo in a temporary folder, with the agent of a tiny run."""

import sys

import pytest

from sc2impala.checkpoints import zoo_names
from sc2impala.zoo import publish
from tests.runtime import tiny


@pytest.fixture(scope='session')
def tiny_run(tmp_path_factory):
    """The folder of a finished run."""
    logdir = str(tmp_path_factory.mktemp('run') / 'tiny')
    flags = ('--agent=fully_conv_lstm', '--unroll_length=2', '--total_environment_frames=100')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, 'argv', ['experiment.py', f'--logdir={logdir}', *flags])
        assert tiny.main(logdir, *flags) == 0
    return logdir


@pytest.fixture(scope='session')
def published(tiny_run, tmp_path_factory):
    """A folder like that of the zoo, with the agent `Tiny`."""
    folder = tmp_path_factory.mktemp('zoo')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo_names, 'FOLDER', str(folder))
        patch.setenv('XDG_CACHE_HOME', str(folder / 'cache'))
        flags = ['--name=Tiny', '--episodes=2', '--seed=3', '--max_step_mul', '2']
        assert publish.main([tiny_run, *flags]) == 0
    return folder


@pytest.fixture
def zoo_folder(published, monkeypatch):
    """The folder of the zoo during a test; it has the agent `Tiny`."""
    monkeypatch.setattr(zoo_names, 'FOLDER', str(published))
    monkeypatch.setenv('XDG_CACHE_HOME', str(published / 'cache'))
    return published

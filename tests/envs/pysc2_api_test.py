import importlib.util
import subprocess
import sys

import pytest

from sc2impala.envs import pysc2_api


def test_tables_of_the_client():
    assert len(pysc2_api.actions.FUNCTIONS) == 573
    assert len(pysc2_api.actions.TYPES) == 13
    assert len(pysc2_api.features.SCREEN_FEATURES) == 27
    assert len(pysc2_api.features.MINIMAP_FEATURES) == 11


@pytest.mark.parametrize('installed', ['pysc2_evolved', 'pysc2'])
def test_either_client_is_found(monkeypatch, installed):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: name == installed or None)
    assert pysc2_api.find_client_package() == installed


def test_without_a_client_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    with pytest.raises(ImportError, match='install pysc2_evolved on .*, or pysc2 on'):
        pysc2_api.find_client_package()


def test_importing_leaves_the_process_as_it_was():
    program = (
        'import logging, sys\n'
        'from sc2impala import envs\n'
        'assert not logging.getLogger().handlers, logging.getLogger().handlers\n'
        'loaded = {"pygame", "tensorflow", "sonnet"} & set(sys.modules)\n'
        'assert not loaded, loaded\n'
        'print("done")\n'
    )
    result = subprocess.run([sys.executable, '-c', program], stdout=subprocess.PIPE, check=True)
    assert result.stdout.decode().split() == ['done']

import importlib.util
import json
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


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match='has no attribute'):
        pysc2_api.nothing  # noqa: B018


def test_importing_leaves_the_process_as_it_was():
    program = (
        'import logging, sys\n'
        'from sc2impala import envs\n'
        'tables = [name for name in sys.modules if name.endswith(".lib.features")]\n'
        'assert not tables, tables\n'
        'envs.make_specs("MoveToBeacon")\n'
        'assert not logging.getLogger().handlers, logging.getLogger().handlers\n'
        'loaded = {"pygame", "tensorflow", "sonnet"} & set(sys.modules)\n'
        'assert not loaded, loaded\n'
        'print("done")\n'
    )
    result = subprocess.run([sys.executable, '-c', program], stdout=subprocess.PIPE, check=True)
    assert result.stdout.decode().split() == ['done']


def test_loading_the_client_sets_proxies_and_timeouts(monkeypatch):
    program = (
        'import os\n'
        'from sc2impala.envs import pysc2_api\n'
        'pysc2_api.load_client(7.5)\n'
        "print(os.environ['TIMEOUT_SECONDS'], os.environ['no_proxy'])\n"
    )
    monkeypatch.setenv('no_proxy', 'example.com')
    monkeypatch.setenv('TIMEOUT_SECONDS', '3')
    paths = 'import json, sys; sys.path[:] = json.loads(sys.argv[1])\n'
    result = subprocess.run(
        [sys.executable, '-c', paths + program, json.dumps(sys.path)],
        capture_output=True,
        check=True,
    )
    words = result.stdout.decode().splitlines()[-1].split()
    assert words == ['8', '127.0.0.1,localhost,::1,example.com']
    assert result.stderr == b''


class Flags(dict):
    """A fake of absl's flags."""

    sc2_timeout = 360

    def __init__(self, *names, parsed):
        super().__init__((name, None) for name in names)
        self.parsed = parsed

    def is_parsed(self):
        return self.parsed

    def __call__(self, arguments):
        assert arguments == ['pysc2']
        self.parsed = True


def test_flags_of_the_older_client_are_parsed_once():
    for parsed in (False, True):
        flags = Flags('sc2_timeout', parsed=parsed)
        pysc2_api._set_timeout_flag(flags, 9)
        assert flags.parsed and flags.sc2_timeout == 9
    flags = Flags('others', parsed=False)
    pysc2_api._set_timeout_flag(flags, 9)
    assert not flags.parsed

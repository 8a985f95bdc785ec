import os
import shutil
import subprocess
import sys

import pytest

from sc2impala import doctor, game_folder, sim
from sc2impala.sim import compile_ahead
from sc2impala.sim.api import install

OK, NOTE, FAULT = doctor.OK, doctor.NOTE, doctor.FAULT


@pytest.fixture
def game(tmp_path, monkeypatch):
    """A folder with the stand-in, to which SC2PATH is set."""
    folder = tmp_path / 'game'
    install.install(str(folder))
    monkeypatch.setenv('SC2PATH', str(folder))
    for name in ('http_proxy', 'HTTP_PROXY'):
        monkeypatch.delenv(name, raising=False)
    return folder


def examined(**settings):
    settings.setdefault('launch', False)
    return list(doctor.examine(doctor.Settings(**settings)))


def faults(findings):
    return [finding for finding in findings if finding.level == FAULT]


def only_fault(**settings):
    """Returns the only fault, which must have a remedy."""
    (fault,) = faults(examined(**settings))
    assert fault.remedy
    return fault


def test_nothing_is_wrong_with_the_stand_in(game):
    findings = examined()
    assert not faults(findings)
    assert len(findings) >= 7
    assert [f.text for f in findings if f.level == NOTE] == [
        'This is the stand-in, not StarCraft II.'
    ]


def test_the_game_is_started(game, capsys):
    assert doctor.main(['--map_name=DefeatRoaches']) == 0
    assert 'runs a step on DefeatRoaches' in capsys.readouterr().out


def test_the_game_is_started_with_an_own_map(game, tmp_path, capsys):
    path = tmp_path / 'My map.SC2Map'
    shutil.copy(str(game / 'Maps' / 'mini_games' / 'MoveToBeacon.SC2Map'), str(path))
    assert doctor.main([f'--map_file={path}']) == 0
    output = capsys.readouterr().out
    assert f'The map My_map is {path}.' in output and f'runs a step on {path}' in output


def test_the_map_of_the_stand_in_is_compiled_before_the_game_is_started(game, monkeypatch):
    calls = []
    monkeypatch.setattr(compile_ahead, 'prepare', calls.append)
    monkeypatch.setattr(doctor, 'launch', lambda settings: calls.append(settings))
    settings = doctor.Settings('DefeatRoaches')
    list(doctor.examine(settings))
    assert calls == ['DefeatRoaches', settings]


@pytest.mark.long
def test_a_game_that_dies_is_reported_with_its_last_output(game, monkeypatch):
    monkeypatch.setattr(doctor, 'LAUNCH_SECONDS', 6)
    binary = game / install.BINARY
    binary.write_text('#!/bin/sh\necho libsomething is bad >&2\nexit 3\n')
    fault = only_fault(launch=True)
    assert 'does not start' in fault.text


def test_without_a_folder(game, monkeypatch):
    monkeypatch.setenv('SC2PATH', str(game / 'nothing'))
    first, second = faults(examined())
    assert str(game / 'nothing') in first.text and 'stand-in' in first.remedy
    assert 'Maps' in second.text
    assert doctor.main([]) == 1


def test_the_default_folder_is_pysc2s(monkeypatch):
    monkeypatch.delenv('SC2PATH', raising=False)
    monkeypatch.setattr(game_folder.platform, 'system', lambda: 'Linux')
    assert game_folder.game_folder() == os.path.expanduser('~/StarCraftII')


def test_a_folder_of_something_else(game, monkeypatch):
    monkeypatch.setenv('SC2PATH', str(game / 'Versions'))
    assert any('contains no folder named Base' in fault.text for fault in faults(examined()))


def test_a_binary_that_is_missing_or_cannot_be_executed(game):
    binary = game / install.BINARY
    binary.chmod(0o644)
    assert only_fault().remedy == f'chmod +x {binary}'
    binary.unlink()
    assert 'does not exist' in only_fault().text


def test_a_build_that_is_too_old(game):
    (game / 'Versions' / 'Base75689').rename(game / 'Versions' / 'Base52910')
    assert '52910 is not supported' in only_fault().text


@pytest.mark.parametrize(
    'version, word', [('4.9', '74071'), ('99.1', 'does not know version'), ('4.9.3', '75025')]
)
def test_a_version_that_is_not_installed(game, version, word):
    assert word in only_fault(game_version=version).text


@pytest.mark.parametrize('version', ['4.10', '4.10.0'])
def test_a_version_that_is_installed(game, version):
    assert not faults(examined(game_version=version))


def test_maps_that_are_missing(game):
    (game / 'Maps' / 'mini_games' / 'BuildMarines.SC2Map').unlink()
    assert 'named BuildMarines.' in only_fault().text
    assert 'named Simple64.' in only_fault(map_name='Simple64').text


@pytest.mark.parametrize('name', ['Simple64.SC2Map', '(2)Simple64.SC2Map', 'simple64.sc2map'])
def test_ladder_maps_are_found_in_any_folder(game, name):
    folder = game / 'Maps' / 'Melee'
    folder.mkdir()
    (folder / name).write_text('a map')
    assert not faults(examined(map_name='Simple64'))


def test_a_proxy_in_the_way_is_noted(game, monkeypatch):
    monkeypatch.setenv('http_proxy', 'http://proxy:3128')
    monkeypatch.setenv('no_proxy', 'example.org')
    assert any('http_proxy' in f.text for f in examined() if f.level == NOTE)
    monkeypatch.setenv('no_proxy', 'example.org, 127.0.0.1')
    assert not any('http_proxy' in f.text for f in examined())


def test_without_space_for_temporary_files(game, monkeypatch):
    monkeypatch.setattr(doctor, 'MIN_FREE_BYTES', 1 << 62)
    assert 'MiB left' in only_fault().text


def test_without_a_client(game, monkeypatch):
    monkeypatch.setattr(doctor.importlib.util, 'find_spec', lambda name: None)
    assert 'No PySC2 client' in only_fault().text


def test_two_packages_of_the_same_name(game, monkeypatch):
    monkeypatch.setattr(doctor, '_version', lambda name: '1.0')
    assert 'under the same name' in only_fault().text


def test_libraries_that_are_missing(game, monkeypatch):
    monkeypatch.setattr(doctor, '_missing_libraries', lambda path: ['libmissing.so.1'])
    assert 'libmissing.so.1' in only_fault().text


def test_it_needs_no_client_to_run(game):
    code = (
        'import sys\n'
        'sys.modules["pysc2_evolved"] = sys.modules["pysc2"] = None\n'
        'from sc2impala import doctor\n'
        'assert not [name for name in sys.modules if name.startswith("sc2impala.envs")]\n'
    )
    subprocess.run([sys.executable, '-c', code], check=True)


def test_all_simulated_maps_are_checked(game):
    findings = examined()
    assert any(all(name in f.text for name in sim.MAP_NAMES) for f in findings)

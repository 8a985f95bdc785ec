import os
import subprocess

import pytest

from sc2impala import sim
from sc2impala.sim.api import __main__ as command
from sc2impala.sim.api import install


def test_pysc2_finds_a_game_with_all_maps(tmp_path):
    folder = install.install(str(tmp_path / 'a new' / 'folder'))
    assert os.access(os.path.join(folder, install.BINARY), os.X_OK)
    maps = os.listdir(os.path.join(folder, 'Maps', 'mini_games'))
    assert sorted(maps) == sorted(f'{name}.SC2Map' for name in sim.MAP_NAMES)


def test_installing_again_replaces_it(tmp_path):
    folder = install.install(str(tmp_path))
    binary = os.path.join(folder, install.BINARY)
    with open(binary, 'a') as file:
        file.write('# sc2impala.sim.api of another version\n')
    install.install(str(tmp_path))
    with open(binary) as file:
        assert 'another version' not in file.read()


def test_site_packages_are_not_on_the_path(tmp_path, monkeypatch):
    """There enum34, which PySC2 requires, would hide the module of the standard library."""

    def script(root):
        module = os.path.join(root, 'sc2impala', 'sim', 'api', 'install.py')
        monkeypatch.setattr(install, '__file__', module)
        with open(os.path.join(install.install(str(tmp_path)), install.BINARY)) as file:
            return file.read().splitlines()

    assert 'PYTHONPATH=/home/me/sc2impala' in script('/home/me/sc2impala')
    installed = script('/usr/lib/python3.11/site-packages')
    assert 'unset PYTHONPATH' in installed
    assert not [line for line in installed if 'PYTHONPATH=' in line]


@pytest.mark.parametrize('version', ['Base75689', 'Base80000'])
def test_a_real_game_is_left_alone(tmp_path, version):
    binary = tmp_path / 'Versions' / version / 'SC2_x64'
    binary.parent.mkdir(parents=True)
    binary.write_bytes(b'\x7fELF')
    with pytest.raises(FileExistsError, match='contains another game'):
        install.install(str(tmp_path))
    assert binary.read_bytes() == b'\x7fELF'


def test_the_command_says_what_to_export(tmp_path, capsys):
    assert command.main(['install', str(tmp_path / 'x')]) == 0
    assert f'export SC2PATH={tmp_path / "x"}' in capsys.readouterr().out


@pytest.mark.parametrize('argv', [[], ['install'], ['instal', 'x'], ['install', 'x', 'y']])
def test_other_words_are_answered_by_the_usage(argv, capsys):
    assert command.main(argv) == 2
    assert 'usage:' in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path, capsys):
    path = tmp_path / 'file'
    path.write_text('')
    assert command.main(['install', str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_a_folder_with_a_blank_can_be_exported(tmp_path, capsys):
    folder = str(tmp_path / "the game's folder")
    assert command.main(['install', folder]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    (export,) = [line for line in lines if line.startswith('export ')]
    script = f'{export}\nprintf %s "$SC2PATH"'
    assert subprocess.check_output(['sh', '-c', script], universal_newlines=True) == folder


def test_there_is_none_for_windows(tmp_path, monkeypatch, capsys):
    folder = str(tmp_path / 'x')
    monkeypatch.setattr(command.os, 'name', 'nt')
    assert command.main(['install', folder]) == 1
    assert 'expected one of them' in capsys.readouterr().err

"""A game that is not installed: one sentence, at once."""

import pytest

from sc2impala import envs, experiment
from sc2impala.envs.pysc2_backend import installation


def test_a_folder_that_is_there(tmp_path, monkeypatch):
    (tmp_path / 'Versions').mkdir()
    monkeypatch.setenv('SC2PATH', str(tmp_path))
    installation.check_installed()


def test_a_folder_of_something_else(tmp_path, monkeypatch):
    monkeypatch.setenv('SC2PATH', str(tmp_path))
    with pytest.raises(envs.GameError, match=f'SC2PATH is {tmp_path}, expected a folder with'):
        installation.check_installed()


def test_the_command_says_so_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv('SC2PATH', raising=False)
    monkeypatch.setenv('HOME', str(tmp_path))
    arguments = ['--backend=pysc2', f'--logdir={tmp_path}/run', '--num_envs=1', '--num_actors=1']
    assert experiment.main(arguments) == 1
    captured = capsys.readouterr()
    assert 'error: --backend=pysc2 cannot find StarCraft II: SC2PATH is not set' in captured.err
    assert 'launched again' not in captured.out + captured.err
    assert captured.err.count('\n') <= 2

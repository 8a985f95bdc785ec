"""Which checkpoint --checkpoint names."""

import os

import pytest

from sc2impala.errors import UserError
from sc2impala.runtime import chosen_checkpoint
from tests.runtime import tiny


def find(folder, name):
    """The path relative to the folder."""
    return os.path.relpath(chosen_checkpoint.find(folder, name), folder)


@pytest.mark.parametrize(
    'name, expected',
    [
        ('latest', 'model.ckpt-LAST'),
        ('best', 'best/model.ckpt-7'),
        ('LAST', 'model.ckpt-LAST'),
        ('0', 'model.ckpt-0'),
        ('7', 'best/model.ckpt-7'),
        ('model.ckpt-0', 'model.ckpt-0'),
        ('model.ckpt-0.index', 'model.ckpt-0'),
        ('best/model.ckpt-7', 'best/model.ckpt-7'),
        ('best/', 'best/model.ckpt-7'),
    ],
)
def test_names(with_best, name, expected):
    last = str(tiny.newest_frames(with_best))
    found = find(with_best, name.replace('LAST', last))
    assert found == expected.replace('LAST', last)


def test_paths_of_the_working_directory(with_best, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find('run', 'run/model.ckpt-0') == 'model.ckpt-0'
    assert find('run', os.path.join(with_best, 'best')) == 'best/model.ckpt-7'
    monkeypatch.setenv('HOME', str(tmp_path))
    assert find('run', '~/run/best') == 'best/model.ckpt-7'


def test_best_models_of_other_policies(with_best):
    os.rename(os.path.join(with_best, 'best'), os.path.join(with_best, 'best-greedy'))
    assert find(with_best, 'best-greedy') == find(with_best, '7') == 'best-greedy/model.ckpt-7'
    with pytest.raises(UserError, match='expected one of latest, best-greedy, 0, 7, '):
        find(with_best, 'best')


@pytest.mark.parametrize('name', ['1', 'model.ckpt-1', 'nothing', 'manifest.json', 'events'])
def test_what_is_not_there(with_best, name):
    with pytest.raises(UserError) as error:
        chosen_checkpoint.find(with_best, name)
    assert str(error.value) == (
        f'--checkpoint={name} is no checkpoint of {with_best}, expected one of latest, best, 0, 7, '
        f'{tiny.newest_frames(with_best)}, or the path of one.'
    )


def test_a_run_without_a_best_model(run):
    last = tiny.newest_frames(run)
    with pytest.raises(UserError, match=f'expected one of latest, 0, {last}, or the path'):
        chosen_checkpoint.find(run, 'best')


def test_a_folder_without_checkpoints(tmp_path):
    with pytest.raises(UserError, match='holds no checkpoint, expected the folder of'):
        chosen_checkpoint.find(str(tmp_path))
    with pytest.raises(UserError, match='checkpoint=5 is no checkpoint of .*, expected a folder'):
        chosen_checkpoint.find(str(tmp_path), '5', 'checkpoint')


def test_labels_are_different_for_all_checkpoints_of_a_run(with_best, tmp_path, monkeypatch):
    labels = {
        'model.ckpt-0': '0',
        'best/model.ckpt-0': 'best-0',
        'adopted-5/model.ckpt-3': 'adopted-5-3',
    }
    for path, label in labels.items():
        assert chosen_checkpoint.label(with_best, os.path.join(with_best, path)) == label
    monkeypatch.chdir(tmp_path)
    assert chosen_checkpoint.label(with_best, 'run/model.ckpt-7') == '7'
    with pytest.raises(UserError, match='is not in --logdir='):
        chosen_checkpoint.label(with_best, 'elsewhere/model.ckpt-7')

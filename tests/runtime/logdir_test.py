"""The folder of a run: its lock, its manifest, and files that are whole or not there."""

import json
import os

import pytest

import sc2impala
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import defaults, logdir
from sc2impala.runtime.errors import UserError


@pytest.fixture
def config(tmp_path):
    return defaults.complete({'logdir': str(tmp_path)})


def write(config, manifest=None):
    logdir.write_manifest(config, manifest, config_lib.make_specs(config))
    return logdir.read_manifest(config.logdir)


def test_prepare_makes_the_folder_and_leaves_nothing_in_it(tmp_path):
    folder = tmp_path / 'a' / 'b'
    logdir.prepare(str(folder))
    logdir.prepare(str(folder))
    assert os.listdir(str(folder)) == []


def test_lock_keeps_the_second_out_until_the_first_is_through(tmp_path):
    with logdir.Lock(str(tmp_path)), pytest.raises(UserError, match='written to by another run'):
        logdir.Lock(str(tmp_path)).__enter__()
    with logdir.Lock(str(tmp_path)):
        assert os.listdir(str(tmp_path)) == ['.lock']


def test_lock_that_cannot_be_made(tmp_path):
    with pytest.raises(UserError, match='.lock cannot be locked .No such file'):
        logdir.Lock(str(tmp_path / 'none')).__enter__()


def test_no_manifest(tmp_path):
    assert logdir.read_manifest(str(tmp_path)) is None


def test_manifest_gives_back_the_settings(config):
    manifest = write(config)
    assert config_lib.Config(**manifest['config']) == config
    logdir.check_same_settings(config, manifest)
    assert manifest['heads']['function'] == 3
    assert {type(value) for value in manifest['starts'][0]['versions'].values()} == {str}


def test_manifest_lists_every_start(config):
    manifest = write(config)
    changed = config._replace(total_environment_frames=5, progress_secs=3.0)
    manifest = write(changed, manifest)
    manifest = write(changed, manifest)
    assert [start['settings_changed'] for start in manifest['starts']] == [
        {},
        {'total_environment_frames': 5, 'progress_secs': 3.0},
        {},
    ]
    assert manifest['config']['total_environment_frames'] == 5


def test_other_settings_are_all_named(config):
    manifest = write(config)
    other = config._replace(num_envs=7, agent='atari_net', progress_secs=1.0)
    with pytest.raises(UserError) as error_info:
        logdir.check_same_settings(other, manifest)
    assert str(error_info.value) == (
        f'--logdir={config.logdir} was written with other settings: --agent=fully_conv_lstm (now '
        'atari_net), --num_envs=32 (now 7). Leave these flags out, or choose another folder.'
    )


def rewrite(config, change):
    """Writes the manifest with changed settings; returns its path."""
    path = os.path.join(config.logdir, logdir.MANIFEST)
    settings = write(config)['config']
    change(settings)
    with open(path) as file:
        manifest = json.load(file)
    logdir.write_json(path, dict(manifest, config=settings))
    return path


def test_settings_that_an_older_manifest_lacks_have_their_general_defaults(config):
    config = config._replace(batch_size=5, num_envs=5)
    rewrite(config, lambda settings: settings.pop('batch_size'))
    manifest = logdir.read_manifest(config.logdir)
    assert config_lib.Config(**manifest['config']) == config._replace(batch_size=32)
    logdir.check_same_settings(config._replace(batch_size=32), manifest)


def test_choices_of_the_map_are_read_from_the_lists_of_an_older_manifest(config):
    config = config._replace(functions='no_op,Move_screen', screen_layers='selected')
    rewrite(config, lambda settings: settings.update(functions='', screen_layers=''))
    assert config_lib.Config(**logdir.read_manifest(config.logdir)['config']) == config


def test_settings_of_a_newer_version_are_refused(config):
    path = rewrite(config, lambda settings: settings.update(warp=9, zoom=1))
    with pytest.raises(UserError) as error_info:
        logdir.read_manifest(config.logdir)
    assert str(error_info.value) == (
        f'{path} has settings that sc2impala {sc2impala.__version__} does not know (warp, zoom), '
        'expected none but its own: a newer version wrote it, so use that one, or choose another '
        '--logdir.'
    )


def test_json_is_replaced_as_a_whole(tmp_path):
    path = str(tmp_path / 'file.json')
    logdir.write_json(path, {'a': 1})
    with pytest.raises(TypeError):
        logdir.write_json(path, {'a': 1, 'b': object()})
    with open(path) as file:
        assert json.load(file) == {'a': 1}


def test_json_that_cannot_be_written(tmp_path):
    with pytest.raises(UserError, match='file.json cannot be written .No such file'):
        logdir.write_json(str(tmp_path / 'none' / 'file.json'), {})


def test_git_revision_is_that_of_the_package_or_none(tmp_path, monkeypatch):
    revision = logdir._git_revision()
    assert revision is None or len(revision.rstrip('+')) == 40
    monkeypatch.setattr(logdir.sc2impala, '__file__', str(tmp_path / '__init__.py'))
    assert logdir._git_revision() is None

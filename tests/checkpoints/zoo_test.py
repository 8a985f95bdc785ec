"""Weights of the zoo: their file, and their checkpoint in the user's cache."""

import os
import shutil

import numpy as np
import pytest

from sc2impala.checkpoints import choice, directory, variables, zoo, zoo_names
from sc2impala.errors import UserError

VALUES = {
    'a/w': np.array([[1.5, -2, 0.1]], np.float32),
    'a/b': np.float32(3),
    'steps': np.array([7], np.int64),
}


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """The folder of an agent `Small`."""
    monkeypatch.setattr(zoo_names, 'FOLDER', str(tmp_path / 'agents'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    monkeypatch.setattr(zoo.tempfile, 'gettempdir', lambda: str(tmp_path / 'temporary'))
    folder = tmp_path / 'agents' / 'Small'
    folder.mkdir(parents=True)
    (folder / zoo_names.CARD).write_text('{}')
    zoo.write_weights(str(folder / zoo.WEIGHTS), zoo.Weights(1200, VALUES))
    return folder


def test_weights_are_rounded_to_float16_and_other_numbers_kept(agent):
    weights = zoo.read_weights(str(agent / zoo.WEIGHTS))
    assert weights.frames == 1200
    assert weights.values['a/w'].dtype == np.float32
    np.testing.assert_array_equal(weights.values['a/w'], np.float32(np.float16(VALUES['a/w'])))
    assert weights.values['a/w'][0, 2] != VALUES['a/w'][0, 2]
    assert weights.values['steps'].dtype == np.int64


def test_bytes_of_weights_are_apart_in_the_file(agent):
    with np.load(str(agent / zoo.WEIGHTS)) as file:
        found = file['a/w']
    bits = VALUES['a/w'].astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(found, [bits % 256, bits // 256])
    assert found.dtype == np.uint8


@pytest.mark.parametrize('value', [1e5, np.inf, np.nan])
def test_weights_that_float16_cannot_hold_are_refused(tmp_path, value):
    weights = zoo.Weights(1, {'w': np.array([value], np.float32)})
    with pytest.raises(ValueError, match='w has values'):
        zoo.write_weights(str(tmp_path / 'weights.npz'), weights)


def test_the_checkpoint_has_the_weights(agent):
    checkpoint = zoo.checkpoint('zoo:Small')
    assert directory.fault(checkpoint) is None
    assert directory.frames_of(checkpoint) == 1200
    found = variables.read(checkpoint)
    assert sorted(found) == sorted(VALUES)
    for name, value in zoo.read_weights(str(agent / zoo.WEIGHTS)).values.items():
        np.testing.assert_array_equal(found[name], value)


def test_it_is_converted_once(agent, monkeypatch):
    checkpoint = zoo.checkpoint('zoo:Small')
    monkeypatch.setattr(zoo, 'save', None)
    assert zoo.checkpoint('zoo:Small') == checkpoint


def test_a_damaged_checkpoint_in_the_cache_is_replaced(agent):
    checkpoint = zoo.checkpoint('zoo:Small')
    with open(os.path.join(checkpoint, 'variables.index'), 'wb'):
        pass
    assert zoo.checkpoint('zoo:Small') == checkpoint
    assert directory.fault(checkpoint) is None


def test_other_weights_of_the_same_name_are_another_checkpoint(agent):
    before = zoo.checkpoint('zoo:Small')
    os.remove(str(agent / zoo.WEIGHTS))
    values = dict(VALUES, steps=np.array([8], np.int64))
    zoo.write_weights(str(agent / zoo.WEIGHTS), zoo.Weights(1200, values))
    after = zoo.checkpoint('zoo:Small')
    assert after != before
    assert variables.read(after)['steps'] == [8]


def test_without_a_usable_cache_the_temporary_folder_is_used(agent, tmp_path):
    (tmp_path / 'cache').write_text('no folder')
    assert zoo.checkpoint('zoo:Small').startswith(str(tmp_path / 'temporary'))


def test_without_any_folder_the_folders_are_named(agent, tmp_path):
    (tmp_path / 'cache').write_text('no folder')
    (tmp_path / 'temporary').write_text('no folder')
    with pytest.raises(UserError, match='zoo:Small cannot be converted .*cache.*temporary'):
        zoo.checkpoint('zoo:Small')


def test_a_name_of_the_zoo_is_a_checkpoint_and_a_run(agent):
    checkpoint = zoo.checkpoint('zoo:Small')
    assert choice.find_initial('zoo:Small') == checkpoint
    assert choice.find('runs/another', 'zoo:Small') == checkpoint
    assert directory.run_of('zoo:Small') == str(agent)


@pytest.mark.parametrize('name', ['zoo:Large', 'zoo:', 'zoo:../agents/Small'])
def test_unknown_names_are_refused(agent, name):
    for find in (choice.find_initial, directory.run_of):
        with pytest.raises(UserError, match='is not in the zoo, expected one of: zoo:Small'):
            find(name)


def test_an_empty_zoo_says_so(agent):
    shutil.rmtree(str(agent))
    with pytest.raises(UserError, match='none, it is empty'):
        zoo_names.folder('zoo:Small')


@pytest.mark.parametrize('content', [b'', b'damaged', b'PK\x03\x04'])
def test_damaged_weights_are_named(agent, content):
    (agent / zoo.WEIGHTS).write_bytes(content)
    with pytest.raises(UserError, match='expected the weights of an agent'):
        zoo.checkpoint('zoo:Small')

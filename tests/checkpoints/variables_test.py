"""The variables of a checkpoint: how they are read, and which are refused."""

import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory, variables
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.errors import UserError
from tests.checkpoints.examples import DATA


def write(session, folder, frames, keep=5):
    """Writes checkpoints; returns the path of the last one."""
    writer = CheckpointWriter(str(folder), 0, keep)
    with session() as opened:
        for each in frames:
            writer.save(opened, each)
    return choice.newest(str(folder))


def test_all_are_read(session, tmp_path):
    values = variables.read(write(session, tmp_path, [10]))
    assert sorted(values) == ['counter', 'global_step', 'w']
    np.testing.assert_array_equal(values['w'], [1, 2])
    assert values['counter'] == 5


def test_check_complete(session, tmp_path):
    path = write(session, tmp_path, [10])
    own = tf.global_variables()
    variables.check_complete(path, own)
    extra = tf.get_variable('extra', shape=[])
    with pytest.raises(UserError, match='checkpoints/10 is not of this run: .* no variable extra'):
        variables.check_complete(path, own + [extra])
    with tf.Graph().as_default():
        other = tf.get_variable('w', shape=[3])
        with pytest.raises(
            UserError, match=r'another agent: its w has shape \[2\], expected \[3\]'
        ):
            variables.check_complete(path, [other])


def test_variables_of_another_type(session, tmp_path):
    path = write(session, tmp_path, [10])
    with tf.Graph().as_default():
        other = tf.get_variable('w', shape=[2], dtype=tf.float64)
        for check in (variables.check_complete, variables.assignments_from):
            with pytest.raises(UserError, match='its w is float32, expected float64'):
                check(path, [other])


def test_more_variables_than_the_files_can_hold(session, tmp_path):
    """Before memory is taken for them."""
    path = write(session, tmp_path, [10])
    with open(os.path.join(path, DATA), 'r+b') as file:
        file.truncate(20)
    with pytest.raises(UserError, match='24 bytes of variables in 20 bytes of files'):
        variables.check_complete(path, tf.global_variables())


def test_assignments(session, tmp_path):
    path = write(session, tmp_path, [10])
    extra = tf.get_variable('extra', shape=[])
    found = variables.assignments_from(path, tf.trainable_variables())
    assert list(found) == ['w']
    with pytest.raises(UserError, match='has none of the variables of this agent'):
        variables.assignments_from(path, [extra])


def test_a_checkpoint_that_is_gone(tmp_path):
    with pytest.raises(directory.DamagedError, match='checkpoints/5 is damaged or not a checkpoin'):
        variables.read(str(tmp_path / 'checkpoints' / '5'))


@pytest.mark.parametrize('name', ['lr[0.1]', 'a\\b', 'what?', 'all*', '[a-z]', '[a]/b'])
def test_folder_with_characters_of_patterns(name, session, tmp_path):
    folder = tmp_path / name
    folder.mkdir(parents=True)
    # What a pattern would match instead.
    (tmp_path / 'lr0').mkdir()
    path = write(session, folder, [10, 20, 30], keep=2)
    assert path == str(folder / 'checkpoints' / '30')
    assert variables.read(path)['counter'] == 5
    assert choice.find_initial(str(folder)) == path
    writer = CheckpointWriter(str(folder), 0, 2)
    with session() as opened:
        variables.restore(writer.saver, opened, path)
        writer.start_from(30)
        writer.save(opened, 40)
    assert directory.saved(str(folder)) == [30, 40]
    assert sorted(os.listdir(str(tmp_path))) == sorted(['lr0', name.split('/')[0]])

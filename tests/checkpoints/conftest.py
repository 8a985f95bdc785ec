"""Sessions with variables, and folders of checkpoints."""

import contextlib

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints.writer import CheckpointWriter
from tests.checkpoints import examples


@pytest.fixture
def session():
    """Opens a session with three variables: w [2], counter [] and the global step."""

    @contextlib.contextmanager
    def opened():
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            yield session

    with tf.Graph().as_default():
        tf.get_variable('w', initializer=tf.constant([1.0, 2.0]))
        tf.get_variable('counter', initializer=tf.constant(5, tf.int64), trainable=False)
        tf.train.get_or_create_global_step()
        yield opened


@pytest.fixture(scope='session')
def two_checkpoints(tmp_path_factory):
    """Returns a folder with the checkpoints of 10 and 20 frames; tests must not change it."""
    folder = tmp_path_factory.mktemp('saved')
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', initializer=tf.constant([1.0, 2.0]))
        session.run(tf.global_variables_initializer())
        writer = CheckpointWriter(str(folder), 0, 5, examples.make_files())
        for frames in (10, 20):
            writer.save(session, frames)
    return folder


@pytest.fixture
def folder(two_checkpoints, tmp_path):
    """Returns a folder with the checkpoints of 10 and 20 frames, with all files."""
    return examples.copy(two_checkpoints, tmp_path / 'folder')

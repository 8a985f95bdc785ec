"""TensorFlow is imported without noise, and nothing else that is written gets lost."""

import os
import subprocess
import sys

import pytest

from sc2impala import tf_setup


@pytest.mark.long
def test_a_program_writes_nothing_by_enabling_it():
    program = 'import sys\nfrom sc2impala import tf_setup\ntf_setup.enable()\nsys.stderr.write("x")'
    environment = {n: v for n, v in os.environ.items() if n != 'TF_CPP_MIN_LOG_LEVEL'}
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', program],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b'', b'x')


@pytest.mark.long
def test_training_waits_neither_for_keras_nor_for_matplotlib():
    """Keras is there for programs that use it."""
    program = """
import os, sys
from sc2impala import tf_setup
tf_setup.enable()
import sc2impala.training.train
print([name for name in ('keras', 'matplotlib') if name in sys.modules])
print(os.environ['TF_USE_LEGACY_KERAS'])
import tensorflow as tf
print(tf.keras.layers.Dense(3).units)
"""
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', program],
        env=dict(os.environ, TF_USE_LEGACY_KERAS='0'),
        capture_output=True,
        check=True,
    )
    assert done.stdout.split() == [b'[]', b'0', b'3']


def test_variables_of_the_user_remain(monkeypatch):
    monkeypatch.setenv('TF_CPP_MIN_LOG_LEVEL', '1')
    monkeypatch.delenv('TF_ENABLE_ONEDNN_OPTS')
    tf_setup.set_environment()
    assert os.environ['TF_CPP_MIN_LOG_LEVEL'] == '1'
    assert os.environ['TF_ENABLE_ONEDNN_OPTS'] == '1'


def test_other_lines_are_written_afterwards(capfd):
    with tf_setup._without_noise():
        os.write(2, b'I0000 00:00 port.cc:153] custom operations are on\nE0000 failed\n')
        os.write(2, b'a warning\n')
    os.write(2, b'I0000 later\n')
    assert capfd.readouterr().err == 'E0000 failed\na warning\nI0000 later\n'


def test_nothing_is_lost_with_an_error(capfd):
    with pytest.raises(ImportError), tf_setup._without_noise():
        os.write(2, b'the reason\n')
        raise ImportError('a library is missing')
    assert capfd.readouterr().err == 'the reason\n'

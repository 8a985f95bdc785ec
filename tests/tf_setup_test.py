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

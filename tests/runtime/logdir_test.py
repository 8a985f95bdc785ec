"""The folder of a run: its lock, and files that are whole or not there."""

import fcntl
import json
import os
import threading

import pytest

from sc2impala.errors import UserError
from sc2impala.runtime import logdir


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


def test_others_see_whether_it_is_locked(tmp_path):
    assert not logdir.is_locked(str(tmp_path)) and os.listdir(str(tmp_path)) == []
    with logdir.Lock(str(tmp_path)):
        assert logdir.is_locked(str(tmp_path))
    assert not logdir.is_locked(str(tmp_path))


def test_who_looks_keeps_nobody_out(tmp_path):
    with open(str(tmp_path / '.lock'), 'w') as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        threading.Timer(0.05, fcntl.flock, (file, fcntl.LOCK_UN)).start()
        with logdir.Lock(str(tmp_path)):
            assert logdir.is_locked(str(tmp_path))


def test_lock_that_cannot_be_made(tmp_path):
    with pytest.raises(UserError, match='.lock cannot be locked .No such file'):
        logdir.Lock(str(tmp_path / 'none')).__enter__()


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

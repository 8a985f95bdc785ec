"""Checkpoints: which one is the latest, when one is written, and what is refused."""

import contextlib
import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import replay as replay_lib
from sc2impala.errors import UserError
from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime import checkpoints
from sc2impala.runtime.checkpoint_parts import ReplayPart

DATA = 'data-00000-of-00001'


def make_replay(capacity=3):
    return replay_lib.ReplayTable(
        capacity,
        [((2,), np.float32)],
        replay_lib.SAMPLERS['uniform'](),
        replay_lib.REMOVERS['fifo'](),
        np.random.RandomState(0),
    )


@pytest.fixture
def session():
    """Opens a session with two variables, w [2] and counter []."""

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


def write(session, folder, frames, keep=5, replay=None):
    parts = [] if replay is None else [ReplayPart(replay)]
    writer = checkpoints.CheckpointWriter(str(folder), 0, keep, parts)
    with session() as opened:
        for each in frames:
            if replay is not None:
                replay.insert([np.full([1, 2], each, np.float32)])
            writer.save(opened, each)
    return writer


def test_latest(session, tmp_path):
    assert checkpoints.latest(str(tmp_path)) is None
    assert checkpoints.latest(str(tmp_path / 'no folder')) is None
    write(session, tmp_path, [10, 20])
    path = checkpoints.latest(str(tmp_path))
    assert path == str(tmp_path / 'model.ckpt-20')
    assert checkpoints.find_initial(str(tmp_path)) == path
    earlier = str(tmp_path / 'model.ckpt-10')
    assert checkpoints.find_initial(earlier) == earlier
    assert checkpoints.find_initial(earlier + '.index') == earlier


def test_read_gives_all_variables(session, tmp_path):
    write(session, tmp_path, [10])
    values = checkpoints.read(checkpoints.latest(str(tmp_path)))
    assert sorted(values) == ['counter', 'global_step', 'w']
    np.testing.assert_array_equal(values['w'], [1, 2])
    assert values['counter'] == 5


def test_the_same_frames_are_saved_once(session, tmp_path):
    writer = checkpoints.CheckpointWriter(str(tmp_path), 0, 5)
    with session() as opened:
        writer.start_from(10)
        writer.save(opened, 10)
        assert os.listdir(str(tmp_path)) == []
        writer.save(opened, 11)
        assert checkpoints.latest(str(tmp_path)).endswith('-11')


def test_saves_when_due(session, tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(checkpoints.time, 'monotonic', lambda: now[0])
    writer = checkpoints.CheckpointWriter(str(tmp_path), 60, 5)
    with session() as opened:
        for seconds, frames, expected in [(59, 10, None), (1, 20, 20), (59, 30, 20), (2, 40, 40)]:
            now[0] += seconds
            writer.save_if_due(opened, frames)
            latest = checkpoints.latest(str(tmp_path))
            assert latest == (expected and str(tmp_path / f'model.ckpt-{expected}'))


def load_replay(table, path):
    checkpoints.CheckpointWriter('', 0, 5, [ReplayPart(table)]).load_parts(str(path), None)


def test_replay_buffer_goes_with_the_checkpoint(session, tmp_path, capsys):
    write(session, tmp_path, [10, 20], replay=make_replay())
    restored = make_replay()
    load_replay(restored, checkpoints.latest(str(tmp_path)))
    assert restored.num_inserted == 2
    load_replay(restored, tmp_path / 'model.ckpt-10')
    assert restored.num_inserted == 1
    assert capsys.readouterr().out == ''
    load_replay(restored, tmp_path / 'model.ckpt-30')
    assert restored.num_inserted == 1
    assert f'no replay was saved with {tmp_path}/model.ckpt-30' in capsys.readouterr().out


def test_the_last_two_checkpoints_have_all_parts(session, tmp_path):
    write(session, tmp_path, [10, 20, 30, 40], keep=3, replay=make_replay())
    files = {frames: set(units.read(str(tmp_path), frames) or ()) for frames in (10, 20, 30, 40)}
    variables = {n: {f'model.ckpt-{n}.index', f'model.ckpt-{n}.{DATA}'} for n in (20, 30, 40)}
    assert files == {
        10: set(),
        20: variables[20],
        30: variables[30] | {'replay-30.npz'},
        40: variables[40] | {'replay-40.npz'},
    }
    assert [units.fault(str(tmp_path), frames) for frames in (20, 30, 40)] == [None] * 3
    expected = {'checkpoint'}.union(*files.values(), (f'unit-{n}.json' for n in (20, 30, 40)))
    assert set(os.listdir(str(tmp_path))) == expected
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / 'model.ckpt-40')


@pytest.mark.parametrize('capacity, num_kept', [(1, 1), (4, 2)])
def test_replay_buffer_of_another_size(session, tmp_path, capacity, num_kept):
    write(session, tmp_path, [10, 20], replay=make_replay())
    restored = make_replay(capacity)
    load_replay(restored, checkpoints.latest(str(tmp_path)))
    assert restored.size == num_kept and restored.num_inserted == 2


def test_folder_that_is_gone(session, tmp_path):
    folder = tmp_path / 'logs'
    folder.mkdir()
    writer = checkpoints.CheckpointWriter(str(folder), 0, 5, [ReplayPart(make_replay())])
    folder.rmdir()
    complaint = 'cannot save a checkpoint in --logdir=.*still there'
    with session() as opened, pytest.raises(UserError, match=complaint):
        writer.save(opened, 10)


def test_check_complete(session, tmp_path):
    write(session, tmp_path, [10])
    path = checkpoints.latest(str(tmp_path))
    variables = tf.global_variables()
    checkpoints.check_complete(path, variables)
    extra = tf.get_variable('extra', shape=[])
    with pytest.raises(UserError, match='model.ckpt-10 is not of this run: .* no variable extra'):
        checkpoints.check_complete(path, variables + [extra])
    with tf.Graph().as_default():
        other = tf.get_variable('w', shape=[3])
        with pytest.raises(
            UserError, match=r'another agent: its w has shape \[2\], expected \[3\]'
        ):
            checkpoints.check_complete(path, [other])


def test_variables_of_another_type(session, tmp_path):
    write(session, tmp_path, [10])
    path = checkpoints.latest(str(tmp_path))
    with tf.Graph().as_default():
        other = tf.get_variable('w', shape=[2], dtype=tf.float64)
        for check in (checkpoints.check_complete, checkpoints.assignments_from):
            with pytest.raises(UserError, match='its w is float32, expected float64'):
                check(path, [other])


def test_more_variables_than_the_files_can_hold(session, tmp_path):
    """Before memory is taken for them."""
    write(session, tmp_path, [10])
    path = checkpoints.latest(str(tmp_path))
    with open(f'{path}.{DATA}', 'r+b') as file:
        file.truncate(20)
    with pytest.raises(UserError, match='24 bytes of variables in 20 bytes of files'):
        checkpoints.check_complete(path, tf.global_variables())


def test_assignments(session, tmp_path):
    write(session, tmp_path, [10])
    path = checkpoints.latest(str(tmp_path))
    extra = tf.get_variable('extra', shape=[])
    found = checkpoints.assignments_from(path, tf.trainable_variables())
    assert list(found) == ['w']
    with pytest.raises(UserError, match='has none of the variables of this agent'):
        checkpoints.assignments_from(path, [extra])


@pytest.mark.parametrize('name', ['lr[0.1]', 'a\\b', 'what?', 'all*', '[a-z]'])
def test_folder_with_characters_of_patterns(name, session, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    # What a pattern would match instead.
    (tmp_path / 'lr0').mkdir()
    write(session, folder, [10, 20, 30], keep=2)
    path = checkpoints.latest(str(folder))
    assert path == str(folder / 'model.ckpt-30')
    assert checkpoints.read(path)['counter'] == 5
    assert checkpoints.find_initial(str(folder)) == path
    writer = checkpoints.CheckpointWriter(str(folder), 0, 2)
    with session() as opened:
        checkpoints.restore(writer.saver, opened, path)
        writer.start_from(30)
        writer.save(opened, 40)
    assert checkpoints.latest(str(folder)) == str(folder / 'model.ckpt-40')
    names = [name for name in os.listdir(str(folder)) if name.endswith('.index')]
    assert sorted(names) == ['model.ckpt-30.index', 'model.ckpt-40.index']
    with open(str(folder / 'checkpoint')) as file:
        assert str(tmp_path) not in file.read()

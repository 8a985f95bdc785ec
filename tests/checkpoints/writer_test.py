"""When checkpoints are saved, which ones are kept, and in which order they are given up."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory
from sc2impala.checkpoints import writer as writer_lib
from sc2impala.checkpoints.writer import CheckpointWriter, Rotation
from sc2impala.errors import UserError
from sc2impala.training.saved_files import REPLAY, ReplayFile
from tests.checkpoints import examples
from tests.checkpoints.examples import make_replay


def kept_of(frames, keep, every):
    """The list after checkpoints of these frames, each of which rotates the others."""
    kept = Rotation(keep, every)
    for each in frames:
        kept.add(each, kept.is_milestone(each))
        kept.rotate()
    return kept


@pytest.mark.parametrize(
    'keep, every, expected',
    [
        (2, 0, [360, 410]),
        (0, 100, [0, 40, 105, 160, 210, 290, 300, 360, 410]),
        # The first at or after each of 100, 200, 300 and 400, and the latest of the others.
        (1, 100, [105, 210, 300, 360, 410]),
        (2, 100, [105, 210, 290, 300, 360, 410]),
        (1, 250, [290, 410]),
    ],
)
def test_milestones_are_kept_beside_the_latest(keep, every, expected):
    saved = [0, 40, 105, 160, 210, 290, 300, 360, 410]
    assert kept_of(saved, keep, every).frames == expected


def test_a_milestone_is_a_multiple_that_was_passed():
    kept = kept_of([0, 90], 5, 100)
    assert [kept.is_milestone(frames) for frames in (90, 99, 100, 250)] == [
        False,
        False,
        True,
        True,
    ]
    kept.add(250, True)
    assert [kept.is_milestone(frames) for frames in (299, 300)] == [False, True]
    assert not Rotation(5, 100).is_milestone(100)
    assert not kept_of([0], 5, 0).is_milestone(100)


def test_milestones_are_given_up_last():
    kept = kept_of([0, 100, 150, 200, 250, 260], 3, 100)
    assert kept.frames == [100, 150, 200, 250, 260]
    assert [kept.give_up_one() for _ in range(5)] == [150, 250, 100, 200, None]
    assert kept.frames == [260] and Rotation(3).give_up_one() is None


@pytest.fixture
def save(tmp_path, session):
    """Returns a function that saves checkpoints of some frames in a launch of its own."""

    def launch(frames, every, last=None):
        writer = CheckpointWriter(str(tmp_path), 0, 1, examples.make_files(), 0, every)
        with session() as opened:
            if last is not None:
                writer.start_from(last)
            for each in frames:
                writer.save(opened, each)

    return launch


def test_milestones_stay_whatever_later_launches_ask_for(tmp_path, save):
    save([0, 100, 120, 140, 160], 100)
    assert directory.saved(str(tmp_path)) == [100, 160]
    save([180, 200, 240, 260], 0, last=160)
    assert directory.saved(str(tmp_path)) == [100, 260]
    save([290, 310, 330], 50, last=260)
    assert directory.saved(str(tmp_path)) == [100, 310, 330]
    paths = [directory.path(str(tmp_path), frames) for frames in (100, 310, 330)]
    assert [directory.fault(path) for path in paths] == [None] * 3
    # All files belong to the latest two only, as without milestones.
    assert [examples.has_state(path) for path in paths] == [False, True, True]
    assert [directory.is_milestone(path) for path in paths] == [True, True, False]


def test_a_milestone_is_saved_at_once(tmp_path, session, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(writer_lib.time, 'monotonic', lambda: now[0])
    writer = CheckpointWriter(str(tmp_path), 60, 5, keep_every_frames=100)
    with session() as opened:
        writer.save(opened, 0)
        for frames in (50, 99, 101, 150, 199, 230):
            writer.save_if_due(opened, frames)
    assert directory.saved(str(tmp_path)) == [0, 101, 230]


def test_a_milestone_that_cannot_be_saved_is_tried_again_after_a_while(
    tmp_path, session, monkeypatch, capsys
):
    now = [1000.0]
    monkeypatch.setattr(writer_lib.time, 'monotonic', lambda: now[0])
    folder = tmp_path / 'run'
    folder.mkdir()
    writer = CheckpointWriter(str(folder), 60, 5, {}, 1000, 100)
    with session() as opened:
        writer.save(opened, 0)
        folder.rename(tmp_path / 'moved')
        writer.save_if_due(opened, 100)
        assert not writer.is_due(110) and not folder.exists()
        (tmp_path / 'moved').rename(folder)
        now[0] += 10
        assert writer.is_due(110)
        writer.save_if_due(opened, 110)
    assert directory.saved(str(folder)) == [0, 110]
    assert directory.is_milestone(str(folder / 'checkpoints' / '110'))
    capsys.readouterr()


def write(session, folder, frames, keep=5, table=None):
    files = {} if table is None else {REPLAY: ReplayFile(table)}
    writer = CheckpointWriter(str(folder), 0, keep, files)
    with session() as opened:
        for each in frames:
            if table is not None:
                table.insert([np.full([1, 2], each, np.float32)])
            writer.save(opened, each)
    return writer


def test_the_same_frames_are_saved_once(session, tmp_path):
    writer = CheckpointWriter(str(tmp_path), 0, 5)
    with session() as opened:
        writer.start_from(10)
        writer.save(opened, 10)
        assert directory.saved(str(tmp_path)) == []
        writer.save(opened, 11)
        assert choice.newest(str(tmp_path)).endswith('11')


def test_saves_when_due(session, tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(writer_lib.time, 'monotonic', lambda: now[0])
    writer = CheckpointWriter(str(tmp_path), 60, 5)
    with session() as opened:
        for seconds, frames, expected in [(59, 10, []), (1, 20, [20]), (59, 30, [20])]:
            now[0] += seconds
            writer.save_if_due(opened, frames)
            assert directory.saved(str(tmp_path)) == expected
        now[0] += 2
        writer.save_if_due(opened, 40)
    assert directory.saved(str(tmp_path)) == [20, 40]


def load_replay(table, path, without=()):
    CheckpointWriter('', 0, 5, {REPLAY: ReplayFile(table)}).load_files(str(path), None, without)


def test_a_replay_buffer_belongs_to_its_checkpoint(session, tmp_path, capsys):
    write(session, tmp_path, [10, 20], table=make_replay())
    restored = make_replay()
    folder = tmp_path / 'checkpoints'
    load_replay(restored, folder / '20')
    assert restored.num_inserted == 2
    load_replay(restored, folder / '10')
    assert restored.num_inserted == 1
    assert capsys.readouterr().out == ''
    load_replay(restored, folder / '30')
    assert f'no replay.npz was saved with {folder}/30: it starts' in capsys.readouterr().out
    load_replay(restored, folder / '20', without=['replay.npz'])
    assert f'replay.npz of {folder}/20 is not kept: it starts empty' in capsys.readouterr().out
    assert restored.num_inserted == 1


@pytest.mark.parametrize('capacity, num_kept', [(1, 1), (4, 2)])
def test_a_replay_buffer_of_another_size(session, tmp_path, capacity, num_kept):
    write(session, tmp_path, [10, 20], table=make_replay())
    restored = make_replay(capacity)
    load_replay(restored, choice.newest(str(tmp_path)))
    assert restored.size == num_kept and restored.num_inserted == 2


def test_a_replay_buffer_of_nonsense(session, tmp_path):
    write(session, tmp_path, [10], table=make_replay())
    path = tmp_path / 'checkpoints' / '10' / 'replay.npz'
    path.write_text('nonsense')
    with pytest.raises(UserError, match='replay.npz cannot be restored .*; move it away'):
        load_replay(make_replay(), path.parent)


def test_the_last_two_checkpoints_have_all_files(session, tmp_path):
    write(session, tmp_path, [10, 20, 30, 40], keep=3, table=make_replay())
    assert directory.saved(str(tmp_path)) == [20, 30, 40]
    for frames in (20, 30, 40):
        path = tmp_path / 'checkpoints' / str(frames)
        expected = set(examples.VARIABLES) | ({'replay.npz'} if frames > 20 else set())
        assert set(directory.read(str(path)).files) == expected
        assert {p.name for p in path.iterdir()} == {*expected, 'checkpoint.json'}
        assert directory.fault(str(path)) is None
    assert [p.name for p in tmp_path.iterdir()] == ['checkpoints']
    names = sorted(p.name for p in (tmp_path / 'checkpoints').iterdir())
    assert names == ['20', '30', '40']


def test_a_kill_before_the_state_of_an_older_one_is_dropped(session, tmp_path, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(examples.Killed):
        patch.setattr(directory, 'drop_state', examples.kill)
        write(session, tmp_path, [10, 20, 30], table=make_replay())
    path = tmp_path / 'checkpoints' / '10'
    assert examples.has_state(path) and directory.fault(str(path)) is None
    with session():
        CheckpointWriter(str(tmp_path), 0, 5).start_from(30)
    assert not examples.has_state(path) and directory.fault(str(path)) is None
    assert examples.has_state(tmp_path / 'checkpoints' / '20')


def test_tensorflow_reads_the_variables(session, tmp_path):
    write(session, tmp_path, [10])
    reader = tf.train.load_checkpoint(str(tmp_path / 'checkpoints' / '10' / 'variables'))
    assert reader.get_tensor('counter') == 5


def test_a_folder_that_is_gone(session, tmp_path):
    folder = tmp_path / 'logs'
    folder.mkdir()
    writer = CheckpointWriter(str(folder), 0, 5, examples.make_files())
    folder.rmdir()
    complaint = 'cannot save a checkpoint in --logdir=.*still there'
    with session() as opened, pytest.raises(UserError, match=complaint):
        writer.save(opened, 10)


@pytest.mark.parametrize('function', ['mkdir', 'fsync', 'rename', 'replace'])
def test_killed_in_the_middle_of_a_save(function, session, tmp_path, monkeypatch):
    write(session, tmp_path, [10, 20], table=make_replay())
    writer = CheckpointWriter(str(tmp_path), 0, 2, examples.make_files())
    writer.start_from(20)
    with session() as opened:
        with monkeypatch.context() as patch, pytest.raises(examples.Killed):
            patch.setattr(writer_lib.os, function, examples.kill)
            writer.save(opened, 30)
        assert directory.frames_of(choice.newest(str(tmp_path))) == 20
        writer.save(opened, 30)
    assert directory.saved(str(tmp_path)) == [20, 30]
    directory.remove_leftovers(str(tmp_path))
    assert sorted(p.name for p in (tmp_path / 'checkpoints').iterdir()) == ['20', '30']

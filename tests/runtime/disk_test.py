"""File systems that are full, read-only or gone."""

import errno
import os
import subprocess

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.errors import UserError
from sc2impala.runtime import disk, summary_log
from sc2impala.structs import EpisodeInfo
from sc2impala.training.components.episodes import EpisodeLog
from tests.runtime import tiny

MIB = 2**20


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class TestTrouble:
    def test_said_once_a_minute(self, capsys):
        clock = Clock()
        trouble = disk.Trouble(clock)
        error = OSError(errno.ENOSPC, 'No space left on device')
        for _ in range(130):
            trouble.report('x', error, 'go on')
            clock.now += 1
        line = 'x cannot be written (No space left on device): go on\n'
        assert capsys.readouterr().out == 3 * line
        assert trouble.secs == 130
        trouble.over('well again')
        trouble.over('well again')
        assert capsys.readouterr().out == 'well again\n'
        assert trouble.secs == 0
        trouble.report('x', error, 'go on')
        assert capsys.readouterr().out == line

    def test_reasons_of_tensorflow(self):
        text = '{{function_node a}} b; Read-only file system [Op:SaveV2]\n(Graph execution error:)'
        error = tf.errors.UnknownError(None, None, text)
        assert disk.number(error) == errno.EROFS
        assert disk.reason(error) == 'Read-only file system'
        assert disk.number(tf.errors.UnknownError(None, None, 'rain')) is None
        assert disk.reason(tf.errors.UnknownError(None, None, 'rain')) == 'rain'


class TestFolder:
    def test_gone_or_another(self, tmp_path):
        (tmp_path / 'run').mkdir()
        folder = disk.Folder(str(tmp_path / 'run'))
        folder.check(0)
        (tmp_path / 'run').rename(tmp_path / 'other')
        with pytest.raises(OSError, match='removed or replaced'):
            folder.check(0)
        (tmp_path / 'run').mkdir()
        with pytest.raises(OSError, match='removed or replaced'):
            folder.check(0)

    def test_room(self, tmp_path):
        with pytest.raises(OSError, match='No space left on device') as error_info:
            disk.Folder(str(tmp_path)).check(2**60)
        assert error_info.value.errno == errno.ENOSPC


@pytest.fixture
def small(tmp_path):
    """Returns the folder of a file system of 8 MiB, which takes a moment to fill."""
    folder = str(tmp_path / 'small')
    os.mkdir(folder)
    command = ['mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]
    try:
        subprocess.run(command, check=True, stderr=subprocess.PIPE)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip('this user may not mount a file system')
    yield folder
    subprocess.run(['umount', '-l', folder], check=True)


def fill(folder, left):
    """Leaves so many bytes."""
    status = os.statvfs(folder)
    with open(os.path.join(folder, 'filler'), 'ab') as file:
        file.write(bytes(max(0, status.f_bavail * status.f_frsize - left)))


def free(folder):
    os.remove(os.path.join(folder, 'filler'))


def read_only(folder, on):
    """Makes it read-only for whatever is opened from now on; what is open, can be written."""
    if on:
        subprocess.run(['mount', '--bind', folder, folder], check=True)
        subprocess.run(['mount', '-o', 'remount,bind,ro', folder], check=True)
    else:
        subprocess.run(['umount', folder], check=True)


@pytest.fixture
def saving():
    """Opens a session with 1 MiB of variables; gives it and a function that makes a writer."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', initializer=np.zeros([MIB // 4], np.float32))
        session.run(tf.global_variables_initializer())

        def writer(folder, **options):
            return CheckpointWriter(folder, 0, 5, **options)

        yield session, writer


def is_whole(folder, frames):
    return choice.choose(folder) == (directory.path(folder, frames), [])


class TestCheckpoints:
    def test_a_full_disk_is_waited_for(self, small, saving, capsys):
        session, make = saving
        writer = make(small, max_unsaved_secs=0)
        for frames in (1, 2, 3):
            writer.save(session, frames)
        fill(small, left=MIB // 2)
        # The older ones make room for one of 1 MiB and something to spare.
        writer.save_if_due(session, 4)
        assert tiny.checkpoint_frames(small) == [3, 4] and is_whole(small, 4)
        out = capsys.readouterr().out
        assert 'removed checkpoints/1: the disk is full' in out and '/3' not in out
        for frames in range(5, 9):
            writer.save_if_due(session, frames)
            fill(small, left=0)
            assert is_whole(small, max(tiny.checkpoint_frames(small)))
        last = max(tiny.checkpoint_frames(small))
        assert tiny.checkpoint_frames(small) == [last] and last < 8
        reason = (
            'cannot be written (No space left on device): training continues until there is room'
        )
        assert capsys.readouterr().out.count(reason) == 1
        with pytest.raises(UserError, match=r'cannot save .*\(No space left on device\); what was'):
            writer.save(session, 9)
        free(small)
        writer.save_if_due(session, 10)
        assert is_whole(small, 10)
        assert 'checkpoints are saved again' in capsys.readouterr().out

    def test_one_that_does_not_fit_leaves_nothing(self, small, saving, monkeypatch):
        """The free space turns out to be smaller than it looked."""
        session, make = saving
        monkeypatch.setattr(disk.Folder, 'check', lambda folder, num_bytes: None)
        writer = make(small)
        writer.save(session, 1)
        before = tiny.snapshot(small)
        fill(small, left=MIB // 2)
        with pytest.raises(UserError, match=r'\(No space left on device\)'):
            writer.save(session, 2)
        free(small)
        assert tiny.snapshot(small) == before

    def test_read_only_for_too_long(self, small, saving, monkeypatch, capsys):
        session, make = saving
        clock = Clock()
        writer = make(small, max_unsaved_secs=30)
        monkeypatch.setattr(writer, '_trouble', disk.Trouble(clock))
        writer.save(session, 1)
        read_only(small, True)
        try:
            for frames in (2, 3):
                writer.save_if_due(session, frames)
                clock.now += 20
            line = 'cannot be written (Read-only file system): training continues for 30 s'
            assert capsys.readouterr().out.count(line) == 1
            with pytest.raises(UserError, match=r'cannot save .*\(Read-only file system\)'):
                writer.save_if_due(session, 4)
        finally:
            read_only(small, False)
        assert is_whole(small, 1)
        writer.save_if_due(session, 5)
        assert is_whole(small, 5)

    def test_read_only_in_the_middle_of_a_save(self, small, saving):
        """Files that could not be removed then are removed before the next save."""

        class File:
            mebibytes = 0

            def save(self, path, session):
                with open(path, 'wb') as file:
                    file.write(bytes(self.mebibytes * MIB))
                if self.mebibytes:
                    read_only(small, True)
                    raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        session, make = saving
        file = File()
        writer = make(small, files={'replay.npz': file}, max_unsaved_secs=30)
        writer.save(session, 1)
        file.mebibytes = 5
        try:
            writer.save_if_due(session, 2)
        finally:
            read_only(small, False)
        assert os.listdir(os.path.join(small, 'checkpoints', '.2.tmp')) == ['replay.npz']
        file.mebibytes = 0
        writer.save_if_due(session, 3)
        assert is_whole(small, 3)
        assert sorted(os.listdir(os.path.join(small, 'checkpoints'))) == ['1', '3']

    def test_a_removal_that_fails_is_repeated(self, small, saving, monkeypatch):
        session, make = saving
        writer = make(small)
        for frames in (1, 2, 3, 4, 5):
            writer.save(session, frames)
        remove = os.rename

        def rename(source, target):
            if source.endswith('/1'):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            remove(source, target)

        monkeypatch.setattr(directory.os, 'rename', rename)
        writer.save(session, 6)
        assert tiny.checkpoint_frames(small) == [1, 2, 3, 4, 5, 6]
        monkeypatch.undo()
        writer.save(session, 7)
        assert tiny.checkpoint_frames(small) == [3, 4, 5, 6, 7]

    def test_a_folder_that_was_removed_is_not_made_again(self, tmp_path, saving, capsys):
        session, make = saving
        folder = tmp_path / 'run'
        folder.mkdir()
        writer = make(str(folder), max_unsaved_secs=30)
        folder.rmdir()
        writer.save_if_due(session, 1)
        assert 'the folder was removed or replaced' in capsys.readouterr().out
        assert not folder.exists()

    def test_a_file_that_fails_leaves_nothing(self, tmp_path, saving):
        class File:
            fails = False

            def save(self, path, session):
                with open(path + '.tmp' if self.fails else path, 'w') as file:
                    file.write('half')
                if self.fails:
                    raise OSError(errno.EIO, 'Input/output error')

        session, make = saving
        file = File()
        writer = make(str(tmp_path), files={'replay.npz': file})
        writer.save(session, 1)
        before = tiny.snapshot(tmp_path)
        file.fails = True
        with pytest.raises(UserError, match='Input/output error'):
            writer.save(session, 2)
        assert tiny.snapshot(tmp_path) == before
        assert is_whole(str(tmp_path), 1)


def test_summaries_and_episodes_wait_for_room(small, capsys):
    with tf.Graph().as_default():
        log = summary_log.SummaryLog(small, 0)
    episodes = EpisodeLog(os.path.join(small, 'episodes.csv'), 0)
    infos = EpisodeInfo(*[np.ones([1, 1]) for _ in EpisodeInfo._fields])

    def write(step):
        log.add_scalars({'x': step}, step)
        episodes.add(np.ones([1, 1], bool), infos._replace(aborted=np.zeros([1, 1], bool)), step)
        episodes.flush()

    write(1)
    fill(small, left=0)
    for step in range(2, 300):
        write(step)
    assert capsys.readouterr().out.count('No space left on device') == 2
    free(small)
    write(300)
    read_only(small, True)
    write(301)
    read_only(small, False)
    write(302)
    log.close()
    assert tiny.summaries(small)['x'] == [(step, step) for step in range(1, 303)]
    assert [row[1] for row in tiny.episodes(small)] == list(range(1, 303))


def test_summaries_of_a_folder_that_was_removed(tmp_path, capsys):
    folder = tmp_path / 'run'
    with tf.Graph().as_default():
        log = summary_log.SummaryLog(str(folder), 0)
    folder.rename(tmp_path / 'moved')
    log.add_scalars({'x': 1}, 1)
    log.close()
    assert not folder.exists() and 'removed or replaced' in capsys.readouterr().out

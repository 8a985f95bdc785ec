"""The list of finished episodes: what enters it, and what a kill in the middle of a line leaves."""

import csv
import errno
import math

import numpy as np
import pytest

from sc2impala import structs
from sc2impala.errors import UserError
from sc2impala.training.components import episodes
from sc2impala.training.components.episodes import COLUMNS, EpisodeLog


def infos(returns, aborted):
    returns = np.array(returns, np.float32)
    frames = (100 * returns).astype(np.int32)
    return structs.EpisodeInfo(returns, frames, frames // 8, np.array(aborted))


def read(path):
    with open(str(path), newline='') as file:
        return list(csv.reader(file))


def test_finished_episodes_are_listed_and_averaged(tmp_path):
    path = tmp_path / 'episodes.csv'
    log = EpisodeLog(str(path), start=3, window=2)
    assert log.last_count() == 0 and math.isnan(log.last_mean())
    none = np.zeros([2, 3], np.bool_)
    assert log.add(none, infos(np.ones([2, 3]), none), 10) == {}

    done = np.array([[True, False, False], [True, False, True]])
    aborted = np.array([[False, True, False], [False] * 3])
    values = log.add(done, infos([[1, 9, 9], [2, 9, 6]], aborted), 20)
    assert values == {
        'episode_return': 3.0,
        'episode_frames': 300.0,
        'aborted_episodes': 1.0,
        'aborted_frames': 900.0,
    }
    assert (log.last_mean(), log.last_count()) == (4.0, 2)
    assert log.aborted == log.failed == 1
    values = log.add(none, infos(np.ones([2, 3]), ~none), 30)
    assert values == {'aborted_episodes': 7.0, 'aborted_frames': 1500.0}
    log.flush()
    assert read(path) == [
        list(COLUMNS),
        ['3', '20', '1.0', '100', '12'],
        ['3', '20', '2.0', '200', '25'],
        ['3', '20', '6.0', '600', '75'],
    ]
    log.close()


def test_aborted_episodes_of_games_that_do_not_fail_are_counted_apart(tmp_path):
    log = EpisodeLog(str(tmp_path / 'episodes.csv'), start=0, games_fail=False)
    values = log.add(np.zeros([1, 2], bool), infos([[3, 4]], [[True, False]]), 10)
    assert values['aborted_episodes'] == 1.0
    assert (log.aborted, log.failed) == (1, 0)
    log.close()


@pytest.mark.parametrize(
    'before, kept',
    [
        ('', []),
        ('start,glo', []),
        ('start,global_step\r\n', [['start', 'global_step']]),
        ('start\r\n0,5,1.0,1920,240\r\n', [['start'], ['0', '5', '1.0', '1920', '240']]),
        ('start\r\n0,5,1.0,1920,24', [['start']]),
    ],
)
def test_goes_on_after_a_cut_line(before, kept, tmp_path):
    """Half a number looks like a whole one: an unfinished line was never written."""
    path = tmp_path / 'episodes.csv'
    path.write_bytes(before.encode())
    for step in (7, 8):
        log = EpisodeLog(str(path), start=1)
        log.add(np.array([[True]]), infos([[2]], [[False]]), step)
        log.close()
    added = [['1', '7', '2.0', '200', '25'], ['1', '8', '2.0', '200', '25']]
    assert read(path) == (kept or [list(COLUMNS)]) + added


def test_rows_after_the_checkpoint_of_a_start_are_not_counted_twice(tmp_path):
    path = tmp_path / 'episodes.csv'
    rows = '0,500,1.0,1,1', '0,900,2.0,1,1', '1,700,3.0,1,1', '1,701,4.0,1,1'
    path.write_bytes(('start,global_step\r\n' + '\r\n'.join(rows) + '\r\n1,70').encode())
    log = EpisodeLog(str(path), start=2)
    assert log.undo(700) == 2 and log.undo(700) == 0
    log.add(np.array([[True]]), infos([[2]], [[False]]), 710)
    log.close()
    kept = [['start', 'global_step'], rows[0].split(','), rows[2].split(',')]
    assert read(path) == kept + [['2', '710', '2.0', '200', '25']]


def test_file_that_cannot_be_written(tmp_path):
    with pytest.raises(UserError, match='cannot be written to .Is a directory.'):
        EpisodeLog(str(tmp_path), start=0)


class FullDisk:
    """Stands for `open`: after `room` bytes the disk is full, as in the middle of a row."""

    def __init__(self, monkeypatch):
        self.room = None
        monkeypatch.setattr(episodes, 'open', self, raising=False)

    def __call__(self, path, mode):
        file = open(path, mode, buffering=0)  # noqa: SIM115
        if self.room is None or mode == 'ab+':
            return file
        room = self.room

        class File:
            def __enter__(self):
                return self

            def __exit__(self, *exc_info):
                file.close()

            seek, truncate = file.seek, file.truncate

            def write(self, content):
                file.write(content[:room])
                raise OSError(errno.ENOSPC, 'No space left on device')

        return File()


@pytest.mark.parametrize('room', [0, 5, 40])
@pytest.mark.parametrize('before', [0, 1])
def test_rows_are_kept_while_the_disk_is_full(room, before, tmp_path, monkeypatch, capsys):
    disk, path = FullDisk(monkeypatch), tmp_path / 'episodes.csv'
    log = EpisodeLog(str(path), start=0)

    def add(step):
        log.add(np.array([[True]]), infos([[2]], [[False]]), step)
        log.flush()

    for step in range(before):
        add(step)
    disk.room = room
    for step in (7, 8):
        add(step)
    assert (log.last_count(), log.last_mean()) == (2 + before, 2.0)
    printed = capsys.readouterr().out
    assert printed.count('\n') == 1
    assert f'{path} cannot be written to (No space left on device): training continues' in printed
    disk.room = None
    add(9)
    log.close()
    rows = [['0', str(step), '2.0', '200', '25'] for step in list(range(before)) + [7, 8, 9]]
    assert read(path) == [list(COLUMNS)] + rows
    assert capsys.readouterr().out == ''
    # It is reported again if the disk is full again.
    disk.room = 0
    add(10)
    assert 'No space left' in capsys.readouterr().out


def test_what_a_full_disk_left_is_cut_off_at_the_next_start(tmp_path, monkeypatch):
    disk, path = FullDisk(monkeypatch), tmp_path / 'episodes.csv'
    log = EpisodeLog(str(path), start=0)
    for step, room in [(7, None), (8, 12)]:
        disk.room = room
        log.add(np.array([[True]]), infos([[2]], [[False]]), step)
        log.flush()
    log.close()
    disk.room = None
    EpisodeLog(str(path), start=1).close()
    assert read(path) == [list(COLUMNS), ['0', '7', '2.0', '200', '25']]

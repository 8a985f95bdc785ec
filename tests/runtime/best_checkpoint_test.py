"""The best checkpoint: whole at every moment, whatever is removed or killed."""

import itertools
import os
import shutil

import pytest

from sc2impala.errors import UserError
from sc2impala.runtime import best_checkpoint, checkpoint_choice
from sc2impala.runtime.best_checkpoint import BestCheckpoint
from tests.runtime import tiny

PARTS = ('.data-00000-of-00001', '.index')


class Killed(BaseException):
    """Stands for a kill."""


@pytest.fixture
def run_folder(tmp_path):
    (tmp_path / 'manifest.json').write_text('{}')
    for frames in (5, 7, 40):
        for part in PARTS:
            (tmp_path / f'model.ckpt-{frames}{part}').write_text(f'{frames}{part}')
    return tmp_path


def path(run_folder, frames):
    return str(run_folder / f'model.ckpt-{frames}')


def contents(run_folder):
    return {p.name for p in (run_folder / 'best').iterdir()}


def is_whole(run_folder, frames):
    """Whether the folder names the checkpoint and has all of it."""
    best = run_folder / 'best'
    found = checkpoint_choice.named(str(best))
    texts = [(best / f'model.ckpt-{frames}{part}').read_text() for part in PARTS]
    return found == frames and texts == [f'{frames}{p}' for p in PARTS]


def test_the_best_is_kept_when_the_run_removes_it(run_folder):
    best = BestCheckpoint(str(run_folder))
    assert best.kept is None
    assert best.hold(path(run_folder, 7)) == str(run_folder / 'best' / 'model.ckpt-7')
    best.keep(7, {'mean_return': 3.0})
    best.hold(path(run_folder, 40))
    best.drop_others()
    for part in PARTS:
        os.remove(path(run_folder, 7) + part)
    assert is_whole(run_folder, 7)
    assert BestCheckpoint(str(run_folder)).kept == best.kept == 7
    assert tiny.read_json(run_folder, 'best', 'evaluation.json') == {'mean_return': 3.0}
    files = {f'model.ckpt-7{part}' for part in PARTS}
    files |= {'model.ckpt-7.evaluation.json', 'checkpoint', 'manifest.json', 'evaluation.json'}
    assert contents(run_folder) == files


def test_a_checkpoint_that_is_gone_is_not_held(run_folder):
    best = BestCheckpoint(str(run_folder))
    assert best.hold(path(run_folder, 6)) is None
    os.remove(path(run_folder, 5) + '.index')
    assert best.hold(path(run_folder, 5)) is None
    assert contents(run_folder) == set()


def test_without_links_files_are_copied(run_folder, monkeypatch):
    def link(source, target):
        raise PermissionError(1, 'not permitted')

    monkeypatch.setattr(os, 'link', link)
    best = BestCheckpoint(str(run_folder))
    best.hold(path(run_folder, 5))
    best.keep(5, {})
    assert is_whole(run_folder, 5)


@pytest.mark.parametrize('last_call', range(12))
def test_a_kill_leaves_the_old_best_or_the_new_one(run_folder, monkeypatch, last_call):
    best = BestCheckpoint(str(run_folder))
    best.hold(path(run_folder, 5))
    best.keep(5, {})
    calls = itertools.count()

    def dying(function):
        def call(*arguments):
            if next(calls) == last_call:
                raise Killed
            return function(*arguments)

        return call

    for name in ('link', 'replace', 'remove', 'fsync'):
        monkeypatch.setattr(os, name, dying(getattr(os, name)))
    was_killed = False
    try:
        best.hold(path(run_folder, 7))
        best.keep(7, {})
    except Killed:
        was_killed = True
    monkeypatch.undo()
    again = BestCheckpoint(str(run_folder))
    assert again.kept in ((5, 7) if was_killed else (7,))
    assert is_whole(run_folder, again.kept)
    again.drop_others()
    assert is_whole(run_folder, again.kept)
    assert len([name for name in contents(run_folder) if 'ckpt' in name]) == len(PARTS) + 1


def test_a_folder_that_cannot_be_written_to(run_folder, monkeypatch):
    best = BestCheckpoint(str(run_folder))
    best.hold(path(run_folder, 5))
    shutil.rmtree(str(run_folder / 'best'))
    with pytest.raises(UserError, match='best cannot be written to .No such file'):
        best.keep(5, {})
    (run_folder / 'best').write_text('a file')
    with pytest.raises(UserError, match='best cannot be written to'):
        BestCheckpoint(str(run_folder))
    assert best_checkpoint.FOLDER == 'best'

"""The best checkpoint: complete at every moment, whatever is removed or killed."""

import itertools
import os
import shutil

import pytest

from sc2impala.checkpoints import choice, directory
from sc2impala.checkpoints.best import BestCheckpoint
from sc2impala.errors import UserError
from tests.checkpoints import examples
from tests.checkpoints.examples import DATA, Killed
from tests.runtime import tiny


@pytest.fixture
def run_folder(tmp_path):
    for frames in (5, 7, 40):
        examples.write_text(tmp_path, frames, str(frames))
    (tmp_path / 'manifest.json').write_text('{}')
    return tmp_path


def path(run_folder, frames):
    return str(run_folder / 'checkpoints' / str(frames))


def result(frames, mean=3.0):
    return {'mean_return': mean, 'global_step': frames, 'policy': 'sampled'}


def is_complete(run_folder, frames):
    """Checks that the checkpoint is chosen in the folder, and has all files."""
    found = choice.choose(str(run_folder / 'best'))
    text = (run_folder / 'best' / 'checkpoints' / str(frames) / DATA).read_text()
    return directory.frames_of(found.checkpoint) == frames and text == f'{frames} {DATA}'


def test_the_best_is_kept_when_the_run_removes_it(run_folder):
    best = BestCheckpoint(str(run_folder))
    assert best.kept is None and best.result() is None and not best.is_complete
    held = best.hold(path(run_folder, 7))
    assert held == str(run_folder / 'best' / 'checkpoints' / '.7.held')
    assert directory.fault(held) is None and choice.newest(best.folder) is None
    assert best.holds(7) and not best.holds(40)
    best.keep(7, result(7))
    best.hold(path(run_folder, 40))
    best.drop_others()
    directory.remove(path(run_folder, 7))
    assert is_complete(run_folder, 7) and best.is_complete
    assert BestCheckpoint(str(run_folder)).kept == best.kept == 7
    assert tiny.read_json(run_folder, 'best', 'evaluation.json') == best.result() == result(7)
    names = {'checkpoint.json', 'evaluation.json', *examples.VARIABLES}
    files = {f'checkpoints/7/{name}' for name in names} | {'manifest.json', 'evaluation.json'}
    assert set(examples.contents(run_folder / 'best')) == files


def test_a_new_checkpoint_is_held(run_folder):
    best = BestCheckpoint(str(run_folder))

    def save(folder):
        for name in examples.VARIABLES:
            with open(os.path.join(folder, name), 'w') as file:
                file.write(f'9 {name}')

    best.hold_new(9, save)
    best.keep(9, result(9))
    assert is_complete(run_folder, 9)


def test_a_checkpoint_that_is_gone_is_not_held(run_folder, monkeypatch):
    best = BestCheckpoint(str(run_folder))
    assert best.hold(path(run_folder, 6)) is None
    link = os.link

    def removed(source, target):
        directory.remove(path(run_folder, 5))
        link(source, target)

    monkeypatch.setattr(os, 'link', removed)
    assert best.hold(path(run_folder, 5)) is None
    assert examples.contents(run_folder / 'best') == {}


def test_without_links_files_are_copied(run_folder, monkeypatch):
    def link(source, target):
        raise PermissionError(1, 'not permitted')

    monkeypatch.setattr(os, 'link', link)
    best = BestCheckpoint(str(run_folder))
    best.hold(path(run_folder, 5))
    best.keep(5, result(5))
    assert is_complete(run_folder, 5)


def test_one_of_as_many_frames_is_replaced(run_folder):
    best = BestCheckpoint(str(run_folder))
    for mean in (1.0, 2.0):
        best.hold(path(run_folder, 5))
        best.keep(5, result(5, mean))
    assert is_complete(run_folder, 5) and best.result()['mean_return'] == 2.0


@pytest.mark.parametrize('frames', [5, 7])
@pytest.mark.parametrize('last_call', range(36))
def test_a_kill_leaves_the_old_best_or_the_new_one(run_folder, monkeypatch, last_call, frames):
    """Also where both have the same frames."""
    best = BestCheckpoint(str(run_folder))
    best.hold(path(run_folder, 5))
    best.keep(5, result(5, 1.0))
    calls = itertools.count()

    def dying(function):
        def call(*arguments, **more):
            if next(calls) == last_call:
                raise Killed
            return function(*arguments, **more)

        return call

    for name in ('mkdir', 'link', 'rename', 'replace', 'remove', 'unlink', 'rmdir', 'fsync'):
        monkeypatch.setattr(os, name, dying(getattr(os, name)))
    was_killed = False
    try:
        best.hold(path(run_folder, frames))
        best.keep(frames, result(frames, 2.0))
    except Killed:
        was_killed = True
    monkeypatch.undo()
    assert was_killed or last_call > 20
    again = BestCheckpoint(str(run_folder))
    assert again.kept in ((5, frames) if was_killed else (frames,))
    assert again.result() in (result(5, 1.0), result(frames, 2.0))
    assert is_complete(run_folder, again.kept)
    again.drop_others()
    assert is_complete(run_folder, again.kept)
    assert os.listdir(str(run_folder / 'best' / 'checkpoints')) == [str(again.kept)]


def test_a_folder_that_cannot_be_written_to(run_folder):
    best = BestCheckpoint(str(run_folder))
    best.hold(path(run_folder, 5))
    shutil.rmtree(str(run_folder / 'best'))
    with pytest.raises(UserError, match='best cannot be written to .No such file'):
        best.keep(5, result(5))
    with pytest.raises(UserError, match='best cannot be written to .No such file'):
        best.hold(path(run_folder, 7))
    (run_folder / 'best').write_text('a file')
    with pytest.raises(UserError, match='best cannot be written to'):
        BestCheckpoint(str(run_folder))

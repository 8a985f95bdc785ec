"""Folders of earlier versions are read as they are, and converted when a run resumes."""

import itertools
import json
import os

import numpy as np
import pytest

from sc2impala import replay as replay_lib
from sc2impala.checkpoints import choice, directory, legacy, transfer, variables
from sc2impala.checkpoints.best import BestCheckpoint
from sc2impala.errors import UserError
from tests.checkpoints import examples
from tests.checkpoints.examples import Killed
from tests.runtime import tiny

DATA = 'data-00000-of-00001'
STATE = {
    'format': np.array(1),
    'actors/x': np.arange(3),
    'account/trained': np.array(5),
    'account/queued': np.array(7),
}


@pytest.fixture(params=[True, False], ids=['with checksums', 'without'])
def has_checksums(request):
    return request.param


@pytest.fixture
def expected(folder):
    """Returns the contents of a folder with the checkpoints of 10 and 20 frames, and a state."""
    for frames, milestone in ((10, True), (20, False)):
        path = folder / 'checkpoints' / str(frames)
        replay_lib.save(str(path / 'state.npz'), STATE)
        directory.seal(str(path), frames, milestone)
    return examples.contents(folder)


@pytest.fixture
def old(folder, expected, has_checksums):
    """Returns the same folder as an earlier version wrote it."""
    examples.to_flat_files(folder, has_checksums)
    return folder


def chosen(folder):
    found = choice.choose(str(folder))
    return os.path.basename(found.checkpoint), [skipped.frames for skipped in found.skipped]


def damage(path, kind):
    content = path.read_bytes()
    if kind == 'cut':
        path.write_bytes(content[: len(content) // 2])
    elif kind == 'gone':
        path.unlink()


class TestReading:
    def test_nothing_is_changed(self, old, tmp_path):
        before = tiny.snapshot(old)
        assert chosen(old) == ('model.ckpt-20', [])
        assert choice.find_initial(str(old)) == str(old / 'model.ckpt-20')
        names = ('10', 'model.ckpt-10', 'model.ckpt-10.index', 'latest')
        found = [os.path.basename(choice.find(str(old), name)) for name in names]
        assert found == ['model.ckpt-10'] * 3 + ['model.ckpt-20']
        assert choice.label(str(old), str(old / 'model.ckpt-10')) == '10'
        assert list(variables.read(choice.newest(str(old)))) == ['w']
        assert directory.run_of(str(old / 'model.ckpt-20')) == str(old)
        with pytest.raises(UserError, match='expected one of latest, 10, 20, or the path'):
            choice.find(str(old), '30')
        assert tiny.snapshot(old) == before

    @pytest.mark.parametrize('name', [f'model.ckpt-20.{DATA}', 'replay-20.npz', 'resume-20.npz'])
    def test_damage(self, name, old):
        damage(old / name, 'cut')
        assert chosen(old) == ('model.ckpt-10', [20])

    def test_a_missing_index(self, old, has_checksums):
        damage(old / 'model.ckpt-20.index', 'gone')
        assert chosen(old) == ('model.ckpt-10', [20] if has_checksums else [])

    def test_damaged_checksums_of_whole_files(self, old):
        for content in ('', '[]', '[' * 100000):
            (old / 'unit-20.json').write_text(content)
            assert chosen(old) == ('model.ckpt-20', [])

    def test_none_is_whole(self, old):
        for frames in (10, 20):
            damage(old / f'model.ckpt-{frames}.index', 'cut')
        with pytest.raises(UserError, match='model.ckpt-20 is damaged .*no other one'):
            choice.choose(str(old))


class TestConversion:
    def test_everything_is_there(self, old, expected, has_checksums, capsys):
        legacy.convert(str(old))
        after = examples.contents(old)
        is_index = [name for name in after if name.endswith('checkpoint.json')]
        is_state = [name for name in after if name.endswith('state.npz')]
        for name in (*is_index, *is_state):
            del after[name], expected[name]
        assert after == expected
        for frames, milestone in ((10, has_checksums), (20, False)):
            path = old / 'checkpoints' / str(frames)
            assert directory.fault(str(path)) is None
            assert directory.read(str(path)).milestone == milestone
            with np.load(str(path / 'state.npz')) as saved:
                assert {name: saved[name].tolist() for name in saved.files} == {
                    name: array.tolist() for name, array in STATE.items()
                }
        what = f'2 checkpoints of an earlier version in {old}'
        assert capsys.readouterr().out == f'converted {what} to directories in checkpoints\n'
        legacy.convert(str(old))
        assert capsys.readouterr().out == ''

    def test_without_state(self, folder, has_checksums):
        directory.drop_state(str(folder / 'checkpoints' / '10'))
        examples.to_flat_files(folder, has_checksums)
        legacy.convert(str(folder))
        files = set(directory.read(str(folder / 'checkpoints' / '10')).files)
        assert files == set(examples.VARIABLES)

    @pytest.mark.parametrize('call', range(30))
    def test_killed_at_any_step(self, call, folder, expected, monkeypatch):
        examples.to_flat_files(folder)
        calls = itertools.count()

        def dying(function):
            def step(*arguments, **more):
                if next(calls) == call:
                    raise Killed
                return function(*arguments, **more)

            return step

        for name in ('mkdir', 'link', 'fsync', 'rename', 'replace', 'remove'):
            monkeypatch.setattr(os, name, dying(getattr(os, name)))
        with pytest.raises(Killed):
            legacy.convert(str(folder))
        monkeypatch.undo()
        assert chosen(folder) in (('20', []), ('model.ckpt-20', []))
        legacy.convert(str(folder))
        directory.remove_leftovers(str(folder))
        assert set(examples.contents(folder)) == set(expected)
        assert all(directory.fault(directory.path(str(folder), n)) is None for n in (10, 20))

    def test_a_damaged_one_stays(self, old):
        damage(old / 'replay-20.npz', 'cut')
        before = {name: c for name, c in examples.contents(old).items() if '20' in name}
        legacy.convert(str(old))
        assert directory.saved(str(old)) == [10]
        assert before.items() <= examples.contents(old).items()
        assert chosen(old) == ('10', [20])
        assert set(legacy.files(str(old), 20)) == set(before)

    def test_leftovers_are_removed(self, old, expected):
        left = ('replay-7.npz', 'replay-8.npz.tmp', 'model.ckpt-9.index.tempstate12')
        for name in (*left, 'my-replay-1.npz', 'notes.tmp'):
            (old / name).write_text('left')
        legacy.convert(str(old))
        assert set(examples.contents(old)) == {*expected, 'my-replay-1.npz', 'notes.tmp'}

    def test_a_folder_that_cannot_be_written_to(self, old, monkeypatch):
        def mkdir(*unused):
            raise OSError(28, 'No space left on device')

        monkeypatch.setattr(os, 'mkdir', mkdir)
        before = examples.contents(old)
        with pytest.raises(UserError, match=r'cannot be converted .*\(No space left on device\)'):
            legacy.convert(str(old))
        assert examples.contents(old) == before

    def test_without_links_files_are_copied(self, old, expected, monkeypatch):
        monkeypatch.delattr(os, 'link')
        legacy.convert(str(old))
        assert set(examples.contents(old)) == set(expected)


RESULT = {'policy': 'sampled', 'mean_return': 4.0, 'global_step': 10}


class TestBestModels:
    @pytest.fixture
    def best(self, tmp_path):
        """Returns a folder `best` of an earlier version; that of 10 frames is the best model."""
        best = tmp_path / 'best'
        for frames in (10, 20):
            examples.write_text(best, frames, str(frames))
        examples.to_flat_files(best, with_checksums=False)
        (best / 'checkpoint').write_text('model_checkpoint_path: "model.ckpt-10"\n')
        (best / 'evaluation.json').write_text(json.dumps(RESULT))
        return best

    @pytest.fixture(autouse=True)
    def readable(self, monkeypatch):
        """The variables are texts, which TensorFlow does not read."""
        monkeypatch.setattr(variables, 'check', lambda checkpoint: None)

    def test_the_list_names_the_best(self, best):
        assert chosen(best) == ('model.ckpt-10', [])
        assert choice.find(str(best.parent), 'best') == str(best / 'model.ckpt-10')

    @pytest.mark.parametrize('of_its_own', [True, False])
    def test_converted_with_its_evaluation(self, of_its_own, best):
        if of_its_own:
            record = dict(RESULT, mean_return=5.0)
            (best / 'model.ckpt-10.evaluation.json').write_text(json.dumps(record))
        opened = BestCheckpoint(str(best.parent))
        assert opened.kept == 10 and opened.is_complete
        assert opened.result() == dict(RESULT, mean_return=5.0 if of_its_own else 4.0)
        opened.drop_others()
        assert os.listdir(str(best / 'checkpoints')) == ['10']
        assert sorted(os.listdir(str(best))) == ['checkpoints', 'evaluation.json']

    def test_of_unknown_score(self, best):
        (best / 'evaluation.json').write_text(json.dumps({'mean_return': 5.0}))
        (best / 'model.ckpt-20.index').unlink()
        opened = BestCheckpoint(str(best.parent))
        assert opened.kept == 10 and opened.result() is None

    def test_converted_with_the_run(self, best):
        legacy.convert(str(best.parent))
        assert chosen(best) == ('10', [])


def test_what_was_adopted(tmp_path, monkeypatch):
    monkeypatch.setattr(variables, 'check', lambda checkpoint: None)
    examples.write_text(tmp_path / 'adopted-30', 5, 'other')
    examples.to_flat_files(tmp_path / 'adopted-30')
    about = {'format': 1, 'frames': 5, 'source': 'other', 'keep': ['games']}
    (tmp_path / 'adopted-30' / 'adoption.json').write_text(json.dumps(about))
    with pytest.raises(UserError, match='adopted-30 is damaged'):
        transfer.find(str(tmp_path), 30)
    legacy.convert(str(tmp_path))
    found = transfer.find(str(tmp_path), 30)
    assert found[1:] == (5, 'other', ('games',))
    assert os.listdir(str(tmp_path)) == ['adopted-30']


@pytest.mark.long
def test_a_run_of_an_earlier_version_resumes(run, capsys):
    """Evaluations before that change nothing, and nothing begins from scratch."""
    examples.to_flat_files(run)
    frames = tiny.newest_frames(run)
    before = set(tiny.snapshot(run))
    assert tiny.evaluate(run, '--num_episodes=1', '--checkpoint=0') == 0
    result = tiny.read_json(run, 'evaluation-0.json')
    assert result['checkpoint'] == 'model.ckpt-0'
    assert set(tiny.snapshot(run)) == before | {os.path.join(run, 'evaluation-0.json')}
    other = run + '-other'
    tiny.train(other, 1, f'--init_checkpoint={run}')
    capsys.readouterr()
    tiny.train(run, tiny.NUM_UPDATES + 1, *tiny.REPLAY)
    out = capsys.readouterr().out
    assert f'resumed from {run}/checkpoints/{frames}' in out
    assert 'start new episodes' not in out and 'starts empty' not in out
    assert 'does not balance' not in out
    assert tiny.checkpoint_frames(run)[:2] == [0, frames]
    assert not [name for name in os.listdir(run) if name.startswith(('model.', 'unit-', 'replay'))]

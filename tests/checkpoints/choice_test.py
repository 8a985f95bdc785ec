"""The newest complete checkpoint is used, or the one that a flag names."""

import json
import os

import pytest

from sc2impala.checkpoints import choice, directory, variables
from sc2impala.checkpoints.directory import Skipped
from sc2impala.errors import UserError
from tests.checkpoints import examples


def chosen(folder):
    found = choice.choose(str(folder))
    return directory.frames_of(found.checkpoint), [skipped.frames for skipped in found.skipped]


def path(folder, frames):
    return folder / 'checkpoints' / str(frames)


class TestNewest:
    def test_none(self, tmp_path):
        assert choice.choose(str(tmp_path)) is None
        assert choice.choose(str(tmp_path / 'no folder')) is None
        (tmp_path / 'checkpoints').write_text('a file')
        assert choice.newest(str(tmp_path)) is None

    def test_the_newest(self, folder, capsys):
        assert chosen(folder) == (20, [])
        assert choice.newest(str(folder)) == str(path(folder, 20))
        assert capsys.readouterr().out == ''

    @pytest.mark.parametrize('damage', ['file', 'broken link', 'empty'])
    def test_what_is_no_directory(self, damage, folder):
        directory.remove(str(path(folder, 20)))
        if damage == 'file':
            path(folder, 20).write_text('a file')
        elif damage == 'broken link':
            path(folder, 20).symlink_to('nowhere')
        else:
            path(folder, 20).mkdir()
        assert chosen(folder) == (10, [20])

    def test_the_reason_is_named(self, folder, capsys):
        (path(folder, 20) / 'replay.npz').unlink()
        found = choice.choose(str(folder))
        assert found.skipped == [Skipped(20, 'replay.npz is missing')]
        line = 'checkpoints/20 is damaged (replay.npz is missing), using checkpoints/10 instead'
        assert found.describe() == line
        assert choice.newest(str(folder)) == str(path(folder, 10))
        assert capsys.readouterr().out == f'{folder}: {line}\n'

    def test_none_is_complete(self, folder):
        for frames in (10, 20):
            (path(folder, frames) / 'variables.index').write_text('no index')
        with pytest.raises(UserError, match=r'checkpoints/20 is damaged .*index has 8 bytes'):
            choice.choose(str(folder))

    def test_what_was_removed_meanwhile_is_not_missed(self, folder, monkeypatch):
        fault = directory.fault

        def rotate(checkpoint):
            """Between the look into the folder and the files."""
            if checkpoint.endswith('20'):
                directory.remove(checkpoint)
                examples.write_text(folder, 30, 'new')
            return fault(checkpoint)

        with monkeypatch.context() as patch:
            patch.setattr(directory, 'fault', rotate)
            assert chosen(folder) == (10, [])
        assert chosen(folder) == (30, [])

    def test_all_were_removed_meanwhile(self, folder, monkeypatch):
        fault = directory.fault

        def rotate(checkpoint):
            for frames in (10, 20):
                directory.remove(str(path(folder, frames)))
            if not directory.saved(str(folder)):
                examples.write_text(folder, 30, 'new')
            return fault(checkpoint)

        monkeypatch.setattr(directory, 'fault', rotate)
        assert chosen(folder) == (30, [])


class TestWhileItLasts:
    def test_chosen_again_if_it_is_gone_when_it_is_read(self, folder):
        tried = []

        def use(checkpoint):
            tried.append(directory.frames_of(checkpoint))
            if tried == [20]:
                directory.remove(checkpoint)
            return variables.read(checkpoint)

        values = variables.while_it_lasts(lambda: choice.newest(str(folder)), use)
        assert tried == [20, 10] and list(values) == ['w']

    def test_one_that_is_gone_for_ever(self, folder):
        def use(checkpoint):
            raise UserError('unread')

        with pytest.raises(UserError, match='checkpoints/30 was removed while it was read'):
            variables.while_it_lasts(lambda: str(path(folder, 30)), use)

    def test_damage_is_not_waited_for(self, folder):
        calls = []

        def use(checkpoint):
            calls.append(checkpoint)
            raise UserError('damaged')

        with pytest.raises(UserError, match='damaged'):
            variables.while_it_lasts(lambda: str(path(folder, 20)), use)
        assert len(calls) == 1


@pytest.fixture
def with_best(folder):
    """Returns a folder with the checkpoints of 10, 20 and 0 frames; the best one is of 7."""
    os.rename(str(folder), str(folder.parent / 'run'))
    examples.write_text(folder.parent / 'run', 0, 'first')
    return examples.add_best(str(folder.parent / 'run'))


def find(folder, name):
    """The path relative to the folder."""
    return os.path.relpath(choice.find(folder, name), folder)


class TestNamed:
    @pytest.mark.parametrize(
        'name, expected',
        [
            ('latest', 'checkpoints/20'),
            ('best', 'best/checkpoints/7'),
            ('20', 'checkpoints/20'),
            ('0', 'checkpoints/0'),
            ('7', 'best/checkpoints/7'),
            ('checkpoints/0', 'checkpoints/0'),
            ('checkpoints/0/', 'checkpoints/0'),
            ('checkpoints/0/variables', 'checkpoints/0'),
            ('checkpoints/0/variables.index', 'checkpoints/0'),
            ('best/checkpoints/7', 'best/checkpoints/7'),
            ('best/', 'best/checkpoints/7'),
        ],
    )
    def test_names(self, with_best, name, expected):
        assert find(with_best, name) == expected

    def test_paths_of_the_working_directory(self, with_best, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert find('run', 'run/checkpoints/0') == 'checkpoints/0'
        assert find('run', os.path.join(with_best, 'best')) == 'best/checkpoints/7'
        monkeypatch.setenv('HOME', str(tmp_path))
        assert find('run', '~/run/best') == 'best/checkpoints/7'

    def test_a_checkpoint_that_was_moved(self, with_best, tmp_path):
        os.rename(os.path.join(with_best, 'checkpoints', '10'), str(tmp_path / 'good one'))
        assert choice.find(with_best, str(tmp_path / 'good one')) == str(tmp_path / 'good one')
        assert choice.find_initial(str(tmp_path / 'good one')) == str(tmp_path / 'good one')

    def test_best_models_of_other_policies(self, with_best):
        os.rename(os.path.join(with_best, 'best'), os.path.join(with_best, 'best-greedy'))
        expected = 'best-greedy/checkpoints/7'
        assert find(with_best, 'best-greedy') == find(with_best, '7') == expected
        with pytest.raises(UserError, match='expected one of latest, best-greedy, 0, 7, '):
            find(with_best, 'best')

    @pytest.mark.parametrize('name', ['1', 'checkpoints/1', 'nothing', 'checkpoints/0/replay.npz'])
    def test_what_is_not_there(self, with_best, name):
        with pytest.raises(UserError) as error:
            choice.find(with_best, name)
        assert str(error.value) == (
            f'--checkpoint={name} is no checkpoint of {with_best}, expected one of latest, best, '
            '0, 7, 10, 20, or the path of one.'
        )

    def test_a_folder_without_checkpoints(self, tmp_path):
        with pytest.raises(UserError, match='has no checkpoint, expected the folder of'):
            choice.find(str(tmp_path))
        with pytest.raises(UserError, match='checkpoint=5 is no checkpoint of .*, expected a fold'):
            choice.find(str(tmp_path), '5', 'checkpoint')
        with pytest.raises(UserError, match='--init_checkpoint=.* has no checkpoint, expected'):
            choice.find_initial(str(tmp_path))

    def test_labels_are_different_for_all_checkpoints_of_a_run(
        self, with_best, tmp_path, monkeypatch
    ):
        labels = {
            'checkpoints/0': '0',
            'best/checkpoints/0': 'best-0',
            'elsewhere/model.ckpt-3': 'elsewhere-3',
        }
        for name, label in labels.items():
            assert choice.label(with_best, os.path.join(with_best, name)) == label
        monkeypatch.chdir(tmp_path)
        assert choice.label(with_best, 'run/checkpoints/7') == '7'
        with pytest.raises(UserError, match='is not in --logdir='):
            choice.label(with_best, 'elsewhere/checkpoints/7')


class TestPrefixes:
    """A checkpoint of TensorFlow without anything else."""

    @pytest.fixture
    def prefix(self, folder, tmp_path):
        for name in examples.VARIABLES:
            source = path(folder, 20) / name
            (tmp_path / name.replace('variables', 'weights-5')).write_bytes(source.read_bytes())
        return str(tmp_path / 'weights-5')

    def test_weights_are_read(self, prefix):
        for name in (prefix, prefix + '.index'):
            assert choice.find_initial(name) == choice.find('no run', name) == prefix
        assert list(variables.read(prefix)) == ['w'] and directory.frames_of(prefix) == 5

    def test_without_frames(self, prefix):
        for name in ('index', 'data-00000-of-00001'):
            os.rename(f'{prefix}.{name}', prefix[:-2] + f'.{name}')
        assert choice.find_initial(prefix[:-2]) == prefix[:-2]
        with pytest.raises(UserError, match='is no checkpoint of'):
            choice.find('no run', prefix[:-2])


def test_of_two_best_models_the_better_one_counts(tmp_path):
    """As of a kill before the other one was removed."""
    for frames, mean in ((10, 5.0), (20, 3.0), (30, None)):
        examples.write_text(tmp_path, frames, 'best')
        result = dict(policy='sampled', global_step=frames, mean_return=mean)
        if mean is not None:
            (path(tmp_path, frames) / 'evaluation.json').write_text(json.dumps(result))
    assert chosen(tmp_path) == (10, [])
    (path(tmp_path, 10) / 'variables.index').unlink()
    assert chosen(tmp_path) == (20, [10])

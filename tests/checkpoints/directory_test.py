"""A checkpoint is complete or not there, and damage of each of its files is found."""

import itertools
import json
import os
import zlib

import pytest

from sc2impala.checkpoints import choice, directory
from tests.checkpoints import examples
from tests.checkpoints.examples import DATA, Killed

FILES = (DATA, 'variables.index', 'replay.npz', 'checkpoint.json')


def chosen(folder):
    found = choice.choose(str(folder))
    return found and directory.frames_of(found.checkpoint)


def write(folder, frames):
    """Writes a checkpoint with all files, and removes what would be rotated."""

    def fill(target):
        for name in FILES[:3]:
            with open(os.path.join(target, name), 'w') as file:
                file.write(f'{name} of {frames}')

    directory.write(directory.path(str(folder), frames), frames, fill)


class TestNames:
    def test_of_checkpoints(self, folder):
        for name in ('.30.tmp', '.10.removed', 'notes', '07', '-3'):
            (folder / 'checkpoints' / name).mkdir()
        assert directory.saved(str(folder)) == [10, 20]
        assert directory.saved(str(folder / 'none')) == []

    @pytest.mark.parametrize(
        'given, run, checkpoint',
        [
            ('run/checkpoints/10', 'run', 'run/checkpoints/10'),
            ('run/checkpoints/10/', 'run', 'run/checkpoints/10/'),
            ('run/checkpoints/10/variables', 'run', 'run/checkpoints/10'),
            ('run/checkpoints/10/variables.index', 'run', 'run/checkpoints/10'),
            ('run/checkpoints/99', 'run', 'run/checkpoints/99'),
            ('run/adopted-10', 'run', 'run/adopted-10'),
            ('run/model.ckpt-5', 'run', 'run/model.ckpt-5'),
            ('run/model.ckpt-5.index', 'run', 'run/model.ckpt-5'),
            ('run', 'run', 'run'),
            ('checkpoint', '.', 'checkpoint'),
        ],
    )
    def test_of_runs(self, given, run, checkpoint, folder, tmp_path, monkeypatch):
        folder.rename(tmp_path / 'run')
        examples.copy(tmp_path / 'run' / 'checkpoints' / '10', tmp_path / 'run' / 'adopted-10')
        monkeypatch.chdir(tmp_path)
        assert directory.run_of(given) == run
        assert directory.normal(given) == checkpoint
        assert directory.run_of(str(tmp_path / given)).rstrip('/.') == str(tmp_path / run)

    def test_relative_to_the_run(self, folder, monkeypatch):
        monkeypatch.chdir(folder)
        assert directory.run_of('checkpoints/10') == '.'
        monkeypatch.chdir(folder / 'checkpoints')
        assert directory.run_of('10') == '..'

    def test_frames(self, folder):
        path = str(folder / 'checkpoints' / '10')
        assert [directory.frames_of(p) for p in (path, path + '/', 'a/model.ckpt-7')] == [10, 10, 7]
        os.rename(path, str(folder / 'mine'))
        assert directory.frames_of(str(folder / 'mine')) == 10
        (folder / 'mine' / 'checkpoint.json').unlink()
        with pytest.raises(directory.DamagedError, match='mine is damaged .*json is missing'):
            directory.frames_of(str(folder / 'mine'))


class TestDamage:
    @pytest.mark.parametrize('name', FILES)
    @pytest.mark.parametrize('damage', ['shorter', 'flipped', 'folder', 'gone', 'another'])
    def test_of_a_file(self, name, damage, folder):
        path = folder / 'checkpoints' / '20' / name
        content = path.read_bytes()
        path.unlink()
        if damage == 'shorter':
            path.write_bytes(content[:-3])
        elif damage == 'flipped':
            middle = len(content) // 2
            flipped = bytes([content[middle] ^ 4])
            path.write_bytes(content[:middle] + flipped + content[middle + 1 :])
        elif damage == 'folder':
            path.mkdir()
        elif damage == 'another':
            other = (folder / 'checkpoints' / '10' / name).read_bytes()
            path.write_bytes(other if other != content else other + b' ')
        fault = directory.fault(str(path.parent))
        assert fault.startswith(name) and '\n' not in fault
        assert directory.fault(str(folder / 'checkpoints' / '10')) is None
        assert chosen(folder) == 10

    @pytest.mark.parametrize(
        'change',
        [
            {'format': 1},
            {'frames': '20'},
            {'milestone': 1},
            {'files': []},
            {'files': {}},
            {'files': {'variables.index': {'bytes': 1, 'crc32': 1}}},
            {'files': {'variables.index': 3, DATA: None}},
            {'files': {'variables.index': {'bytes': 1, 'crc32': 1}, DATA: {'bytes': '1'}}},
            {
                'files': {
                    name: {'bytes': 1, 'crc32': 1} for name in ('variables.index', DATA, '../x')
                }
            },
        ],
    )
    def test_of_the_content_of_checkpoint_json(self, change, folder):
        path = folder / 'checkpoints' / '20' / 'checkpoint.json'
        content = dict(json.loads(path.read_text()), **change)
        del content['checksum']
        content['checksum'] = zlib.crc32(json.dumps(content, sort_keys=True).encode())
        path.write_text(json.dumps(content))
        assert directory.fault(str(path.parent)) == 'checkpoint.json is damaged'
        assert directory.num_bytes(str(path.parent)) == 0
        assert not directory.is_milestone(str(path.parent))

    @pytest.mark.parametrize('content', ['', '[]', '[' * 100000, '{"milestone": true}'])
    def test_what_is_no_checkpoint_json(self, content, folder):
        path = folder / 'checkpoints' / '20' / 'checkpoint.json'
        path.write_text(content)
        assert directory.fault(str(path.parent)).startswith('checkpoint.json ')

    def test_a_renamed_checkpoint(self, folder):
        os.rename(str(folder / 'checkpoints' / '10'), str(folder / 'checkpoints' / '30'))
        fault = directory.fault(str(folder / 'checkpoints' / '30'))
        assert fault == 'checkpoint.json is of the checkpoint of 10 frames'


class TestWriting:
    def test_a_checkpoint_lists_its_files(self, folder):
        directory.write(str(folder / 'checkpoints' / '30'), 30, _fill_text, milestone=True)
        index = directory.read(str(folder / 'checkpoints' / '30'))
        assert (index.frames, index.milestone) == (30, True)
        assert index.files['variables.index'] == directory.File(5, zlib.crc32(b'index'))
        assert directory.num_bytes(str(folder / 'checkpoints' / '30')) == 9
        names = set(os.listdir(str(folder / 'checkpoints' / '30')))
        assert names == {*index.files, 'checkpoint.json'}

    def test_an_error_leaves_nothing(self, folder):
        before = examples.contents(folder)

        def fill(target):
            _fill_text(target)
            raise OSError(5, 'Input/output error')

        with pytest.raises(OSError, match='Input/output'):
            directory.write(str(folder / 'checkpoints' / '30'), 30, fill)
        assert examples.contents(folder) == before
        assert sorted(os.listdir(str(folder / 'checkpoints'))) == ['10', '20']

    @pytest.mark.parametrize('replaces', [False, True])
    @pytest.mark.parametrize('call', range(16))
    def test_killed_at_any_step(self, replaces, call, folder, monkeypatch):
        """The new checkpoint is complete, or the one before is still the newest."""
        frames = 20 if replaces else 30
        calls = itertools.count()

        def dying(function):
            def step(*arguments, **more):
                if next(calls) == call:
                    raise Killed
                return function(*arguments, **more)

            return step

        for name in ('mkdir', 'fsync', 'rename', 'replace', 'rmdir', 'unlink'):
            monkeypatch.setattr(os, name, dying(getattr(os, name)))
        try:
            write(folder, frames)
            is_killed = False
        except Killed:
            is_killed = True
        monkeypatch.undo()
        assert is_killed or call > 6
        assert chosen(folder) in ((10, 20) if replaces else (20, 30))
        directory.remove_leftovers(str(folder))
        assert not [n for n in os.listdir(str(folder / 'checkpoints')) if n.startswith('.')]
        write(folder, frames)
        assert chosen(folder) == frames

    def test_a_parent_that_is_gone_is_not_made_again(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            directory.write(str(tmp_path / 'run' / 'checkpoints' / '30'), 30, _fill_text)
        assert not (tmp_path / 'run').exists()

    def test_without_links_files_are_copied(self, folder, monkeypatch):
        monkeypatch.delattr(os, 'link')
        source = str(folder / 'checkpoints' / '10')
        directory.write(
            str(folder / 'copy'), 10, lambda target: directory.link_variables(source, target)
        )
        assert directory.fault(str(folder / 'copy')) is None
        assert set(directory.read(str(folder / 'copy')).files) == set(examples.VARIABLES)
        with pytest.raises(FileNotFoundError):
            directory.link_variables(str(folder / 'checkpoints' / '11'), str(folder))

    def test_folders_are_not_flushed_on_windows(self, folder, monkeypatch):
        monkeypatch.setattr(directory, '_HAS_FOLDER_SYNC', False)
        opened = []
        monkeypatch.setattr(os, 'open', lambda path, *flags: opened.append(path) or 1 / 0)
        directory.write(str(folder / 'checkpoints' / '30'), 30, _fill_text)
        assert chosen(folder) == 30 and not opened


class TestDropping:
    def test_the_state(self, folder):
        path = folder / 'checkpoints' / '10'
        assert examples.has_state(str(path))
        directory.drop_state(str(path))
        assert directory.fault(str(path)) is None and not examples.has_state(str(path))
        assert {p.name for p in path.iterdir()} == {*examples.VARIABLES, 'checkpoint.json'}

    @pytest.mark.parametrize('function', ['fsync', 'replace', 'remove'])
    def test_killed(self, function, folder, monkeypatch):
        path = folder / 'checkpoints' / '20'
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(os, function, examples.kill)
            directory.drop_state(str(path))
        assert directory.fault(str(path)) is None
        directory.remove_leftovers(str(folder))
        assert {p.name for p in path.iterdir()} == {
            *directory.read(str(path)).files,
            'checkpoint.json',
        }

    def test_while_it_is_verified(self, folder, monkeypatch):
        """Files that a run drops in between are not missed."""
        path, difference = str(folder / 'checkpoints' / '20'), directory.difference

        def dropped(checkpoint, files):
            directory.drop_state(path)
            return difference(checkpoint, files)

        monkeypatch.setattr(directory, 'difference', dropped)
        assert directory.fault(path) is None and not examples.has_state(path)


class TestRemoving:
    def test_a_checkpoint(self, folder):
        directory.remove(str(folder / 'checkpoints' / '20'))
        assert os.listdir(str(folder / 'checkpoints')) == ['10']
        directory.remove(str(folder / 'checkpoints' / '20'))

    @pytest.mark.parametrize('function', ['rename', 'unlink', 'rmdir'])
    def test_killed(self, function, folder, monkeypatch):
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(os, function, examples.kill)
            directory.remove(str(folder / 'checkpoints' / '20'))
        assert chosen(folder) == (20 if function == 'rename' else 10)
        directory.remove_leftovers(str(folder))
        assert directory.saved(str(folder)) == [10, 20][: 2 if function == 'rename' else 1]
        assert all(n.isdecimal() for n in os.listdir(str(folder / 'checkpoints')))

    def test_leftovers(self, folder):
        left = (
            '.adopted-5.tmp/x',
            'checkpoints/.30.tmp/x',
            'checkpoints/10/x',
            'manifest.json.tmp',
        )
        others = ('.hidden/x', 'notes.tmp', 'checkpoints/notes', 'best/checkpoints/.30.held/x')
        before = examples.contents(folder)
        for name in (*left, *others):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text('left')
        directory.remove_leftovers(str(folder))
        after = examples.contents(folder)
        assert {name for name in after if name not in before} == set(others)
        assert before.items() <= after.items()

    def test_nothing_is_removed_from_a_damaged_checkpoint(self, folder):
        (folder / 'checkpoints' / '10' / 'checkpoint.json').write_text('{}')
        before = examples.contents(folder)
        directory.remove_leftovers(str(folder))
        assert examples.contents(folder) == before


def test_nothing_is_overwritten_in_the_folder_of_damaged_ones(folder):
    for _ in range(3):
        directory.set_aside(str(folder), ['checkpoints/20', 'nothing'])
        write(folder, 20)
    assert sorted(os.listdir(str(folder / 'damaged'))) == ['20', '20.1', '20.2']


def _fill_text(target):
    for name, text in (('variables.index', 'index'), (DATA, 'data')):
        with open(os.path.join(target, name), 'w') as file:
            file.write(text)

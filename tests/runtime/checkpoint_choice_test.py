"""Which checkpoint of a folder is used: the newest one that is whole."""

import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import replay as replay_lib
from sc2impala.errors import UserError
from sc2impala.runtime import checkpoint_choice, checkpoints
from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime.checkpoint_choice import Skipped
from sc2impala.runtime.checkpoint_parts import ReplayPart

DATA = 'data-00000-of-00001'


@pytest.fixture(scope='module')
def saved(tmp_path_factory):
    """Returns the folder of checkpoints of 10 and 20 frames; tests must not change it."""
    folder = tmp_path_factory.mktemp('saved')
    table = replay_lib.ReplayTable(
        3,
        [((2,), np.float32)],
        replay_lib.SAMPLERS['uniform'](),
        replay_lib.REMOVERS['fifo'](),
        np.random.RandomState(0),
    )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', initializer=tf.constant([1.0, 2.0]))
        session.run(tf.global_variables_initializer())
        writer = checkpoints.CheckpointWriter(str(folder), 0, 5, [ReplayPart(table)])
        for frames in (10, 20):
            writer.save(session, frames)
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    shutil.rmtree(str(tmp_path))
    shutil.copytree(str(saved), str(tmp_path))
    return tmp_path


def chosen(folder):
    choice = checkpoint_choice.choose(str(folder))
    return choice.frames, [skipped.frames for skipped in choice.skipped]


def test_none(tmp_path):
    assert checkpoint_choice.choose(str(tmp_path)) is None
    assert checkpoint_choice.choose(str(tmp_path / 'no folder')) is None


@pytest.mark.parametrize('name', [f'model.ckpt-20.{DATA}', 'model.ckpt-20.index', 'replay-20.npz'])
@pytest.mark.parametrize('has_index', [True, False])
def test_a_damaged_file(name, has_index, folder):
    path = folder / name
    content = path.read_bytes()
    if not has_index:
        # The last save was interrupted before its end.
        (folder / 'unit-20.json').unlink()
        assert chosen(folder) == (20, [])
    path.write_bytes(content[:-30])
    assert chosen(folder) == (10, [20])
    if has_index:
        flipped = bytes([content[len(content) // 2] ^ 4])
        path.write_bytes(content[: len(content) // 2] + flipped + content[len(content) // 2 + 1 :])
        assert chosen(folder) == (10, [20])
    path.unlink()
    assert chosen(folder) == (10, [20] if has_index or not name.endswith('.index') else [])


@pytest.mark.parametrize('content', [b'', b'{}', b'\xff', b'of 10'])
def test_a_damaged_index_of_whole_files(content, folder):
    if content == b'of 10':
        content = (folder / 'unit-10.json').read_bytes()
    (folder / 'unit-20.json').write_bytes(content)
    assert chosen(folder) == (20, [])
    (folder / 'replay-20.npz').unlink()
    assert chosen(folder) == (10, [20])


def test_the_reason_is_named(folder):
    (folder / 'replay-20.npz').unlink()
    choice = checkpoint_choice.choose(str(folder))
    assert choice.skipped == [Skipped(20, 'replay-20.npz is missing')]
    assert choice.describe() == (
        'model.ckpt-20 (replay-20.npz is missing) cannot be used: model.ckpt-10 is used instead'
    )


def test_none_is_whole(folder):
    for frames in (10, 20):
        (folder / f'model.ckpt-{frames}.index').write_text('no index')
    with pytest.raises(UserError, match=r'model.ckpt-20 is damaged .*20.index has 8 bytes'):
        checkpoint_choice.choose(str(folder))


class TestOlderVersions:
    """They wrote no index of a unit."""

    @pytest.fixture(autouse=True)
    def without_indices(self, folder):
        for frames in (10, 20):
            (folder / f'unit-{frames}.json').unlink()

    def test_the_list_is_followed(self, folder):
        assert chosen(folder) == (20, [])
        (folder / 'checkpoint').write_text('model_checkpoint_path: "model.ckpt-10"')
        assert chosen(folder) == (10, [20])

    def test_a_replay_buffer_may_be_missing(self, folder):
        (folder / 'replay-20.npz').unlink()
        assert chosen(folder) == (20, [])

    def test_damage(self, folder):
        (folder / f'model.ckpt-20.{DATA}').write_bytes(b'1234')
        assert chosen(folder) == (10, [20])

    @pytest.mark.parametrize('others', [False, True])
    def test_a_list_of_what_is_not_there(self, others, folder):
        (folder / 'checkpoint').write_text('model_checkpoint_path: "model.ckpt-99"')
        if others:
            assert chosen(folder) == (20, [])
            return
        for path in folder.glob('model.*'):
            path.unlink()
        with pytest.raises(UserError, match='model.ckpt-99, but there is no such file'):
            checkpoint_choice.choose(str(folder))
        (folder / 'checkpoint').write_bytes(b'\xff\xfe nonsense')
        with pytest.raises(UserError, match='checkpoint cannot be read'):
            checkpoint_choice.choose(str(folder))


class TestList:
    """TensorFlow's list is not needed; someone may name an older checkpoint in it."""

    @pytest.mark.parametrize('content', [None, b'', b'\xff\xfe nonsense', b'a: 1', 'folder'])
    def test_damaged(self, content, folder):
        (folder / 'checkpoint').unlink()
        if content == 'folder':
            (folder / 'checkpoint').mkdir()
        elif content is not None:
            (folder / 'checkpoint').write_bytes(content)
        assert chosen(folder) == (20, [])

    @pytest.mark.parametrize('keeps_others', [False, True])
    def test_an_older_one_is_wanted(self, keeps_others, folder):
        text = (folder / 'checkpoint').read_text()
        changed = text.replace('model_checkpoint_path: "model.ckpt-20"', 'X', 1)
        assert changed.startswith('X')
        first = 'model_checkpoint_path: "model.ckpt-10"'
        (folder / 'checkpoint').write_text(changed.replace('X', first) if keeps_others else first)
        assert chosen(folder) == (10, [20])
        (folder / 'model.ckpt-10.index').unlink()
        assert chosen(folder) == (20, [10])

    def test_that_of_an_earlier_time(self, folder):
        name = '"model.ckpt-10"'
        lines = [
            f'{key}: {name}' for key in ('model_checkpoint_path', 'all_model_checkpoint_paths')
        ]
        (folder / 'checkpoint').write_text('\n'.join(lines))
        assert chosen(folder) == (20, [])


class TestBesideATraining:
    def test_what_was_removed_meanwhile_is_not_missed(self, folder, monkeypatch):
        fault = units.fault

        def rotate(logdir, frames):
            """Between the look into the folder and the file."""
            if frames == 20:
                for path in folder.glob('*-20.*'):
                    path.rename(str(path).replace('-20.', '-30.'))
                units.write(logdir, 30, ['replay'])
            return fault(logdir, frames)

        monkeypatch.setattr(units, 'fault', rotate)
        assert chosen(folder) == (30, [])

    def test_chosen_again_if_it_is_gone_when_it_is_read(self, folder):
        tried = []

        def use(checkpoint):
            tried.append(checkpoints.number(checkpoint))
            if tried == [20]:
                units.remove(str(folder), 20)
            return checkpoints.read(checkpoint)

        values = checkpoints.while_it_lasts(lambda: checkpoints.latest(str(folder)), use)
        assert tried == [20, 10] and list(values) == ['w']

    def test_one_that_is_gone_for_ever(self, folder):
        def use(checkpoint):
            raise UserError('unread')

        with pytest.raises(UserError, match='model.ckpt-30 was removed while it was read'):
            checkpoints.while_it_lasts(lambda: str(folder / 'model.ckpt-30'), use)

    def test_damage_is_not_waited_for(self, folder):
        calls = []

        def use(checkpoint):
            calls.append(checkpoint)
            raise UserError('damaged')

        with pytest.raises(UserError, match='damaged'):
            checkpoints.while_it_lasts(lambda: str(folder / 'model.ckpt-20'), use)
        assert len(calls) == 1

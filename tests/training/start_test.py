"""Where a start of a training begins."""

import os
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.errors import UserError
from sc2impala.training import start as training_start
from sc2impala.training.saved_files import ReplayFile
from tests.checkpoints import examples
from tests.runtime import tiny
from tests.training.built_training import built_training


def test_anew_in_a_folder_without_a_run(tmp_path):
    start = training_start.find(tiny.read_settings(tmp_path / 'new'))
    assert start == training_start.Start(before=None, checkpoint=None)
    assert start.number == 0


def test_at_the_last_checkpoint_of_a_run(run):
    settings = tiny.read_settings(run, *tiny.REPLAY)
    start = training_start.find(settings)
    assert start.checkpoint == choice.newest(run)
    assert dict(start.before['config'], logdir=run) == settings.values()
    assert start.number == 1


def test_a_checkpoint_needs_a_manifest(run, tmp_path):
    shutil.copytree(run, str(tmp_path / 'copy'), ignore=shutil.ignore_patterns('manifest*'))
    with pytest.raises(UserError, match='copy has a checkpoint but no manifest.json, expected'):
        training_start.find(tiny.read_settings(tmp_path / 'copy'))


class TestDamage:
    def test_the_one_before_is_taken_and_the_damaged_one_moved(self, run, capsys):
        first, last = tiny.checkpoint_frames(run)
        settings = tiny.read_settings(run, *tiny.REPLAY)
        for again in ('', '.1'):
            with open(tiny.checkpoint(run, last, 'variables.index'), 'wb'):
                pass
            start = training_start.find(settings)
            training_start.clean_up(run, start)
            assert start.checkpoint == tiny.checkpoint(run, first)
            assert [skipped.frames for skipped in start.skipped] == [last]
            line = capsys.readouterr().out
            assert (
                line.count('\n') == 1
                and f'checkpoints/{last} is damaged (variables.index has 0 bytes' in line
            )
            moved = os.path.join(run, 'damaged', f'{last}{again}')
            assert os.path.exists(os.path.join(moved, 'replay.npz'))
            assert tiny.checkpoint_frames(run) == [first]
            shutil.copytree(tiny.checkpoint(run, first), tiny.checkpoint(run, last))
            directory.seal(tiny.checkpoint(run, last), last)

    def test_files_of_an_earlier_version(self, run, capsys):
        first, last = tiny.checkpoint_frames(run)
        examples.to_flat_files(run)
        with open(os.path.join(run, f'model.ckpt-{last}.index'), 'wb'):
            pass
        start = training_start.find(tiny.read_settings(run, *tiny.REPLAY))
        training_start.clean_up(run, start)
        assert start.checkpoint == tiny.checkpoint(run, first)
        assert tiny.checkpoint_frames(run) == [first]
        moved = set(os.listdir(os.path.join(run, 'damaged')))
        assert {f'model.ckpt-{last}.index', f'replay-{last}.npz', f'unit-{last}.json'} <= moved
        assert not [name for name in os.listdir(run) if f'-{last}.' in name]
        capsys.readouterr()

    def test_nothing_is_moved_where_nothing_is_whole(self, run):
        for frames in tiny.checkpoint_frames(run):
            with open(tiny.checkpoint(run, frames, 'variables.index'), 'wb'):
                pass
        before = tiny.snapshot(run)
        with pytest.raises(UserError, match='is damaged or not a checkpoint .*no other one'):
            training_start.find(tiny.read_settings(run, *tiny.REPLAY))
        assert tiny.snapshot(run) == before

    def test_what_interrupted_saves_have_left_is_removed(self, run):
        before = tiny.snapshot(run)
        left = ('checkpoints/.999.tmp', 'manifest.json.tmp', 'checkpoints/0/checkpoint.json.tmp')
        for name in (*left, 'my-replay-1.npz', 'notes.tmp', 'evaluation.json.tmp'):
            with open(os.path.join(run, name), 'w') as file:
                file.write('left behind')
        settings = tiny.read_settings(run, *tiny.REPLAY)
        training_start.clean_up(run, training_start.find(settings))
        added = {os.path.basename(path) for path in set(tiny.snapshot(run)) - set(before)}
        assert added == {'my-replay-1.npz', 'notes.tmp', 'evaluation.json.tmp'}


class TestRestoring:
    def test_a_new_run_needs_nothing(self, tmp_path):
        settings = tiny.read_settings(tmp_path)
        assert training_start.prepare_restoring(settings, None, None, None) is None

    def test_weights_of_another_run(self, run, tmp_path):
        with built_training(tmp_path, f'--init_checkpoint={run}') as (settings, _, training):
            load = training_start.prepare_restoring(settings, training.agent, None, None)
            with tf.Session() as session:
                load(session)
                weights = session.run({v.op.name: v for v in training.agent.weights})
        saved = tiny.variables(run, tiny.checkpoint_frames(run)[-1])
        assert weights
        for name, value in weights.items():
            np.testing.assert_array_equal(value, saved[name])

    def test_the_replay_table_of_the_same_run(self, run):
        with built_training(run, *tiny.REPLAY) as (settings, _, training):
            writer = CheckpointWriter(run, 0, 5, {'replay.npz': ReplayFile(training.table)})
            load = training_start.prepare_restoring(
                settings, training.agent, writer, choice.newest(run)
            )
            assert training.table.size == 0
            load(None)
        assert training.table.size == 6

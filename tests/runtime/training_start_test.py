"""Where a start of a training begins."""

import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime import checkpoints, training_start
from tests.runtime import tiny
from tests.runtime.built_training import built_training


def test_anew_in_a_folder_without_a_run(tmp_path):
    start = training_start.find(tiny.read_settings(tmp_path / 'new'))
    assert start == training_start.Start(before=None, checkpoint=None)
    assert start.number == 0


def test_at_the_last_checkpoint_of_a_run(run):
    settings = tiny.read_settings(run, *tiny.REPLAY)
    start = training_start.find(settings)
    assert start.checkpoint == checkpoints.latest(run)
    assert dict(start.before['config'], logdir=run) == settings.values()
    assert start.number == 1


def test_a_checkpoint_needs_a_manifest(run, tmp_path):
    shutil.copytree(run, str(tmp_path / 'copy'), ignore=shutil.ignore_patterns('manifest.json'))
    with pytest.raises(UserError, match='copy holds a checkpoint but no manifest.json, expected'):
        training_start.find(tiny.read_settings(tmp_path / 'copy'))


def test_a_damaged_checkpoint_is_refused_before_a_graph_is_built(run):
    with open(checkpoints.latest(run) + '.index', 'wb'):
        pass
    with pytest.raises(UserError, match='is damaged or not a checkpoint'):
        training_start.find(tiny.read_settings(run, *tiny.REPLAY))


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
            checkpoint = checkpoints.latest(run)
            assert training.table.size == 0
            load = training_start.prepare_restoring(
                settings, training.agent, training.table, checkpoint
            )
        assert load is None
        assert training.table.size == 6

"""The hooks of a training and their order."""

import contextlib

import tensorflow.compat.v1 as tf

from sc2impala.runtime.checkpoints import CheckpointWriter
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.training_hooks import make_hooks
from sc2impala.runtime.training_start import Start
from tests.runtime import tiny
from tests.runtime.built_training import built_training

LOGGING = ['SavingHook', 'StopHook', 'SummaryHook', 'EpisodeHook', 'ProgressHook']


class OwnHook(tf.train.SessionRunHook):
    pass


def names_of_hooks(folder, *flags):
    with built_training(folder, *flags) as (settings, _, training):
        writer = CheckpointWriter(str(folder), 1000, 1)
        with contextlib.ExitStack() as stack:
            hooks = make_hooks(
                settings, training, writer, Start(None, None), StopRequest(), stack, [OwnHook()]
            )
        return [type(hook).__name__ for hook in hooks]


def test_those_of_the_caller_come_before_those_that_play(tmp_path):
    assert names_of_hooks(tmp_path) == [*LOGGING, 'OwnHook', 'StagingHook']


def test_what_settings_ask_for(tmp_path):
    flags = (
        *tiny.REPLAY,
        '--replay_compression=zstd',
        '--deterministic',
        '--demonstrator=PySC2',
        '--teacher_cost=0.5',
    )
    playing = ['CheckHook', 'StagingHook', 'AlternationHook']
    assert names_of_hooks(tmp_path, *flags) == [
        *LOGGING,
        'StartPolicyHook',
        'OwnHook',
        *playing,
        'DemonstratorHook',
    ]

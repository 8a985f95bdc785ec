"""The hooks of a training and their order."""

import contextlib

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.training import build
from sc2impala.training.start import Start

LOGGING = [
    'ResumeHook',
    'StopHook',
    'SummaryHook',
    'EpisodeHook',
    'AccountHook',
    'ProgressHook',
    'ExplosionHook',
    'WatchHook',
]


class OwnHook(tf.train.SessionRunHook):
    pass


def names_of_hooks(folder, built):
    settings, _, graph = built
    with graph.agent.weights[0].graph.as_default():
        resume, parts = build.build_files(graph)
        writer = CheckpointWriter(str(folder), 1000, 1, parts)
        start, stop = Start(None, None), StopRequest()
        with contextlib.ExitStack() as stack:
            hooks = build.build_components(
                settings, graph, writer, resume, start, stop, stack, [OwnHook()]
            )
    return [type(hook).__name__ for hook in hooks]


@pytest.mark.long
def test_those_of_the_caller_come_before_those_that_play(plain_training, tmp_path):
    """The state is saved after all that an update changes, and nothing plays before that."""
    assert names_of_hooks(tmp_path, plain_training) == [
        *LOGGING,
        'OwnHook',
        'StagingHook',
        'Component',
        'SavingHook',
        'ActorThreads',
    ]


@pytest.mark.long
def test_what_settings_ask_for(taught_training, tmp_path):
    assert names_of_hooks(tmp_path, taught_training) == [
        *LOGGING,
        'StartPolicyHook',
        'OwnHook',
        'CheckHook',
        'StagingHook',
        'Component',
        'DemonstratorHook',
        'SavingHook',
        'AlternationHook',
    ]

"""What a training says of itself before it starts."""

import pytest

from sc2impala.runtime.training_description import describe
from tests.runtime import tiny
from tests.runtime.built_training import built_training


def lines_of(folder, checkpoint, *flags):
    with built_training(folder, *flags) as (settings, specs, training):
        return describe(settings, specs, training, checkpoint)


def test_of_a_new_run(tmp_path):
    lines = lines_of(tmp_path, None)
    assert lines[0].startswith('fully_conv on MoveToBeacon (simulator), ')
    assert ' parameters, 1 actors of 4 environments, learner on the ' in lines[0]
    assert 'functions: no_op, select_army, Move_screen' in lines
    assert lines[-2:] == [
        'batch: 4 new, 0 replayed sequences of 5 steps',
        f'logdir: {tmp_path}',
    ]


@pytest.mark.parametrize('compression, how', [('none', ''), ('zstd', ' without compression')])
def test_of_one_with_replay_that_goes_on(compression, how, tmp_path):
    flags = (*tiny.REPLAY, f'--replay_compression={compression}', '--demonstrator=PySC2')
    batch, replay, logdir, demonstrator = lines_of(tmp_path, 'model.ckpt-7', *flags)[-4:]
    assert batch == 'batch: 3 new, 1 replayed sequences of 5 steps'
    assert replay.startswith('replay: 6 sequences, ') and replay.endswith(' MiB' + how)
    assert logdir == f'logdir: {tmp_path}, going on from model.ckpt-7'
    assert demonstrator == 'demonstrator: PySC2'

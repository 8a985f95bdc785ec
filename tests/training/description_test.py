"""What a training says of itself before it starts."""

import dataclasses

import pytest

from sc2impala.runtime import sessions
from sc2impala.training.description import (
    describe,
    finished_text,
    is_finished,
    schedule_change,
)
from tests.runtime import tiny


def test_of_a_new_run(plain_training):
    settings = plain_training[0]
    lines = describe(*plain_training, checkpoint=None)
    assert lines[0].startswith('fully_conv on MoveToBeacon (simulator), ')
    assert ' parameters, 1 actor with 4 environments, learner on the ' in lines[0]
    assert 'functions: no_op, select_army, Move_screen' in lines
    assert lines[-2:] == [
        'batch: 4 new, 0 replayed sequences of 5 steps',
        f'logdir: {settings.run.logdir}',
    ]


@pytest.mark.parametrize('available', [False, True])
@pytest.mark.parametrize('chosen', [False, True])
def test_a_processor_with_bfloat16(available, chosen, plain_training, monkeypatch):
    monkeypatch.setattr(sessions, 'bfloat16_is_available', lambda: available)
    settings, specs, training = plain_training
    settings = dataclasses.replace(settings, run=dataclasses.replace(settings.run, bfloat16=chosen))
    lines = describe(settings, specs, training, checkpoint=None)
    hints = [line for line in lines if line.startswith('bfloat16: off; ')]
    assert len(hints) == (available and not chosen)


@pytest.mark.parametrize('compression, how', [('none', ''), ('zstd', ' without compression')])
def test_of_one_with_replay_that_goes_on(compression, how, taught_training):
    settings, specs, training = taught_training
    replay = dataclasses.replace(settings.replay, replay_compression=compression)
    settings = dataclasses.replace(settings, replay=replay)
    lines = describe(settings, specs, training, 'checkpoints/7')
    batch, replay, logdir, demonstrator = lines[-4:]
    assert batch == 'batch: 3 new, 1 replayed sequences of 5 steps'
    assert replay.startswith('replay: 6 sequences, ') and replay.endswith(' MiB' + how)
    assert logdir == f'logdir: {settings.run.logdir}, resumed from checkpoints/7'
    assert demonstrator == 'demonstrator: PySC2'


@pytest.mark.long
def test_whether_there_is_nothing_left_to_train(plain_training, finished_run):
    settings, _, training = plain_training
    frames = tiny.checkpoint_frames(finished_run)[-1]
    checkpoint = tiny.checkpoint(finished_run, frames)
    for num_frames, expected in [(frames, True), (frames + 1, False)]:
        phases = [phase._replace(num_frames=num_frames) for phase in training.phases]
        assert is_finished(phases, checkpoint) == expected
        assert not is_finished(phases, None)
    text = finished_text(settings)
    assert '(--total_environment_frames=300)' in text and '--mode=evaluate --logdir=' in text


@pytest.mark.parametrize('algorithm, prefix', [('impala', ''), ('r2d2', 'r2d2_')])
def test_a_learning_rate_that_another_length_changes(algorithm, prefix):
    rates = {f'{prefix}learning_rate': 8e-4, f'{prefix}final_learning_rate': 0.0}
    values = dict(rates, algorithm=algorithm, total_environment_frames=100)
    before = tiny.make_settings(**values).values()

    def change(frames, length, **more):
        settings = tiny.make_settings(**dict(values, total_environment_frames=length, **more))
        return schedule_change(settings, before, frames)

    assert change(100, 400) == [
        '--total_environment_frames=400 instead of 100: the schedules have this length, and the '
        'learning rate rises from 0 to 0.0006'
    ]
    assert change(25, 50)[0].endswith('learning rate falls from 0.0006 to 0.0004')
    assert change(50, 100) == change(0, 400) == []
    before.update({f'{prefix}final_learning_rate': 8e-4})
    assert change(50, 400, **{f'{prefix}final_learning_rate': 8e-4}) == []

"""The phases of a training."""

import pytest

from sc2impala.errors import UserError
from tests.training.built_training import built_training

CLONING = '--num_cloning_frames=100', '--phase_evaluations=0'


def titles_and_frames(training):
    return [(phase.title, phase.num_frames) for phase in training.phases]


def test_the_training_comes_last(phased_training):
    _, _, training = phased_training
    *pretraining, (_, num_frames) = titles_and_frames(training)
    assert [frames for _, frames in pretraining] == [100, 200]
    assert pretraining[0][0] == 'cloning'
    assert num_frames == 300
    assert {phase.task for phase in training.phases} == {'MoveToBeacon'}
    assert len({phase.frames.name for phase in training.phases}) == 3


def test_there_is_no_pretraining_unless_asked_for(plain_training):
    assert [frames for _, frames in titles_and_frames(plain_training[2])] == [300]


@pytest.mark.long
@pytest.mark.parametrize('size, of_cloning', [(0, 4), (2, 2), (6, 6)])
def test_cloning_may_have_batches_of_another_size(size, of_cloning, tmp_path):
    flags = (
        '--demonstrator=PySC2',
        *CLONING,
        '--num_critic_pretrain_frames=200',
        '--batch_size=4',
        f'--cloning_batch_size={size}',
    )
    with built_training(tmp_path, *flags) as (_, _, training):
        assert [phase.done.shape[1] for phase in training.phases] == [of_cloning, 4, 4]


@pytest.mark.parametrize(
    'flags, message',
    [
        (CLONING, '--num_cloning_frames=100 needs something to imitate'),
        (['--demonstration_cost=0.5'], '--demonstration_cost=0.5 needs something to imitate'),
    ],
)
def test_what_cannot_learn_from_labels_is_refused(flags, message, tmp_path):
    with pytest.raises(UserError, match='^' + message), built_training(tmp_path, *flags):
        pass

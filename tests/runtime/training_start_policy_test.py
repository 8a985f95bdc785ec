"""The start policy that the settings of a training ask for."""

import pytest

from tests.runtime.built_training import built_training

CLONING = '--demonstrator=PySC2', '--num_cloning_frames=100', '--phase_evaluation_episodes=2'


@pytest.mark.parametrize(
    'flags', [(), (*CLONING, '--phase_evaluations=0')], ids=['no cloning', 'the last model']
)
def test_there_is_none_without_use_for_it(flags, tmp_path):
    with built_training(tmp_path, *flags) as (_, _, training):
        assert training.start_policy is None


def test_a_selection_needs_a_teacher_that_does_not_act(tmp_path):
    with built_training(tmp_path, *CLONING) as (_, _, training):
        assert training.start_policy.selection is not None
        assert not training.start_policy.teacher.acts
        assert not training.experience.queue.spec.teacher_logits


def test_a_cost_needs_a_teacher_that_acts(tmp_path):
    with built_training(tmp_path, '--teacher_cost=0.5') as (_, _, training):
        assert training.start_policy.selection is None
        assert training.start_policy.teacher.acts
        assert training.experience.queue.spec.teacher_logits

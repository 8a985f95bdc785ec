"""The start policy that the settings of a training ask for."""

import pytest

from tests.training.built_training import built_training


@pytest.mark.long
def test_there_is_none_without_use_for_it(plain_training, phased_training):
    """Neither without cloning, nor where its last model is taken."""
    for _, _, training in (plain_training, phased_training):
        assert training.start_policy is None


@pytest.mark.long
def test_a_selection_needs_a_teacher_that_does_not_act(tmp_path):
    flags = '--demonstrator=PySC2', '--num_cloning_frames=100', '--phase_evaluation_episodes=2'
    with built_training(tmp_path, *flags) as (_, _, training):
        assert training.start_policy.selection is not None
        assert not training.start_policy.teacher.acts
        assert not training.actors.queue.spec.teacher_logits


def test_a_cost_needs_a_teacher_that_acts(taught_training):
    _, _, training = taught_training
    assert training.start_policy.selection is None
    assert training.start_policy.teacher.acts
    assert training.actors.queue.spec.teacher_logits

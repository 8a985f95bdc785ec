"""Runs of APPO: the command, its summaries, and a start that goes on bit for bit."""

import pytest

from tests.runtime import tiny
from tests.training.resume_test import COMMON, StopAfter, check_same, train

APPO = (
    '--algorithm=appo',
    '--appo_epochs=2',
    '--appo_minibatches=2',
    '--appo_max_kl=5',
    *tiny.REPLAY,
)


@pytest.mark.long
def test_a_run_that_was_stopped_is_equal_to_one_that_was_not(tmp_path):
    train(tmp_path / 'whole', 4, *COMMON, *APPO)
    for num_updates in (2, 100):
        train(tmp_path / 'parts', 4, *COMMON, *APPO, hooks=[StopAfter(num_updates)])
    check_same(tmp_path / 'whole', tmp_path / 'parts')

    tags = tiny.summaries(tmp_path / 'whole')
    rounds = [value for _, value in tags['appo/minibatches']]
    assert len(rounds) >= 4 and set(rounds) == {4.0}
    assert {'appo/kl', 'appo/clipped', 'loss/policy_cloning', 'grad_norm'} <= set(tags)
    assert {'weight_norm', 'policy_lag/updates_max', 'wait/learner_per_second'} <= set(tags)
    assert all(value > 0 for _, value in tags['adam/max_second_moment'])
    # Each minibatch is a step of Adam.
    variables = tiny.variables(tmp_path / 'whole', tiny.newest_frames(tmp_path / 'whole'))
    assert abs(variables['beta1_power'] - 0.9 ** (1 + sum(rounds))) < 1e-5


def test_flags_of_another_algorithm_are_refused(tmp_path, capsys):
    assert tiny.main(tmp_path, '--algorithm=appo', '--upgo_cost=1') == 1
    assert '--upgo_cost=1.0 is only for --algorithm=impala' in tiny.error_line(capsys)
    assert tiny.main(tmp_path, '--appo_epochs=2') == 1
    assert '--appo_epochs=2 is only for --algorithm=appo' in tiny.error_line(capsys)
    assert tiny.main(tmp_path, '--algorithm=appo', '--appo_minibatches=3') == 1
    assert '--appo_minibatches=3 cannot divide --batch_size=4' in tiny.error_line(capsys)

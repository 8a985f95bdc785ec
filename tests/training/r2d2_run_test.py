"""The real `main` with R2D2 and prioritised replay: what it leaves, and going on exactly."""

import numpy as np
import pytest

from tests.runtime import tiny
from tests.training import resume_test

pytestmark = pytest.mark.long

BURN_IN = 2

UPDATE = 2 * (5 - BURN_IN) * tiny.STEP_MUL
"""Frames that the two new sequences of an update add to those before them."""

PRIORITISED = (
    '--replay_sampler=prioritised',
    '--replay_proportion=0.5',
    '--replay_buffer_size=12',
    '--replay_min_size=6',
)
FLAGS = (
    '--algorithm=r2d2',
    *PRIORITISED,
    '--num_envs=6',
    '--agent=fully_conv_lstm',
    '--keep_checkpoints=0',
    f'--r2d2_burn_in={BURN_IN}',
    '--r2d2_target_period=2',
    '--r2d2_learning_rate=0.01',
    '--r2d2_bootstrap_heads=3',
    '--r2d2_bootstrap_mask=0.5',
    '--deterministic',
)


@pytest.fixture(scope='module')
def whole(tmp_path_factory):
    """The folder of a run of two batches that fill the replay buffer and several updates.

    Its bootstrapped heads go on within episodes, which the versions that have started them play to
    their ends.
    """
    folder = tmp_path_factory.mktemp('r2d2') / 'whole'
    resume_test.train(folder, 5, *FLAGS)
    return folder


def test_trains_and_is_evaluated(whole, capsys):
    tags = tiny.summaries(whole)
    expected = {'loss/q_learning', 'grad_norm', 'q/mean', 'td_error/mean', 'priority/max'}
    assert expected | {'replay/sequences', 'action/function', 'policy_lag/updates'} <= set(tags)
    # Batches of four new sequences until there are six, then of two.
    steps = [step for step, _ in tags['loss/q_learning']]
    assert steps[:4] == [2 * UPDATE, 4 * UPDATE, 5 * UPDATE, 6 * UPDATE]
    losses = [value for _, value in tags['loss/q_learning']]
    assert losses[0] == losses[1] == 0 and all(losses[2:])
    frames = tiny.checkpoint_frames(whole)
    first, last = (tiny.variables(whole, each) for each in (frames[0], frames[-1]))
    assert last['target_num_updates'] == len(losses) - 2
    weights = [name for name in first if f'target/{name}' in first]
    assert len(weights) > 10
    assert all((last[name] != first[name]).any() for name in weights if 'baseline' in name)
    # A copy of the last update or the one before.
    assert any((last[name] != first[f'target/{name}']).any() for name in weights)
    capsys.readouterr()
    flags = ('--num_episodes=2', '--num_eval_envs=2', '--r2d2_evaluation_epsilon=0.5')
    assert tiny.evaluate(whole, *flags) == 0
    assert tiny.read_json(whole, 'evaluation.json')['num_episodes'] == 2


@pytest.mark.parametrize('stops', [(4,), pytest.param((1, 1, 1), marks=pytest.mark.slow)])
def test_goes_on_exactly(whole, tmp_path, stops):
    """Between copies of the target, and within the updates that fill the replay buffer."""
    for num_updates in (*stops, 100):
        hooks = [resume_test.StopAfter(num_updates)]
        resume_test.train(tmp_path, 5, *FLAGS, hooks=hooks)
    resume_test.check_same(whole, tmp_path)
    state = resume_test.state(tmp_path)
    priorities = state['replay/sampler_priorities']
    assert len(set(priorities)) > 6 and np.isfinite(priorities).all()


def test_bootstrapped_heads_differ(whole):
    deviations = [value for _, value in tiny.summaries(whole)['q/std_of_heads']]
    assert all(deviations[2:])
    variables = tiny.variables(whole, tiny.newest_frames(whole))
    for scope in ('', 'target/'):
        layers = [variables[f'{scope}heads/function/w{suffix}'] for suffix in ('', '_1', '_2')]
        assert (layers[0] != layers[1]).any() and (layers[1] != layers[2]).any()


@pytest.mark.slow
def test_impala_with_prioritised_replay_goes_on_exactly(tmp_path):
    flags = (*PRIORITISED, '--num_envs=6', '--deterministic', '--priority_exponent=0.6')
    resume_test.train(tmp_path / 'whole', 4, *flags)
    for num_updates in (3, 100):
        hooks = [resume_test.StopAfter(num_updates)]
        resume_test.train(tmp_path / 'parts', 4, *flags, hooks=hooks)
    resume_test.check_same(tmp_path / 'whole', tmp_path / 'parts')
    assert len(set(resume_test.state(tmp_path / 'whole')['replay/sampler_priorities'])) > 6


def test_another_sampler_or_exponent_is_refused_on_resume(whole, capsys):
    for flag in ('--replay_sampler=uniform', '--priority_exponent=0.5', '--r2d2_burn_in=1'):
        assert tiny.main(whole, *FLAGS, flag) == 1
        assert flag.partition('=')[0] in tiny.error_line(capsys)

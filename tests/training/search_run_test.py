"""Runs that imitate a search: equal seeds, a stop in the middle, and the end."""

import signal

import numpy as np
import pytest

from sc2impala.training.components import start_policy
from tests.runtime import tiny

STEP_MUL = 40
UPDATE = 20 * STEP_MUL
NUM_UPDATES = 4
FLAGS = (
    '--map_name=DefeatRoaches',
    '--functions=no_op,select_army,select_point,Attack_screen,Move_screen',
    '--screen_size=8',
    f'--step_mul={STEP_MUL}',
    '--demonstrator=search',
    '--labelled_share=0.5',
    '--search_temperature=0.5',
    '--demonstrator_share=0.1',
    f'--num_cloning_frames={NUM_UPDATES * UPDATE}',
    '--phase_evaluations=2',
    '--phase_evaluation_episodes=2',
    '--num_critic_pretrain_frames=0',
    f'--total_environment_frames={UPDATE}',
    '--save_checkpoint_secs=0',
    '--keep_checkpoints=0',
    '--deterministic',
)


def last_variables(logdir):
    return tiny.variables(logdir, tiny.checkpoint_frames(logdir)[-1])


@pytest.fixture(scope='module')
def whole_run(tmp_path_factory):
    """The folder of a run that nothing stopped."""
    logdir = tmp_path_factory.mktemp('search') / 'logs'
    assert tiny.main(logdir, *FLAGS) == 0
    return logdir


@pytest.mark.long
def test_learns_from_some_labels(whole_run):
    tags = tiny.summaries(whole_run)
    losses = [value for _, value in tags['cloning/loss']]
    # A step in which an episode ends has fewer frames.
    assert len(losses) >= NUM_UPDATES and all(np.isfinite(losses)) and min(losses) > 0
    labelled = [value for _, value in tags['cloning/labelled']]
    assert 0.2 < np.mean(labelled) < 0.9


@pytest.mark.long
def test_a_run_that_is_stopped_in_cloning_goes_on_as_if_it_were_not(
    whole_run, tmp_path, monkeypatch
):
    evaluate_if_due = start_policy.Selection.evaluate_if_due
    updates = []

    def crash(self, session, frames):
        updates.append(frames)
        if len(updates) == 3:
            raise KeyboardInterrupt()
        return evaluate_if_due(self, session, frames)

    monkeypatch.setattr(start_policy.Selection, 'evaluate_if_due', crash)
    assert tiny.main(tmp_path, *FLAGS) == 130
    assert tiny.main(tmp_path, *FLAGS) == 0
    assert tiny.same_arrays(last_variables(tmp_path), last_variables(whole_run))


def num_saved(logdir):
    return len(tiny.checkpoint_frames(logdir)) if logdir.exists() else 0


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_searches_goes_on(processes, tmp_path):
    logdir = tmp_path / 'logs'
    flags = [*tiny.FLAGS, *FLAGS, f'--logdir={logdir}']

    def start():
        process = processes.Process(target=tiny.play, args=(flags, str(tmp_path / 'output')))
        process.start()
        return process

    for num_checkpoints in (1, 3):
        process = start()
        while process.is_alive() and num_saved(logdir) < num_checkpoints:
            process.join(0.02)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    process = start()
    process.join()
    assert process.exitcode == 0, (tmp_path / 'output').read_text()
    assert last_variables(logdir)['cloning_evaluations'] == 2


def test_a_search_needs_the_simulator(tmp_path, capsys):
    flags = ('--map_name=MoveToBeacon', '--backend=synthetic', '--demonstrator=search')
    assert tiny.main(tmp_path, *flags) == 1
    assert '--demonstrator=search is unknown, expected one of: none, PySC2' in tiny.error_line(
        capsys
    )

"""Trainings that are evaluated every so many frames: what is trained does not change."""

import os
import signal

import pytest

from sc2impala.evaluation import scoring
from sc2impala.evaluation.log import EvaluationLog
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE
TOTAL = f'--total_environment_frames={6 * UPDATE}'
DETERMINISTIC = ('--deterministic', '--agent=fully_conv_lstm', TOTAL)
EVERY = (f'--evaluate_every_frames={2 * UPDATE}', '--num_episodes=3', '--num_eval_envs=2')
FRAMES = [0, 2 * UPDATE, 4 * UPDATE, 6 * UPDATE]


def rows(logdir):
    return EvaluationLog(os.path.join(str(logdir), 'evaluations.csv'), 'MoveToBeacon').rows


@pytest.fixture(scope='module')
def plain(tmp_path_factory):
    logdir = tmp_path_factory.mktemp('plain')
    assert tiny.main(logdir, *DETERMINISTIC) == 0
    return logdir


@pytest.fixture(scope='module')
def evaluated(tmp_path_factory):
    logdir = tmp_path_factory.mktemp('evaluated')
    assert tiny.main(logdir, *DETERMINISTIC, *EVERY) == 0
    return logdir


def check_same(logdir, plain):
    found, expected = (tiny.variables(folder, 6 * UPDATE) for folder in (logdir, plain))
    assert tiny.same_arrays(found, expected)
    without_start = [[row[1:] for row in tiny.episodes(folder)] for folder in (logdir, plain)]
    assert without_start[0] == without_start[1]


@pytest.mark.long
def test_what_is_trained_does_not_change(evaluated, plain):
    check_same(evaluated, plain)
    assert tiny.losses(evaluated) == tiny.losses(plain)


@pytest.mark.long
def test_what_is_written(evaluated):
    table = rows(evaluated)
    assert [row['global_step'] for row in table] == FRAMES
    assert all(row['num_episodes'] == 3 for row in table)
    tags = tiny.summaries(evaluated)
    expected = [(row['global_step'], pytest.approx(row['mean_return'])) for row in table]
    assert tags['MoveToBeacon/eval/episode_return'] == expected
    assert len(tags['MoveToBeacon/eval/human_gap']) == len(FRAMES)
    best = max(table, key=lambda row: row['mean_return'])
    assert tiny.checkpoint_frames(evaluated / 'best') == [best['global_step']]
    # The model is that of the moment.
    kept = tiny.variables(evaluated / 'best', best['global_step'])
    assert kept['global_step'] == best['global_step']
    assert tiny.evaluate(evaluated / 'best', '--num_episodes=1') == 0


@pytest.mark.long
def test_a_stop_within_an_evaluation_and_rows_that_a_kill_has_left(
    evaluated, plain, tmp_path, monkeypatch, capsys
):
    """The run goes on with the evaluation that was stopped: no row is missing, and none twice."""
    counts = []

    def play_episodes(env, player, *args, play=scoring.play_episodes, **kwargs):
        def stopping(env_output):
            counts[-1] += 1
            if len(counts) == 3 and counts[-1] == 4:
                os.kill(os.getpid(), signal.SIGTERM)
            return player(env_output)

        counts.append(0)
        return play(env, stopping, *args, **kwargs)

    monkeypatch.setattr(scoring, 'play_episodes', play_episodes)
    assert tiny.main(tmp_path, *DETERMINISTIC, *EVERY) == 128 + signal.SIGTERM
    assert counts[2] == 4 and tiny.checkpoint_frames(tmp_path)[-1] == 4 * UPDATE
    assert [row['global_step'] for row in rows(tmp_path)] == FRAMES[:2]

    log = EvaluationLog(str(tmp_path / 'evaluations.csv'), 'MoveToBeacon')
    log.add(dict(log.rows[0], global_step=4 * UPDATE + 1))
    with open(str(tmp_path / 'evaluations.csv'), 'a') as file:
        file.write('9999999,sam')
    capsys.readouterr()
    # When to evaluate is known from the run.
    assert tiny.main(tmp_path, *DETERMINISTIC) == 0
    assert 'after the checkpoint, whose frames' in capsys.readouterr().out
    assert rows(tmp_path) == rows(evaluated)
    check_same(tmp_path, plain)

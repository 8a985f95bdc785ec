"""Runs of the command with `--max_episode_frames`: their episodes, and an exact resume."""

import numpy as np
import pytest

from tests.runtime import tiny
from tests.training.resume_test import COMMON, StopAfter, check_same, train

LIMIT = 400
"""Of episodes of 1,920 frames, in steps of 120."""


@pytest.mark.long
@pytest.mark.parametrize('algorithm', ['impala', pytest.param('appo', marks=pytest.mark.slow)])
def test_truncated_episodes_enter_the_statistics(tmp_path, algorithm):
    flags = (f'--algorithm={algorithm}', f'--max_episode_frames={LIMIT}', *COMMON, *tiny.REPLAY)
    train(tmp_path / 'whole', 5, *flags)
    rows = tiny.episodes(tmp_path / 'whole')
    # Four steps are played, and the fifth one starts the next episode.
    assert len(rows) >= 8 and {(row[3], row[4]) for row in rows} == {(480, 4)}
    tags = tiny.summaries(tmp_path / 'whole')
    assert {value for _, value in tags['MoveToBeacon/episode_frames']} == {480.0}
    # A sequence has five steps, of which one plays no frame.
    updates = np.diff([0] + [step for step, _ in tags['loss/total_loss']])
    assert set(updates) <= {3 * 480, 4 * 480}

    # The environment resumes between a final observation and the next episode as well.
    for num_updates in (1, 100):
        train(tmp_path / 'parts', 5, *flags, hooks=[StopAfter(num_updates)])
    check_same(tmp_path / 'whole', tmp_path / 'parts')


def test_evaluations_play_truncated_episodes(run):
    flags = '--num_episodes=2', '--num_eval_envs=2'
    for limit, frames in ((LIMIT, 480), (0, 1920)):
        assert tiny.evaluate(run, *flags, f'--max_episode_frames={limit}') == 0
        found = tiny.read_json(run, 'evaluation.json')['environment_frames']
        assert found == 2 * frames

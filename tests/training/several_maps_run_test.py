"""Runs on several maps, at once and in turn: what is logged, and exact resumes at a change."""

import csv
import os
import re

import numpy as np
import pytest

from sc2impala.envs.scores import human_normalised
from sc2impala.training import train as training
from tests.runtime import tiny
from tests.sim.maps import short_episodes
from tests.training.resume_test import CopyAt, StopAfter, state

MAPS = ('MoveToBeacon', 'DefeatRoaches')
UPDATE = tiny.FRAMES_PER_UPDATE
FLAGS = (
    f'--map_name={",".join(MAPS)}',
    '--functions=no_op,select_army,Move_screen,Attack_screen',
    '--deterministic',
    '--num_envs=6',
    '--value_normalisation=popart',
    '--keep_checkpoints=0',
    '--num_eval_envs=2',
    '--num_episodes=2',
)
IN_TURN = (
    *FLAGS,
    *tiny.REPLAY,
    '--task_schedule=sequential',
    f'--frames_per_task={2 * UPDATE}',
    '--cycles=2',
)


@pytest.fixture(autouse=True)
def games(monkeypatch):
    for name in MAPS:
        short_episodes(monkeypatch, name, 4 * tiny.STEP_MUL)


def train(folder, *flags, hooks=()):
    training.train(tiny.read_settings(folder, *flags), list(hooks))


def table(folder, name):
    with open(os.path.join(str(folder), name), newline='') as file:
        return list(csv.DictReader(file))


def whole_state(folder):
    """The newest checkpoint, the tables, and the episodes without the number of the start."""
    found = state_of(folder)
    found.pop('episodes')
    rows = [{k: v for k, v in row.items() if k != 'start'} for row in table(folder, 'episodes.csv')]
    return found, rows, table(folder, 'tasks.csv'), table(folder, 'evaluations.csv')


def state_of(folder):
    """`state`, for a table of episodes with names."""
    episodes = tiny.episodes
    try:
        tiny.episodes = lambda unused: []
        return state(folder)
    finally:
        tiny.episodes = episodes


def check_same(folder, other):
    first, *tables = whole_state(folder)
    second, *others = whole_state(other)
    assert sorted(first) == sorted(second) and tables == others
    assert [name for name in first if not np.array_equal(first[name], second[name])] == []


@pytest.mark.long
def test_maps_in_turn(tmp_path, capsys):
    folder = tmp_path / 'run'
    assert tiny.main(folder, *IN_TURN) == 0
    blocks = table(folder, 'tasks.csv')
    assert [row['map_name'] for row in blocks] == [*MAPS, *MAPS]
    assert [row['cycle'] for row in blocks] == ['0', '0', '1', '1']
    starts = [int(row['global_step']) for row in blocks]
    assert starts[0] == 0 and all(np.diff(starts) > 0)
    evaluations = table(folder, 'evaluations.csv')
    assert [row['map_name'] for row in evaluations] == [*MAPS] * 5
    assert [int(row['global_step']) for row in evaluations[:8:2]] == starts
    assert tiny.newest_frames(folder) == int(evaluations[-1]['global_step']) >= 8 * UPDATE
    # Each map has episodes while it is learned, and those of sequences that were in the queue.
    episodes = table(folder, 'episodes.csv')
    for start, end, name in zip(starts, [*starts[1:], np.inf], [*MAPS, *MAPS]):
        own = [r for r in episodes if start < int(r['global_step']) <= end]
        assert name in {row['map_name'] for row in own}
    tags = tiny.summaries(folder)
    for task, name in enumerate(MAPS):
        assert f'{name}/episode_return' in tags and f'{name}/eval/episode_return' in tags
        assert f'value/scale_{task}' in tags
        assert tiny.checkpoint_frames(folder / f'best-{name}')
    assert 'DefeatRoaches, cycle 2 of 2' in capsys.readouterr().out
    assert tiny.evaluate(folder, '--num_episodes=1') == 0
    for name in MAPS:
        assert tiny.read_json(folder, f'evaluation-{name}.json')['map_name'] == name
        os.remove(str(folder / f'evaluation-{name}.json'))
    assert tiny.evaluate(folder, '--num_episodes=1', f'--eval_maps={MAPS[1]}') == 0
    assert not (folder / f'evaluation-{MAPS[0]}.json').exists()
    assert tiny.read_json(folder, f'evaluation-{MAPS[1]}.json')['map_name'] == MAPS[1]


@pytest.mark.long
def test_equal_seeds_and_stops_at_changes_of_the_map(tmp_path):
    train(tmp_path / 'whole', *IN_TURN)
    train(tmp_path / 'twin', *IN_TURN)
    check_same(tmp_path / 'whole', tmp_path / 'twin')
    for num_updates in (2, 1, 1, 100):
        train(tmp_path / 'parts', *IN_TURN, hooks=[StopAfter(num_updates)])
    assert len(tiny.checkpoint_frames(tmp_path / 'parts')) >= 4
    check_same(tmp_path / 'whole', tmp_path / 'parts')


@pytest.mark.slow
def test_a_run_that_is_killed_in_any_update(tmp_path):
    every = (*IN_TURN, '--save_checkpoint_secs=0')
    copies = tmp_path / 'copies'
    train(
        tmp_path / 'whole', *every, hooks=[CopyAt(tmp_path / 'whole', (2, 3, 4, 5, 6, 7), copies)]
    )
    numbers = sorted(os.listdir(str(copies)), key=int)
    assert len(numbers) >= 5
    for number in numbers:
        train(copies / number, *every)
        check_same(tmp_path / 'whole', copies / number)


@pytest.mark.long
def test_maps_at_once_with_their_own_demonstrators(tmp_path, capsys):
    folder = tmp_path / 'run'
    flags = (
        '--nofrom_scratch',
        '--demonstrator=of_each_map',
        f'--num_cloning_frames={2 * UPDATE}',
        '--num_critic_pretrain_frames=0',
        f'--total_environment_frames={UPDATE}',
        '--phase_evaluations=2',
        '--phase_evaluation_episodes=2',
        '--screen_size=16',
        '--functions=no_op,select_army,select_point,Move_screen,Attack_screen',
        '--task_shares=DefeatRoaches=2',
        f'--evaluate_every_frames={2 * UPDATE}',
    )
    assert tiny.main(folder, *FLAGS, *flags) == 0
    tags = tiny.summaries(folder)
    assert {f'{name}/episode_return' for name in MAPS} <= set(tags)
    labelled = [value for _, value in tags['cloning/labelled']]
    assert min(labelled) > 0.5
    number = r'(-?\d+\.\d\d)'
    expected = f'{MAPS[0]} {number}, {MAPS[1]} {number}\nevaluation . of 2: mean human-normalised '
    returns = re.findall(expected, capsys.readouterr().out)
    scores = [
        np.mean([human_normalised(name, float(each)) for name, each in zip(MAPS, of_maps)])
        for of_maps in returns
    ]
    assert len(scores) == 2
    found = [value for _, value in tags['cloning/evaluation_return']]
    np.testing.assert_allclose(found, scores, atol=1e-3)
    assert {row['map_name'] for row in table(folder, 'evaluations.csv')} == set(MAPS)
    assert not os.path.exists(str(folder / 'tasks.csv'))

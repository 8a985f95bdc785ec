"""Runs are read from their folders, and folders that are no such runs are named."""

import re

import numpy as np
import pytest

from sc2impala.continual import runs
from sc2impala.errors import UserError
from tests.continual import example_runs
from tests.continual.example_runs import FRAMES, LATE, MAPS, write_run


def test_evaluations_and_blocks(tmp_path):
    returns = np.arange(13 * 3).reshape(13, 3) / 4
    folder = write_run(tmp_path / 'run', returns, cycles=2, per_task=2, seed=5)
    run = runs.read_sequential(folder)
    assert (run.folder, run.seed, run.maps, run.num_cycles) == (folder, 5, MAPS, 2)
    np.testing.assert_array_equal(run.returns, returns)
    np.testing.assert_array_equal(run.num_episodes, np.full([13, 3], 20))
    np.testing.assert_array_equal(run.steps[:4], [0, 507, 1007, 1507])
    assert run.frames == 6 * FRAMES + LATE and run.policy == '--policy=sampled --temperature=1'
    np.testing.assert_array_equal(run.blocks, [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(run.starts, [0, 1007, 2007, 3007, 4007, 5007])
    np.testing.assert_array_equal(run.block_ends, [1007, 2007, 3007, 4007, 5007, 6007])
    np.testing.assert_array_equal(run.before, [0, 2, 4, 6, 8, 10])
    np.testing.assert_array_equal(run.after, [2, 4, 6, 8, 10, 12])
    np.testing.assert_array_equal(run.boundaries, [0, 2, 4, 6, 8, 10, 12])


def test_blocks_may_begin_after_other_phases(tmp_path):
    """Then the run is longer, and evaluations before the first block are those of the phases."""
    write_run(tmp_path / 'run', maps=MAPS[:2])
    rows = [
        example_runs.evaluation_row(step, name, step)
        for step in (0, 400, 1400, 2400)
        for name in MAPS[:2]
    ]
    example_runs.write_lines(
        tmp_path / 'run' / 'evaluations.csv', [','.join(example_runs.COLUMNS), *rows]
    )
    tasks = [f'0,0,{MAPS[0]},400', f'1,0,{MAPS[1]},1400']
    example_runs.write_lines(
        tmp_path / 'run' / 'tasks.csv', ['block,cycle,map_name,global_step', *tasks]
    )
    run = runs.read_sequential(str(tmp_path / 'run'))
    np.testing.assert_array_equal(run.before, [1, 2])
    np.testing.assert_array_equal(run.after, [2, 3])


def test_episodes_of_blocks(tmp_path):
    episodes = [[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]]
    run = runs.read_sequential(write_run(tmp_path / 'run', episodes=episodes))
    found = runs.read_episodes(run)
    for block, returns in enumerate(episodes):
        np.testing.assert_array_equal(found.of_block(block), returns)
    np.testing.assert_array_equal(found.steps, [500, 1000, 2007, 2340, 2674, 3007])
    # The one at 2007 ended with the update that ended block 1.
    np.testing.assert_array_equal(found.blocks, [0, 0, 1, 2, 2, 2])


def test_episodes_of_the_map_before_and_lost_ones_are_left_out(tmp_path):
    run = runs.read_sequential(write_run(tmp_path / 'run', maps=MAPS[:2]))
    first, second = MAPS[:2]
    lines = [
        example_runs.EPISODES + ',map_name',
        f'0,500,1.0,80,10,{first}',
        f'0,900,99.0,80,10,{first}',  # The run is killed, and resumes earlier.
        f'1,600,2.0,80,10,{first}',
        f'1,1100,3.0,80,10,{first}',  # It was still in the queue.
        f'1,1100,4.0,80,10,{second}',
        f'1,1900,5.0,80,10,{second}',
        '1,1950,6.0',
    ]
    example_runs.write_lines(tmp_path / 'run' / 'episodes.csv', lines)
    found = runs.read_episodes(run)
    np.testing.assert_array_equal(found.of_block(0), [1, 2])
    np.testing.assert_array_equal(found.of_block(1), [4, 5])


def test_rows_of_other_policies_and_earlier_ones_of_the_same_model_do_not_count(tmp_path):
    folder = tmp_path / 'run'
    write_run(folder, np.ones([3, 2]), maps=MAPS[:2])
    with open(folder / 'evaluations.csv', 'a') as file:
        more = example_runs.evaluation_row(2007, MAPS[1], 7.5)
        other = example_runs.evaluation_row(2007, MAPS[0], 99, policy='greedy', temperature='')
        file.write(f'{more}\r\n{other}\r\n' + example_runs.evaluation_row(2008, MAPS[0], 99))
    run = runs.read_sequential(str(folder))
    np.testing.assert_array_equal(run.returns[-1], [1, 7.5])
    assert run.frames == 2007


def test_a_last_evaluation_without_all_maps_is_left_out(tmp_path):
    folder = tmp_path / 'run'
    write_run(folder, maps=MAPS[:2])
    with open(folder / 'evaluations.csv', 'a') as file:
        file.write(example_runs.evaluation_row(2500, MAPS[0], 1) + '\r\n')
    assert runs.read_sequential(str(folder)).frames == 2007


def test_runs_without_blocks(tmp_path):
    folder = example_runs.write_simultaneous(tmp_path / 'run', np.arange(6).reshape(2, 3))
    run = runs.read_evaluated(folder)
    np.testing.assert_array_equal(run.returns, [[0, 1, 2], [3, 4, 5]])
    assert run.num_cycles == 0 and not len(run.blocks) and not len(run.block_ends)


def test_experts_on_a_single_map(tmp_path):
    folder = example_runs.write_expert(tmp_path / 'run', MAPS[1], [3, 8], [1.0, 5.0], seed=2)
    run = runs.read_expert(folder)
    assert run.maps == (MAPS[1],) and run.seed == 2
    np.testing.assert_array_equal(run.returns, [[3], [8]])
    np.testing.assert_array_equal(runs.read_episodes(run).returns, [1, 5])


def test_experts_on_the_first_of_several_maps(tmp_path):
    folder = write_run(
        tmp_path / 'run', np.arange(12).reshape(4, 3), total_environment_frames=FRAMES
    )
    run = runs.read_expert(folder)
    assert run.maps == MAPS[:1]
    np.testing.assert_array_equal(run.returns, [[0], [3], [6], [9]])
    longer = write_run(tmp_path / 'longer', total_environment_frames=3 * FRAMES)
    with pytest.raises(UserError, match='longer has learned FindAndDefeatZerglings, .*single map'):
        runs.read_expert(longer)


def without(path, pattern):
    """Removes the lines with a pattern."""
    lines = path.read_text().splitlines()
    example_runs.write_lines(path, [line for line in lines if not re.search(pattern, line)])


@pytest.mark.parametrize(
    'change, message',
    [
        (lambda f: (f / 'tasks.csv').unlink(), 'tasks.csv does not exist, expected the blocks'),
        (
            lambda f: (f / 'evaluations.csv').unlink(),
            'evaluations.csv does not exist, expected the evaluations of a run',
        ),
        (
            lambda f: without(f / 'tasks.csv', 'Banelings'),
            'has begun 2 of 3 blocks, expected a finished run',
        ),
        (
            lambda f: without(f / 'tasks.csv', 'Roaches'),
            'tasks.csv has the blocks .*, expected 1 times FindAndDefeatZerglings, DefeatRoaches',
        ),
        (
            lambda f: without(f / 'evaluations.csv', '^3007,'),
            'has no evaluation after the start of block 2 at 2007 frames',
        ),
        (
            lambda f: without(f / 'evaluations.csv', '^0,'),
            'has no evaluation before the first block at 0 frames',
        ),
        (
            lambda f: without(f / 'evaluations.csv', ','),
            'evaluations.csv has no column global_step',
        ),
        (
            lambda f: example_runs.write_lines(f / 'tasks.csv', ['block,cycle,map_name']),
            'tasks.csv has no column global_step, expected the blocks',
        ),
    ],
)
def test_damaged_runs_are_named(tmp_path, change, message):
    folder = tmp_path / 'run'
    write_run(folder)
    change(folder)
    with pytest.raises(UserError, match=message):
        runs.read_sequential(str(folder))


def test_an_unfinished_last_block_is_named(tmp_path):
    folder = tmp_path / 'run'
    write_run(folder, per_task=2, evaluations=np.ones([7, 3]))
    without(folder / 'evaluations.csv', '^3007,')
    with pytest.raises(UserError, match='run has been evaluated at 2507 of 3000 frames'):
        runs.read_sequential(str(folder))


def test_an_evaluation_without_a_map_is_named(tmp_path):
    folder = tmp_path / 'run'
    write_run(folder)
    without(folder / 'evaluations.csv', '^1007,.*Roaches')
    with pytest.raises(UserError, match='has no evaluation of DefeatRoaches at 1007 frames'):
        runs.read_sequential(str(folder))


def test_other_runs_are_refused(tmp_path):
    folder = example_runs.write_simultaneous(tmp_path / 'several', np.ones([2, 3]))
    with pytest.raises(
        UserError, match='--task_schedule=simultaneous, expected a run with several'
    ):
        runs.read_sequential(folder)
    folder = example_runs.write_expert(tmp_path / 'one', MAPS[0], [1, 2], [1.0])
    with pytest.raises(UserError, match=r'--task_schedule=\(none\), expected a run with several'):
        runs.read_sequential(folder)


def test_a_block_may_have_no_episode(tmp_path):
    run = runs.read_sequential(write_run(tmp_path / 'run', episodes=[[1.0], [], [2.0]]))
    assert [list(runs.read_episodes(run).of_block(block)) for block in range(3)] == [[1], [], [2]]
